"""The pages of the window: each shows frozen values and emits wishes."""
