"""The peers: every way of computing attention that the comparison knows.

A peer that cannot be imported is listed with its error, never silently missing. Inputs are
(batch, heads, length, head_dim); a peer that wants another layout, or kv heads repeated, gets it
from `prepare`, which is not timed: the comparison is of kernels, at their best.
"""

from dataclasses import dataclass
from typing import Callable

import torch
import torch.nn.functional as functional
from torch.nn.attention import SDPBackend, sdpa_kernel


def _as_they_are(q, k, v):
    return q, k, v


def _same(o):
    return o


@dataclass
class Peer:
    name: str
    forward: Callable  # (q, k, v as prepared, causal) -> O
    prepare: Callable = _as_they_are  # (q, k, v) -> what forward takes
    to_bhsd: Callable = _same  # O of forward -> (batch, heads, length, head_dim)


BACKENDS = {
    "sdpa_flash": SDPBackend.FLASH_ATTENTION,
    "sdpa_cudnn": SDPBackend.CUDNN_ATTENTION,
    "sdpa_efficient": SDPBackend.EFFICIENT_ATTENTION,
    "sdpa_math": SDPBackend.MATH,
}


def standard_attention(q, k, v, causal):
    """The textbook's three steps, eager: S and P are whole matrices in memory. Differentiable."""
    scores = (q * q.shape[-1] ** -0.5) @ k.transpose(-1, -2)
    if causal:
        q_len, kv_len = scores.shape[-2:]
        hidden = torch.ones(q_len, kv_len, dtype=torch.bool, device=q.device)
        scores = scores.masked_fill(hidden.triu(1 + kv_len - q_len), float("-inf"))
    return torch.softmax(scores, -1) @ v


def sdpa(backend, enable_gqa=False):
    def forward(q, k, v, causal):
        with sdpa_kernel(backend):
            return functional.scaled_dot_product_attention(
                q, k, v, is_causal=causal, enable_gqa=enable_gqa
            )

    return forward


def _repeat_kv_heads(q, k, v):
    group = q.shape[1] // k.shape[1]
    return q, k.repeat_interleave(group, 1), v.repeat_interleave(group, 1)


def _pack_group(q, k, v):
    """q_len = 1: the q heads of one kv head become the query rows of one head."""
    batch, q_heads, _, head_dim = q.shape
    return q.reshape(batch, k.shape[1], q_heads // k.shape[1], head_dim), k, v


def _unpack_group(o):
    return o.reshape(o.shape[0], -1, 1, o.shape[-1])


def _bshd(q, k, v):
    return tuple(x.transpose(1, 2).contiguous() for x in (q, k, v))


def _bshd_repeated(q, k, v):
    return _bshd(*_repeat_kv_heads(q, k, v))


def _from_bshd(o):
    return (o[0] if isinstance(o, tuple) else o).transpose(1, 2)


def _optional(name, make, missing):
    """[make()], or [] with the reason noted in `missing`."""
    try:
        return [make()]
    except Exception as error:  # an import can fail in any way
        missing[name] = f"{type(error).__name__}: {str(error)[:160]}"
        return []


def _triton_peer():
    from peers import triton_fa2

    return Peer("triton_fa2", triton_fa2.attention)


def _xformers_peer(prepare):
    import xformers.ops as ops

    def forward(q, k, v, causal):
        bias = ops.LowerTriangularMask() if causal else None
        return ops.memory_efficient_attention(q, k, v, attn_bias=bias)

    return Peer("xformers", forward, prepare, _from_bshd)


def _flash_attn_peer():
    from flash_attn import flash_attn_func

    return Peer(
        "flash_attn", lambda q, k, v, c: flash_attn_func(q, k, v, causal=c), _bshd, _from_bshd
    )


def _fa3_peer():
    from flash_attn_interface import flash_attn_func

    return Peer(
        "flash_attn_3", lambda q, k, v, c: flash_attn_func(q, k, v, causal=c), _bshd, _from_bshd
    )


def library_peers(library, algorithms):
    """Ours, one for each algorithm name; [] without a library."""
    if library is None:
        return []

    def forward_with(algorithm):
        return lambda q, k, v, causal: library.attention(q, k, v, causal, algorithm)

    return [Peer(f"flashscope_{name}", forward_with(name)) for name in algorithms]


def forward_peers(missing):
    """Peers for full-length attention, kv heads = q heads."""
    peers = [Peer(name, sdpa(backend)) for name, backend in BACKENDS.items()]
    peers += _optional("triton_fa2", _triton_peer, missing)
    peers += _optional("xformers", lambda: _xformers_peer(_bshd), missing)
    peers += _optional("flash_attn", _flash_attn_peer, missing)
    peers += _optional("flash_attn_3", _fa3_peer, missing)
    peers.append(Peer("standard", standard_attention))
    return peers


def decode_peers(missing):
    """Peers for q_len = 1 with grouped heads: by enable_gqa, by kv heads repeated beforehand, and
    by packing each group into the rows of one head, which is the best that SDPA can be given."""
    peers = [Peer(f"{name}_gqa", sdpa(backend, True)) for name, backend in BACKENDS.items()]
    for name, backend in BACKENDS.items():
        if name != "sdpa_math":
            peers.append(Peer(f"{name}_repeated", sdpa(backend), _repeat_kv_heads))
            peers.append(Peer(f"{name}_packed", sdpa(backend), _pack_group, _unpack_group))
    peers += _optional("xformers", lambda: _xformers_peer(_bshd_repeated), missing)
    peers += _optional("flash_attn", _flash_attn_peer, missing)
    peers += _optional("flash_attn_3", _fa3_peer, missing)
    return peers
