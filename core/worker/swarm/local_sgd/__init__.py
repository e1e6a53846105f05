"""Local SGD: each peer takes many steps of its own, then all apply the average of what each has changed (DiLoCo)."""
