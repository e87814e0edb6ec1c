#!/usr/bin/env python3
"""FlashScope's simulated fa2 against PyTorch's CPU scaled_dot_product_attention, both in fp32.

Both compute the same problem on the same threads, in turns (A B A B ...), so that whatever else the
machine does meets both alike; FlashScope's time is the attention alone, as its JSON reports it. The
outputs are compared first, on the same Q, K and V, with fp64. Needs numpy and torch >= 2.5 (on
Linux any build of torch will do, only its CPU part runs):

    python3 -m venv venv && venv/bin/pip install numpy torch
    venv/bin/python tests/benchmarks/compare_pytorch.py

Left out: fp16 and bf16, which a CPU computes in fp32 anyway and FlashScope rounds at every stage.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy

os.environ.setdefault("KINETO_LOG_LEVEL", "5")  # the profiler's notes; read when torch loads
import torch  # noqa: E402
import torch.nn.functional as functional  # noqa: E402
from torch.profiler import ProfilerActivity, profile  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
LARGEST_ERROR = 1e-5  # of O in fp32 against fp64, for normal input


def arguments_from_command_line():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--flashscope", default=ROOT / "build/release/bin/flashscope")
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--heads", type=int, default=8)
    parser.add_argument("--length", type=int, default=4096)
    parser.add_argument("--head-dim", type=int, default=64)
    parser.add_argument("--causal", action="store_true")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--rounds", type=int, default=9, help="after one round to warm up")
    parser.add_argument("--tiles", nargs="+", default=["default"], metavar="QxK",
                        help="tilings to measure, such as 128x64; `default` is FlashScope's choice")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    if arguments.rounds < 1 or arguments.threads < 1:
        parser.error("--rounds and --threads must be positive")
    return arguments


class FlashScope:
    """Runs of one tiling on Q, K and V as they lie in a folder."""

    def __init__(self, arguments, folder, tiles):
        self.folder = folder
        self.command = [str(arguments.flashscope), "run", "--algorithm", "fa2", "--verify", "none",
                        "--json", "--threads", str(arguments.threads)]
        for name in "qkv":
            self.command += [f"--{name}", str(folder / f"{name}.npy")]
        if arguments.causal:
            self.command.append("--causal")
        if tiles != "default":
            q_tile, kv_tile = tiles.split("x")
            self.command += ["--q-tile", q_tile, "--kv-tile", kv_tile]

    def run(self, *more):
        done = subprocess.run([*self.command, *more], stdout=subprocess.PIPE, check=True)
        return json.loads(done.stdout)

    def seconds(self):
        return self.run()["seconds"]

    def output(self):
        """O, and the tiling that ran."""
        path = self.folder / "o.npy"
        counts = self.run("--out", str(path))["counts"]
        return numpy.load(path), f"{counts['q_tile']}x{counts['kv_tile']}"


def attention(inputs, causal):
    return functional.scaled_dot_product_attention(*inputs, is_causal=causal)


def pytorch_seconds(inputs, causal):
    begin = time.perf_counter()
    attention(inputs, causal)
    return time.perf_counter() - begin


def pytorch_backend(inputs, causal):
    """The name of the operator that scaled_dot_product_attention chose."""
    with profile(activities=[ProfilerActivity.CPU]) as record:
        attention(inputs, causal)
    names = [event.key.removeprefix("aten::") for event in record.key_averages()]
    return next((n for n in names if n.startswith("_scaled_dot_product")), "no fused operator")


def largest_error(output, inputs, causal):
    """Against fp64, a head at a time: its scores fill length^2 * 8 bytes."""
    error = 0.0
    for b in range(output.shape[0]):
        for h in range(output.shape[1]):
            one = [tensor[b:b + 1, h:h + 1].double() for tensor in inputs]
            difference = output[b, h] - attention(one, causal)[0, 0]
            error = max(error, difference.abs().max().item())
    return error


def figures(seconds):
    return {"median": statistics.median(seconds), "min": min(seconds), "max": max(seconds)}


def compare(arguments, folder, inputs, tiles):
    flashscope = FlashScope(arguments, folder, tiles)
    output, tiles_run = flashscope.output()  # also warms up
    errors = {"flashscope": largest_error(torch.from_numpy(output), inputs, arguments.causal),
              "pytorch": largest_error(attention(inputs, arguments.causal), inputs,
                                       arguments.causal)}
    if not max(errors.values()) <= LARGEST_ERROR:
        sys.exit(f"the outputs are not the same attention: largest errors {errors}")
    ours, theirs = [], []
    for _ in range(arguments.rounds):
        ours.append(flashscope.seconds())
        theirs.append(pytorch_seconds(inputs, arguments.causal))
    result = {"tiles": tiles_run, "largest_error": errors, "flashscope_seconds": figures(ours),
              "pytorch_seconds": figures(theirs)}
    result["ratio"] = statistics.median(theirs) / statistics.median(ours)
    result["ratio_of_minima"] = min(theirs) / min(ours)
    return result


def print_row(name, tiles, seconds, error, ratio=""):
    print(f"{name:<12}{tiles:>9}{seconds['median']:>10.4f}{seconds['min']:>9.4f}"
          f"{seconds['max']:>9.4f}{error:>11.1e}{ratio:>8}")


def main():
    arguments = arguments_from_command_line()
    torch.set_num_threads(arguments.threads)
    generator = torch.Generator().manual_seed(1)
    shape = (arguments.batch, arguments.heads, arguments.length, arguments.head_dim)
    inputs = [torch.randn(shape, generator=generator) for _ in range(3)]
    version = subprocess.run([str(arguments.flashscope), "--version"], stdout=subprocess.PIPE,
                             check=True, text=True).stdout.strip()
    about = {"flashscope": version, "torch": torch.__version__, "numpy": numpy.__version__,
             "pytorch_backend": pytorch_backend(inputs, arguments.causal),
             "cpu_capability": torch.backends.cpu.get_cpu_capability(),
             "shape": list(shape), "dtype": "fp32", "causal": arguments.causal,
             "threads": arguments.threads, "rounds": arguments.rounds}
    if not arguments.json:
        print(f"B{shape[0]} H{shape[1]} N{shape[2]} D{shape[3]} fp32"
              f"{' causal' if arguments.causal else ''}, {arguments.threads} threads, "
              f"{arguments.rounds} rounds in turns")
        print(f"{version}: fa2; torch {about['torch']} ({about['cpu_capability']}): "
              f"{about['pytorch_backend']}")
        print(f"{'':<12}{'tiles':>9}{'median s':>10}{'min':>9}{'max':>9}{'max error':>11}"
              f"{'ratio':>8}")
    results = []
    with torch.no_grad(), tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for letter, tensor in zip("qkv", inputs):
            numpy.save(folder / f"{letter}.npy", tensor.numpy())
        for tiles in arguments.tiles:
            result = compare(arguments, folder, inputs, tiles)
            results.append(result)
            if arguments.json:
                continue
            print_row("flashscope", result["tiles"], result["flashscope_seconds"],
                      result["largest_error"]["flashscope"], f"{result['ratio']:.2f}")
            print_row("pytorch", "", result["pytorch_seconds"], result["largest_error"]["pytorch"])
    if arguments.json:
        print(json.dumps({**about, "results": results}, indent=2))
    else:
        print("ratio = median of pytorch / median of flashscope: 1.00 is as fast")


if __name__ == "__main__":
    main()
