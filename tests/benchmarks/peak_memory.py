#!/usr/bin/env python3
"""Peak memory and time of the command on long sequences, against the limits it should keep.

`run` at N 65,536, D 64, one head may need its inputs, its output and 100 MB; `count` of a million
causal rows may need 1 s and 200 MB. Each command runs once as a child process, whose peak resident
memory the kernel reports (Linux: kibibytes; never less than this script's own, about 15 MB). Exit
status 1 when a limit is passed. Needs the Python standard library only:

    python3 tests/benchmarks/peak_memory.py
"""
import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MB = 1e6
RUN_EXTRA_MB = 100
COUNT_MB, COUNT_SECONDS = 200, 1.0
ALGORITHMS = ["all", "standard", "fa1", "fa2", "split_kv"]


def measure(flashscope, words):
    """Wall seconds and peak resident MB of one command, which must succeed."""
    command = [str(flashscope), *map(str, words)]
    begin = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)  # unlike wait(), says what this child used
    child.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.perf_counter() - begin
    if child.returncode != 0:
        sys.exit(f"exit status {child.returncode}: {' '.join(command)}")
    return seconds, usage.ru_maxrss * 1024 / MB


def run_cases(length, algorithm):
    for dtype, size in (("fp16", 2), ("fp32", 4)):
        tensors_mb = 4 * length * 64 * size / MB
        for verify in ("none", "auto"):
            words = ["run", "--q-len", length, "--head-dim", 64, "--dtype", dtype,
                     "--algorithm", algorithm, "--verify", verify]
            limit_mb = tensors_mb + RUN_EXTRA_MB
            yield f"run {algorithm} {dtype} --verify {verify}", words, limit_mb, None


def count_cases(length):
    for head_dim in (64, 128):
        for algorithm in ALGORITHMS:
            words = ["count", "--q-len", length, "--q-heads", 32, "--causal",
                     "--head-dim", head_dim, "--algorithm", algorithm]
            yield f"count {algorithm} D {head_dim}", words, COUNT_MB, COUNT_SECONDS


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--flashscope", default=ROOT / "build/release/bin/flashscope")
    parser.add_argument("--run-length", type=int, default=65536)
    parser.add_argument("--count-length", type=int, default=1048576)
    parser.add_argument("--algorithm", default="fa2", help="of the run cases")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()

    rows = []
    if not arguments.json:
        print(f"{'case':<34}{'seconds':>9}{'limit':>7}{'peak MB':>10}{'limit':>7}")
    cases = [*count_cases(arguments.count_length),
             *run_cases(arguments.run_length, arguments.algorithm)]
    for name, words, limit_mb, limit_seconds in cases:
        seconds, peak_mb = measure(arguments.flashscope, words)
        kept = peak_mb <= limit_mb and (limit_seconds is None or seconds <= limit_seconds)
        rows.append({"case": name, "seconds": seconds, "limit_seconds": limit_seconds,
                     "peak_mb": peak_mb, "limit_mb": limit_mb, "kept": kept})
        if not arguments.json:
            limit = f"{limit_seconds:.1f}" if limit_seconds is not None else "-"
            print(f"{name:<34}{seconds:>9.3f}{limit:>7}{peak_mb:>10.1f}{limit_mb:>7.0f}"
                  f"{'' if kept else '  OVER'}", flush=True)
    if arguments.json:
        print(json.dumps(rows, indent=2))
    return int(not all(row["kept"] for row in rows))


if __name__ == "__main__":
    sys.exit(main())
