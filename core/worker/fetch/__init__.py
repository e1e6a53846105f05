"""Files from the internet for a run: quota, cache, hub repositories, retries, progress."""
