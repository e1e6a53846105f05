"""Theme, stylesheet, language, line breaking."""
