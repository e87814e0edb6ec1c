#!/usr/bin/env python3
"""FlashScope's kernels beside PyTorch's attention, on one GPU, in one run.

    python3 gpu/measure/compare_pytorch.py --lib build/release/lib/libflashscope_gpu.so --out DIR
    … --out DIR --decode                 one query, long caches
    … --out DIR --training               memory of forward + backward
    … --out DIR --plot DIR/forward.json  draws again, no GPU

Without a mode: forward attention at the FlashAttention papers' shapes, batch * length = 16384
tokens, heads * head_dim = 2048. Every peer is checked against fp64 before it is timed; a peer that
fails says so in its row. TFLOP/s counts 4 * head_dim per visible score element. Writes
DIR/forward.json, decode.json or training.json (flashscope.pytorch/1) after every shape, and plots
at the end.
"""

import argparse
import json
import os
import sys

from peers.command import (
    Parser,
    count,
    fail,
    make_folder,
    names_among,
    numbers,
    require_device,
    require_module,
)

TOKENS, MODEL_DIM = 16384, 2048  # forward: batch * length, heads * head_dim
DECODE_KV_HEADS, DECODE_GROUP, DECODE_HEAD_DIM = 4, 8, 128


def parse_arguments():
    parser = Parser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", required=True, help="folder for the report and the plots")
    parser.add_argument("--lib", help="libflashscope_gpu.so; without it the peers run alone")
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--decode", action="store_true", help="q_len 1, GQA 8, head_dim 128")
    mode.add_argument("--training", action="store_true", help="memory of forward + backward")
    mode.add_argument("--plot", metavar="REPORT", help="only draw this report")
    parser.add_argument(
        "--dtype", type=names_among("fp16", "bf16"), default=["fp16"], help="fp16,bf16"
    )
    parser.add_argument("--head-dim", type=numbers, default=[64, 128])
    parser.add_argument(
        "--len",
        type=numbers,
        default=None,
        help="1024…16384; with --decode the number of keys, 8192…131072",
    )
    parser.add_argument("--mask", type=names_among("full", "causal"), default=["full", "causal"])
    parser.add_argument("--batch", type=numbers, default=[1, 8, 64], help="of --decode")
    parser.add_argument(
        "--algorithm",
        type=names_among("auto", "fa2", "fa1", "standard", "split_kv"),
        default=None,
        help="ours: auto,fa2,fa1,standard,split_kv (default auto; with --decode auto,split_kv)",
    )
    parser.add_argument("--peers", type=names_among(), default=None, help="only these, and ours")
    parser.add_argument("--rounds", type=count, default=5)
    parser.add_argument("--repeats", type=count, default=6, help="timed calls per round and peer")
    arguments = parser.parse_args()
    if max(arguments.head_dim) > MODEL_DIM:
        parser.error(f"argument --head-dim: at most {MODEL_DIM}, the width of all heads together")
    return arguments


