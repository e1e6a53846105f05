"""The card of the order in which runs are helped, which the join page and the training page show."""
