"""What a broken-into worker would try, a program of the person's to try it on, and a worker in which it is tried."""
