"""Several runs in an order, in the window: the controller that carries out which of them is helped."""
