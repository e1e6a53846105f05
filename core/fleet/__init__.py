"""The fleet of a run as an observer sees it: snapshots made of events, history, log, charts and status page."""
