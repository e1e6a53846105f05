"""What all commands share: context, event loop, cancellation, keyboard, the worker session they drive."""
