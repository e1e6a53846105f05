"""Local SGD in parts: codecs, aggregation, the reducer, the outer step."""
