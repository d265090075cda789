"""A policy as a model."""

from proverl.chat import Reply
from proverl.policies.acting import Acting
from proverl.policies.scripted import POLICIES
from proverl.records import Message
from support.shop.tasks import (
    irrelevant,
)


def test_a_policy_is_silent_once_its_script_is_over():
    policy = Acting(POLICIES["silent"], irrelevant())
    asked = [Message("user", "a")]
    assert [policy.next(asked) for _ in range(3)] == [Reply()] * 3
