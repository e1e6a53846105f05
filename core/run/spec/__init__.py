"""The closed vocabulary of a run file: data, recipe, optimizer and model sections, and the size of the model
they describe.
"""
