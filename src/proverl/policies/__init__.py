"""Scripted policies: how a conversation goes when the assistant is right, silent, hasty, wrong, greedy or backwards.

Covers: six policies that work on any task (scripted.py), other values of the right type (wrong_values.py), a call for
where there is nothing to call (least_call.py), `Acting`, which makes a policy a `Model` (acting.py). The demo, the
audits and the tests use them. Does not cover: a policy that decides anything; each follows the ground truth or departs
from it in one way.
"""
