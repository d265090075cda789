"""Talking to a language model: one protocol, an OpenAI-compatible endpoint, and a scripted double for tests.

Covers: `Model`, what any model is asked and answers; `Endpoint` for every server that speaks OpenAI's chat completions;
`Scripted`, which answers from a list; reading tool calls out of a model's text. Does not cover: what is said in which
order (rollout/ for training and evaluation, synth/ for data), nor tokens (rollout/codecs/tokens.py).
"""

from .endpoint import Endpoint
from .model import Model, Reply, Scripted, ToolCall
from .text import fenced, hermes, read_object, without_thinking

__all__ = [
    "Endpoint",
    "Model",
    "Reply",
    "Scripted",
    "ToolCall",
    "fenced",
    "hermes",
    "read_object",
    "without_thinking",
]
