"""Main-thread objects between core and widgets: session, dry run, engine, settings, recording, updates,
suspend, thread bridge.
"""
