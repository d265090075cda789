"""Training: the only folder that may import torch."""
