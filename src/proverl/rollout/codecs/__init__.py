"""The two forms in which a policy is asked: messages and token ids."""