def run_forward(run):
    import torch

    from peers.registry import forward_peers
    from peers.reporting import print_ratio, print_rows
    from peers.run import measure, problem_facts

    peers = run.chosen(forward_peers(run.missing), ["auto"])
    for dtype in run.arguments.dtype:
        for head_dim in run.arguments.head_dim:
            for length in run.arguments.len or [1024, 2048, 4096, 8192, 16384]:
                shape = max(1, TOKENS // length), MODEL_DIM // head_dim, length, head_dim
                torch.manual_seed(1)
                q, k, v = (
                    torch.randn(shape, device="cuda", dtype=run.dtypes[dtype]) for _ in range(3)
                )
                for mask in run.arguments.mask:
                    facts = problem_facts("forward", q, k, mask == "causal", dtype)
                    rows = measure(run, peers, q, k, v, mask == "causal", facts)
                    print_rows(
                        f"forward {dtype} B{shape[0]} H{shape[1]} N{length} D{head_dim} {mask}",
                        rows,
                        "tflops",
                        "TFLOP/s",
                    )
    print_ratio(run.report["rows"], "forward", "tflops")


def run_decode(run):
    import torch

    from peers.registry import decode_peers
    from peers.reporting import print_ratio, print_rows
    from peers.run import measure, problem_facts

    peers = run.chosen(decode_peers(run.missing), ["auto", "split_kv"])
    for dtype in run.arguments.dtype:
        for batch in run.arguments.batch:
            for length in run.arguments.len or [8192, 32768, 131072]:
                kv_shape = batch, DECODE_KV_HEADS, length, DECODE_HEAD_DIM
                q_shape = batch, DECODE_KV_HEADS * DECODE_GROUP, 1, DECODE_HEAD_DIM
                torch.manual_seed(1)
                q, k, v = (
                    torch.randn(shape, device="cuda", dtype=run.dtypes[dtype])
                    for shape in (q_shape, kv_shape, kv_shape)
                )
                rows = measure(
                    run, peers, q, k, v, False, problem_facts("decode", q, k, False, dtype)
                )
                print_rows(
                    f"decode {dtype} B{batch} Hq{q_shape[1]} Hkv{DECODE_KV_HEADS} Lk{length} "
                    f"D{DECODE_HEAD_DIM}",
                    rows,
                    "gbps",
                    "GB/s",
                    run.copy / 1e9,
                )
                del q, k, v
    print_ratio(run.report["rows"], "decode", "gbps")


def run_training(run):
    """Peak memory of forward + backward, standard attention against SDPA's flash backend."""
    import torch

    from peers.measuring import peak_bytes
    from peers.registry import BACKENDS, sdpa, standard_attention
    from peers.reporting import one_line

    length = max(run.arguments.len or [16384])
    for head_dim in run.arguments.head_dim:
        heads = MODEL_DIM // head_dim
        for name, forward in (
            ("standard", standard_attention),
            ("sdpa_flash", sdpa(BACKENDS["sdpa_flash"])),
        ):
            tensors = gradient = None
            try:
                tensors = [
                    torch.randn(
                        1,
                        heads,
                        length,
                        head_dim,
                        device="cuda",
                        dtype=torch.float16,
                        requires_grad=True,
                    )
                    for _ in range(3)
                ]

                gradient = torch.randn_like(tensors[0])

                def step():
                    forward(*tensors, False).backward(gradient)

                step()  # whatever libraries allocate once
                for tensor in tensors:
                    tensor.grad = None
                gib, failed = peak_bytes(step) / 2**30, None
            except Exception as error:
                gib, failed = None, one_line(error)
            tensors = gradient = None
            torch.cuda.empty_cache()
            run.report["rows"].append(
                {
                    "mode": "training",
                    "peer": name,
                    "dtype": "fp16",
                    "batch": 1,
                    "q_heads": heads,
                    "kv_heads": heads,
                    "q_len": length,
                    "kv_len": length,
                    "head_dim": head_dim,
                    "causal": False,
                    "peak_gib": gib,
                    "failed": failed,
                }
            )
            run.save()
            print(
                f"training memory B1 H{heads} N{length} D{head_dim} {name}: "
                + (failed or f"{gib:.2f} GiB beyond the inputs"),
                flush=True,
            )


def read_report(path):
    if not os.path.isfile(path):
        fail(f"--plot {path}: there is no such file")
    try:
        with open(path, encoding="utf-8") as file:
            report = json.load(file)
    except (OSError, ValueError, RecursionError) as error:
        fail(f"--plot {path}: cannot be read: {error}")
    if not isinstance(report, dict) or report.get("schema") != "flashscope.pytorch/1":
        fail(f'--plot {path}: this is no report: "schema" is not "flashscope.pytorch/1"')
    if not isinstance(report.get("rows"), list):
        fail(f'--plot {path}: this is no report: "rows" is not a list')
    return report


def main():
    arguments = parse_arguments()
    from peers.plots import draw

    if arguments.plot:
        report = read_report(arguments.plot)
        make_folder(arguments.out)
    else:
        mode = "decode" if arguments.decode else "training" if arguments.training else "forward"
        if arguments.lib and not os.path.isfile(arguments.lib):
            fail(f"--lib {arguments.lib}: there is no such file")
        require_module("torch")
        require_device("cuda")
        make_folder(arguments.out)
        from peers.run import Run

        run = Run(arguments, mode)
        {"decode": run_decode, "training": run_training, "forward": run_forward}[mode](run)
        run.save()
        report = run.report
    try:
        paths = draw(report, arguments.out)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        fail(f"{arguments.plot or arguments.out}: the rows cannot be drawn: {error!r}")
    for path in paths:
        print(f"wrote {path}")


if __name__ == "__main__":
    main()
