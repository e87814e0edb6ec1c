"""One run of compare_pytorch.py: what it runs on, its report so far, and how a problem becomes rows
of that report."""

import datetime
import json
import math
import os
import statistics
import sys

import torch

from peers.flashscope_library import FlashScopeLibrary
from peers.measuring import Flusher, Reference, copy_bytes_per_second, peak_bytes, time_in_rounds
from peers.registry import library_peers
from peers.reporting import one_line


class Run:
    """One report: what ran, on what, and its rows so far."""

    def __init__(self, arguments, mode):
        self.arguments, self.mode = arguments, mode
        self.dtypes = {"fp16": torch.float16, "bf16": torch.bfloat16}
        self.library = FlashScopeLibrary(arguments.lib) if arguments.lib else None
        self.flusher, self.missing = Flusher(), {}
        self.copy = copy_bytes_per_second(self.flusher)
        self.report = {
            "schema": "flashscope.pytorch/1",
            "device": torch.cuda.get_device_name(),
            "date": datetime.date.today().isoformat(),
            "command": " ".join(sys.argv),
            "torch": torch.__version__,
            "cuda": torch.version.cuda,
            "cudnn": torch.backends.cudnn.version(),
            "triton": _version("triton"),
            "copy_gbps": self.copy / 1e9,
            "missing": self.missing,
            "rows": [],
        }
        print(
            f"{self.report['device']}, torch {torch.__version__}, CUDA {torch.version.cuda}, "
            f"cuDNN {self.report['cudnn']}, copy {self.copy / 1e12:.2f} TB/s (read + written)"
        )

    def save(self):
        os.makedirs(self.arguments.out, exist_ok=True)
        path = os.path.join(self.arguments.out, self.mode + ".json")
        with open(path + ".partial", "w", encoding="utf-8") as file:
            json.dump(self.report, file, indent=1, allow_nan=False)
        os.replace(path + ".partial", path)

    def chosen(self, peers, ours):
        for name, reason in self.missing.items():
            print(f"  not here: {name} ({reason})")
        wanted = self.arguments.peers
        peers = [peer for peer in peers if wanted is None or peer.name in wanted]
        return library_peers(self.library, self.arguments.algorithm or ours) + peers


def _version(module):
    try:
        return __import__(module).__version__
    except ImportError:
        return None


def measure(run, peers, q, k, v, causal, facts):
    """Checks, weighs and times every peer on one problem; appends a row for each."""
    reference = Reference(q, k, v, causal)
    rows, calls, prepared = {}, {}, {}
    for peer in peers:
        row = {
            **facts,
            "peer": peer.name,
            "us": None,
            "us_min": None,
            "us_max": None,
            "tflops": None,
            "gbps": None,
            "peak_gib": None,
            "max_abs_error": None,
            "tolerance": reference.tolerance,
            "failed": None,
        }
        rows[peer.name] = row
        try:
            if peer.prepare not in prepared:  # copies of a long cache are shared between peers
                prepared[peer.prepare] = peer.prepare(q, k, v)

            def call(forward=peer.forward, inputs=prepared[peer.prepare]):
                return forward(*inputs, causal)

            error = reference.max_abs_error(peer.to_bhsd(call()))
            row["max_abs_error"] = error if math.isfinite(error) else None
            if not error <= reference.tolerance:
                row["failed"] = f"wrong by {error:.3g}, tolerance {reference.tolerance:.3g}"
                continue
            row["peak_gib"] = peak_bytes(call) / 2**30
            calls[peer.name] = call
        except Exception as error:  # out of memory, no such kernel, …
            row["failed"] = one_line(error)
            torch.cuda.empty_cache()
    times = {}
    try:
        times = time_in_rounds(calls, run.flusher, run.arguments.rounds, run.arguments.repeats)
    except Exception as error:
        for name in calls:
            rows[name]["failed"] = "while timing: " + one_line(error)
    for name, values in times.items():
        seconds = statistics.median(values) / 1e3
        rows[name].update(
            us=seconds * 1e6,
            us_min=values[0] * 1e3,
            us_max=values[-1] * 1e3,
            tflops=facts["useful_flops"] / seconds / 1e12,
            gbps=facts["compulsory_bytes"] / seconds / 1e9,
        )
    run.report["rows"] += rows.values()
    run.save()
    calls.clear()
    prepared.clear()
    torch.cuda.empty_cache()
    return rows


def problem_facts(mode, q, k, causal, dtype):
    batch, q_heads, q_len, head_dim = q.shape
    kv_heads, kv_len = k.shape[1:3]
    visible = q_len * kv_len
    if causal:  # aligned bottom-right; the shapes here have kv_len >= q_len
        visible -= q_len * (q_len - 1) // 2
    return {
        "mode": mode,
        "dtype": dtype,
        "batch": batch,
        "q_heads": q_heads,
        "kv_heads": kv_heads,
        "q_len": q_len,
        "kv_len": kv_len,
        "head_dim": head_dim,
        "causal": causal,
        "useful_flops": 4 * batch * q_heads * head_dim * visible,
        "compulsory_bytes": 2
        * (2 * q.numel() + 2 * k.numel()),  # Q and O, K and V; 2-byte elements
    }
