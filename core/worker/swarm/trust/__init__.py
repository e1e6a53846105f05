"""What strangers claim of a run is checked before anybody relies on it: parts, groups, samples, epochs and states."""
