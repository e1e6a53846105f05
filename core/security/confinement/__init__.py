"""What the Linux kernel keeps from a process and its children: files, system calls, sockets, signals, privileges."""
