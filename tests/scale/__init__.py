"""`make scale`: a discrete-event simulation of large swarms, calibrated by what was measured with real peers."""
