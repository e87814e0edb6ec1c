"""What both programs share on the command line: a mistake is one line and exit code 2."""

import argparse
import os
import sys


class Parser(argparse.ArgumentParser):
    def error(self, message):  # without the usage, which is many lines
        self.exit(2, f"{self.prog}: {message} (see {self.prog} --help)\n")


def fail(message):
    name = os.path.basename(sys.argv[0])
    sys.stderr.write(f"{name}: {' '.join(str(message).split())}\n")
    sys.exit(2)


def numbers(text):
    """[64, 128] of "64,128"."""
    values = [int(part) for part in text.split(",")]
    if min(values) < 1:
        raise argparse.ArgumentTypeError(f"'{text}' must be numbers from 1 up, such as 64,128")
    return values


def count(text):
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{value} must be 1 or more")
    return value


def names_among(*known):
    """A parser of "a,b" whose parts are all known (any, where none is named)."""

    def names(text):
        parts = [part for part in text.split(",") if part]
        for part in parts:
            if known and part not in known:
                raise argparse.ArgumentTypeError(f"'{part}' is none of {', '.join(known)}")
        if not parts:
            raise argparse.ArgumentTypeError("the list is empty")
        return parts

    return names


def make_folder(path):
    try:
        os.makedirs(path, exist_ok=True)
    except OSError as error:
        fail(f"--out {path}: the folder cannot be made: {error.strerror}")
    if not os.access(path, os.W_OK | os.X_OK):
        fail(f"--out {path}: no file can be written there")


def require_module(name):
    try:
        __import__(name)
    except ImportError:
        fail(f"{name} is not here: install it for this Python, {sys.executable}")


def require_device(device):
    """A device that PyTorch has and can use."""
    import torch

    if str(device).startswith("cuda") and not torch.cuda.is_available():
        fail("PyTorch sees no CUDA device")
    try:
        torch.zeros(1, device=device).cpu()
    except Exception as error:
        fail(f"device {device} cannot be used: {str(error).splitlines()[0]}")
