"""A policy against a live session: the one loop that every engine, hub and evaluation uses.

Covers: `run`, one episode in an open session; `play`, the same with opening and closing; the interface to whatever
produces the assistant's turns (a `generate` and a codec that fits it, protocol.py); what a call comes to (executor.py).
Does not cover: reward (reward/), which is a function of the trace, or any training engine (train/).

Two codecs: `MessageCodec` for whatever takes messages (endpoints, scripted policies), `TokenCodec` for engines that
take and return token ids. With the same assistant turns both give the same calls, outcomes, changes and digest.
"""

from .codecs.messages import MessageCodec, asking
from .codecs.tokens import TokenCodec, Tokenizer
from .protocol import ChatPrompt, Codec, Generate, Opener, Sampled, TokenPrompt, Tokens, Transcript
from .run import play, run

__all__ = [
    "ChatPrompt",
    "Codec",
    "Generate",
    "MessageCodec",
    "Opener",
    "Sampled",
    "TokenCodec",
    "TokenPrompt",
    "Tokenizer",
    "Tokens",
    "Transcript",
    "asking",
    "play",
    "run",
]
