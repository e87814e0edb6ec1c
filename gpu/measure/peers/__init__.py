"""What compare_pytorch.py is made of: the peers, how they are timed and checked, the plots."""
