"""A run's checkpoint as transformers, peft or PyTorch load it: weights, config, tokenizer, model card."""
