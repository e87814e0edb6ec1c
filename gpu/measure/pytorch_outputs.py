#!/usr/bin/env python3
"""What PyTorch's attention backends answer to small problems, as .npy files: real outputs, right by
PyTorch's conventions, for `flashscope diagnose` to be tried on.

    python3 gpu/measure/pytorch_outputs.py --out DIR

For every case: CASE.q.npy, CASE.k.npy, CASE.v.npy, and for every backend that takes it
CASE.BACKEND.o.npy and, where PyTorch gives it, CASE.BACKEND.lse.npy (fp32). DIR/cases.json says
what each case is. (is_causal of PyTorch is aligned top-left where q_len and kv_len differ.)
"""

import argparse
import json
import os

from peers.command import Parser, make_folder, require_device, require_module

# name: batch, q heads, kv heads, q_len, kv_len, head_dim, causal
CASES = {
    "full": (1, 2, 2, 96, 96, 64, False),
    "causal": (1, 2, 2, 96, 96, 64, True),
    "tall_causal": (1, 2, 2, 96, 40, 64, True),
    "wide_causal": (1, 2, 2, 40, 96, 64, True),
    "tail_causal": (1, 1, 1, 77, 77, 128, True),
    "grouped": (1, 4, 2, 64, 80, 64, False),
    "decode": (2, 4, 4, 1, 200, 64, False),
}


def lse_of(torch, backend, q, k, v, causal, scale):
    """(batch, heads, q_len), natural logarithm, or None where the backend keeps it to itself."""
    aten = torch.ops.aten
    if backend == "sdpa_flash":
        return aten._scaled_dot_product_flash_attention(q, k, v, 0.0, causal, False, scale=scale)[1]
    if backend == "sdpa_efficient":
        lse = aten._scaled_dot_product_efficient_attention(
            q, k, v, None, True, 0.0, causal, scale=scale
        )[1]
        return lse[:, :, : q.shape[2]]  # padded
    return None


def main():
    parser = Parser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", required=True, help="folder for the files")
    parser.add_argument("--device", default="cuda")
    arguments = parser.parse_args()
    for module in ("numpy", "torch"):
        require_module(module)
    require_device(arguments.device)
    make_folder(arguments.out)

    import numpy
    import torch

    from peers.registry import BACKENDS, sdpa
    from peers.reporting import one_line

    on_cuda = arguments.device.startswith("cuda")
    described = {}

    def save(name, tensor):
        numpy.save(os.path.join(arguments.out, name + ".npy"), tensor.detach().cpu().numpy())

    for case, (batch, q_heads, kv_heads, q_len, kv_len, head_dim, causal) in CASES.items():
        generator = torch.Generator().manual_seed(7)
        q, k, v = (
            torch.randn(batch, heads, length, head_dim, generator=generator).half()
            for heads, length in ((q_heads, q_len), (kv_heads, kv_len), (kv_heads, kv_len))
        )
        for name, tensor in (("q", q), ("k", k), ("v", v)):
            save(f"{case}.{name}", tensor)
        q, k, v = (tensor.to(arguments.device) for tensor in (q, k, v))
        outputs = {}
        for backend, which in BACKENDS.items():
            try:
                o = sdpa(which, enable_gqa=q_heads != kv_heads)(q, k, v, causal)
                save(f"{case}.{backend}.o", o.contiguous())
                outputs[backend] = None
            except Exception as error:  # this backend does not take this case
                outputs[backend] = one_line(error)
                continue
            try:
                group = q_heads // kv_heads
                lse = lse_of(
                    torch,
                    backend,
                    q,
                    k.repeat_interleave(group, 1),
                    v.repeat_interleave(group, 1),
                    causal,
                    head_dim**-0.5,
                )
                if lse is not None:
                    save(f"{case}.{backend}.lse", lse.float().contiguous())
            except Exception as error:
                print(f"{case}, {backend}: no LSE: {one_line(error)}")
        described[case] = {
            "batch": batch,
            "q_heads": q_heads,
            "kv_heads": kv_heads,
            "q_len": q_len,
            "kv_len": kv_len,
            "head_dim": head_dim,
            "causal": causal,
            "failed": outputs,
        }
        print(case, {name: failed or "saved" for name, failed in outputs.items()})
    with open(os.path.join(arguments.out, "cases.json"), "w", encoding="utf-8") as file:
        json.dump(
            {
                "torch": torch.__version__,
                "device": torch.cuda.get_device_name() if on_cuda else arguments.device,
                "cases": described,
            },
            file,
            indent=1,
        )


if __name__ == "__main__":
    main()
