"""What compare_pytorch.py is made of: the peers, how they are checked, timed, reported and drawn."""
