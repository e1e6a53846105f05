"""Coverage-guided fuzzing (Atheris, libFuzzer) of every parser that reads what strangers have sent."""
