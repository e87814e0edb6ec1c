"""What compare_pytorch.py is made of: peers, checks, timing, reports and plots."""
