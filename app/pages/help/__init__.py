"""The help page and its parts: a shipped document as Qt draws Markdown, with links and a search."""
