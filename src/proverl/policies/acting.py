"""`Acting`: a scripted policy as a `Model`, for one episode of one task.

Covers: handing a script the messages that came since its last reply. Does not cover: any script (scripted.py).
"""

from __future__ import annotations

from collections.abc import Sequence

from ..chat import Reply
from ..records import Message, Task, Tool
from .scripted import Policy


class Acting:
    """A model that acts a policy in one episode of a task."""

    def __init__(self, policy: Policy, task: Task) -> None:
        self._script = policy(task)
        self._begun = False

    async def reply(self, messages: Sequence[Message], tools: Sequence[Tool]) -> Reply:
        """The policy's next reply; nothing once its script is over."""
        return self.next(messages)

    def next(self, messages: Sequence[Message]) -> Reply:
        """The same without waiting."""
        last = max((place for place, message in enumerate(messages) if message.role == "assistant"), default=-1)
        news = tuple(messages[last + 1 :])
        try:
            if self._begun:
                return self._script.send(news)
            self._begun = True
            return next(self._script)
        except StopIteration:
            return Reply()
