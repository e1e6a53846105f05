"""How many real peers one computer holds, and what each costs."""
