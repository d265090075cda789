"""A tokenizer with the interface of transformers, in plain Python: one id a character, and ChatML control tokens.

It needs no extra, so the token codec is tested in the default suite; tests/train has a trained one.
"""

import json
import re
from typing import Any

SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
TAGS = ["<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>", "<think>", "</think>"]


class CharacterTokenizer:
    """Ids 0 to 8 are control tokens, a character c is 100 + ord(c)."""

    all_special_tokens = SPECIAL

    def get_added_vocab(self) -> dict[str, int]:
        return {text: number for number, text in enumerate(SPECIAL + TAGS)}

    def encode(self, text: str, *, add_special_tokens: bool = True) -> list[int]:
        known = self.get_added_vocab()
        parts = re.split("(" + "|".join(re.escape(token) for token in known) + ")", text)
        return [i for part in parts for i in ([known[part]] if part in known else [100 + ord(c) for c in part])]

    def decode(self, token_ids: list[int], **options: Any) -> str:
        assert options == {"skip_special_tokens": False, "clean_up_tokenization_spaces": False}
        return "".join((SPECIAL + TAGS)[i] if i < 100 else chr(i - 100) for i in token_ids)

    def apply_chat_template(self, conversation: list[dict[str, Any]], **options: Any) -> str:
        assert options["tokenize"] is False
        tools, messages, text = options["tools"], list(conversation), ""
        system = messages.pop(0)["content"] if messages[0]["role"] == "system" else ""
        if system or tools:
            listed = "\n".join(json.dumps(tool, ensure_ascii=False) for tool in tools or ())
            text = f"<|im_start|>system\n{system}\n{listed}<|im_end|>\n"
        for place, message in enumerate(messages):
            text += self._message(message, messages[place - 1 : place], messages[place + 1 : place + 2])
        return text + ("<|im_start|>assistant\n" if options["add_generation_prompt"] else "")

    @staticmethod
    def _message(message: dict[str, Any], before: list[dict[str, Any]], after: list[dict[str, Any]]) -> str:
        if message["role"] != "tool":
            calls = "".join(
                f"\n<tool_call>\n{json.dumps(call['function'])}\n</tool_call>" for call in message.get("tool_calls", ())
            )
            return f"<|im_start|>{message['role']}\n{message['content']}{calls}<|im_end|>\n"
        head = "" if before and before[0]["role"] == "tool" else "<|im_start|>user"
        tail = "" if after and after[0]["role"] == "tool" else "<|im_end|>\n"
        return f"{head}\n<tool_response>\n{message['content']}\n</tool_response>{tail}"
