"""What is seen of this computer without a window: power, programs, pressure, the GPU's other users, disk, prices."""
