"""The tools of the food delivery app, by noun: restaurants, baskets, addresses, orders, aftercare."""
