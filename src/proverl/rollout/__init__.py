"""A policy against a live session: the one loop that every engine, hub and evaluation uses.

Covers: `run`, one episode in an open session; `play`, the same with opening and closing; the seam to whatever produces
the assistant's turns (a `generate` and a codec that fits it); what a call comes to (calls.py). Does not cover: reward
(reward/), which is a function of the trace, or any training engine (train/).

Two codecs: `MessageCodec` for whatever takes messages (endpoints, scripted policies), `TokenCodec` for engines that
take and return token ids. With the same assistant turns both give the same calls, outcomes, changes and digest.
"""

from .codecs.messages import MessageCodec, asking
from .codecs.tokens import TokenCodec, Tokenizer
from .protocol import DEFAULT, ChatPrompt, Codec, Generate, Limits, Opener, Sampled, TokenPrompt, Tokens, Transcript
from .run import play, run

__all__ = [
    "DEFAULT",
    "ChatPrompt",
    "Codec",
    "Generate",
    "Limits",
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
