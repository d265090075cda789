"""A small model made from scratch, so that a whole training run can be tried without any download.

Covers: a byte-level BPE tokenizer trained on the tasks' own text, a Qwen3 of one to three million parameters with
random weights, our chat template, and a supervised warm start on the ground truth. Does not cover: a model of any use;
it shows that the run works, and little more than the form of a call is learned.

The same tasks and seed give the same files, byte for byte on one machine.
"""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Iterator, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from ..policies.acting import Acting
from ..policies.scripted import ground_truth
from ..records import Limits, Task, Trace
from ..rollout import Opener, Sampled, TokenCodec, TokenPrompt, play
from ..rollout.run import announcement

SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
TAGS = ["<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>", "<think>", "</think>"]
VOCABULARY = 4_096
CORPUS_TASKS = 400


def template() -> str:
    """Our chat template: ChatML with Hermes-style calls."""
    return resources.files(__package__).joinpath("chatml.jinja").read_text(encoding="utf-8")


def tokenizer(tasks: Sequence[Task], vocabulary: int = VOCABULARY) -> Any:
    """A tokenizer of transformers' kind, trained on what these tasks say."""
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    core = Tokenizer(models.BPE())
    core.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    core.decoder = decoders.ByteLevel()
    core.train_from_iterator(
        _corpus(tasks),
        trainers.BpeTrainer(
            vocab_size=vocabulary - len(TAGS),
            special_tokens=SPECIAL,
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        ),
    )
    core.add_tokens([AddedToken(tag, normalized=False) for tag in TAGS])
    made = PreTrainedTokenizerFast(
        tokenizer_object=core,
        eos_token=SPECIAL[2],
        pad_token=SPECIAL[0],  # not the ending token, or a mask over padding would hide it
        padding_side="left",
        clean_up_tokenization_spaces=False,
    )
    made.chat_template = template()
    return made


def _corpus(tasks: Sequence[Task]) -> Iterator[str]:
    """The tools once, and what is said, called and answered in the first tasks."""
    yield template()
    tools = {tool.name: tool for task in tasks for tool in task.tools}
    for _, tool in sorted(tools.items()):
        yield json.dumps(tool.function(), ensure_ascii=False)
    for task in tasks[:CORPUS_TASKS]:
        yield task.system
        for index, turn in enumerate(task.turns):
            shown = {tool.name: tool for tool in task.shown(index)}
            yield turn.user + announcement(turn, shown)
            yield turn.answer
            for step in turn.steps:
                yield json.dumps({"name": step.tool, "arguments": step.arguments}, ensure_ascii=False)
                yield step.outcome.observation()


def make(tasks: Sequence[Task], folder: Path, seed: int = 0) -> Path:
    """Make tokenizer and model and write them to a folder, from which transformers loads them."""
    import torch
    from transformers import Qwen3Config, Qwen3ForCausalLM

    words = tokenizer(tasks)
    config = Qwen3Config(
        vocab_size=len(words),
        hidden_size=256,
        intermediate_size=512,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        head_dim=64,
        max_position_embeddings=32_768,
        tie_word_embeddings=True,
        eos_token_id=words.eos_token_id,
        pad_token_id=words.pad_token_id,
        bos_token_id=None,
    )
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = Qwen3ForCausalLM(config)
    model.save_pretrained(folder)
    words.save_pretrained(folder)
    return folder


def warm(folder: Path, tasks: Sequence[Task], open_session: Opener, *, updates: int, seed: int = 0) -> list[float]:
    """Supervised updates on ground-truth episodes, one each, in place; returns the loss of each.

    Of twice as many episodes as there are updates the shorter half is used. Only the policy's own tokens are learned
    from, as in training.
    """
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    words = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForCausalLM.from_pretrained(folder)
    order = random.Random(seed).sample(range(len(tasks)), min(len(tasks), 2 * updates))
    traces = asyncio.run(_right([tasks[place] for place in order], open_session, TokenCodec(words)))
    traces = sorted(
        (trace for trace in traces if not trace.masked), key=lambda trace: len(trace.prompt_ids + trace.response_ids)
    )
    traces = traces[: max(updates, 1)]
    random.Random(seed).shuffle(traces)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=0.0)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda update: 1 - update / updates)
    losses = []
    for update in range(updates if traces else 0):
        trace = traces[update % len(traces)]
        ids = torch.tensor([trace.prompt_ids + trace.response_ids])
        own = torch.tensor([(0,) * len(trace.prompt_ids) + trace.response_mask], dtype=torch.bool)
        loss = model(input_ids=ids, labels=ids.masked_fill(~own, -100)).loss
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        optimizer.zero_grad()
        losses.append(loss.item())
    model.save_pretrained(folder)
    return losses


async def _right(tasks: Sequence[Task], open_session: Opener, codec: TokenCodec) -> list[Trace]:
    """The ground truth of each task as the model would write it."""
    limits = Limits(prompt_tokens=100_000, response_tokens=100_000)

    async def one(task: Task) -> Trace:
        policy = Acting(ground_truth, task)

        async def generate(prompt: TokenPrompt) -> Sampled:
            return Sampled(codec.spell(policy.next(prompt.messages)))

        return await play(task, open_session, generate, codec, limits)

    return [await one(task) for task in tasks]
