"""How this computer reaches the swarm and is reached: probing, ports, NAT test, LAN peers, reconnection."""
