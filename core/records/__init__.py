"""What is kept for the person between starts (settings, recent runs, time series, contributions), and how it
is erased.
"""
