"""FlashAttention-2's forward pass (Dao 2023, Algorithm 1) in Triton: what a reader of the paper
would write in fifty lines, as a yardstick for hand-written CUDA.

For square problems only: q_len = kv_len, a multiple of 128, kv heads = q heads, contiguous.
"""

import torch
import triton
import triton.language as tl

LENGTH_MULTIPLE = 128  # of every tile size below, so that no tile has a tail


def _config(q_tile, kv_tile, warps, stages):
    return triton.Config({"Q_TILE": q_tile, "KV_TILE": kv_tile}, num_warps=warps, num_stages=stages)


@triton.jit
def _visit(
    j,
    q,
    k_base,
    v_base,
    m,
    l,
    acc,
    rows,
    columns,
    scale_log2,
    HEAD_DIM: tl.constexpr,
    KV_TILE: tl.constexpr,
    MASKED: tl.constexpr,
):
    """One kv tile beginning at key j: the online softmax, in base 2."""
    keys = j + tl.arange(0, KV_TILE)
    k = tl.load(k_base + keys[None, :] * HEAD_DIM + columns[:, None])  # (HEAD_DIM, KV_TILE)
    scores = tl.dot(q, k) * scale_log2
    if MASKED:
        scores = tl.where(keys[None, :] <= rows[:, None], scores, float("-inf"))
    m_new = tl.maximum(m, tl.max(scores, 1))
    p = tl.exp2(scores - m_new[:, None])
    alpha = tl.exp2(m - m_new)
    l = alpha * l + tl.sum(p, 1)
    v = tl.load(v_base + keys[:, None] * HEAD_DIM + columns[None, :])  # (KV_TILE, HEAD_DIM)
    acc = tl.dot(p.to(v.dtype), v, acc * alpha[:, None])
    return m_new, l, acc


@triton.autotune(
    configs=[
        _config(128, 64, 4, 2),
        _config(128, 64, 4, 3),
        _config(128, 64, 8, 3),
        _config(128, 32, 4, 3),
        _config(128, 128, 8, 2),
        _config(128, 128, 8, 3),
        _config(64, 64, 4, 3),
    ],
    key=["HEAD_DIM", "CAUSAL"],
)
@triton.jit
def _forward(
    q_pointer,
    k_pointer,
    v_pointer,
    o_pointer,
    scale_log2,
    length,
    HEAD_DIM: tl.constexpr,
    CAUSAL: tl.constexpr,
    Q_TILE: tl.constexpr,
    KV_TILE: tl.constexpr,
):
    q_tile = tl.program_id(0)
    if CAUSAL:  # the longest work items first
        q_tile = tl.num_programs(0) - 1 - q_tile
    base = tl.program_id(1).to(tl.int64) * length * HEAD_DIM
    first_row = q_tile * Q_TILE
    rows = first_row + tl.arange(0, Q_TILE)
    columns = tl.arange(0, HEAD_DIM)
    q = tl.load(q_pointer + base + rows[:, None] * HEAD_DIM + columns[None, :])
    m = tl.full([Q_TILE], float("-inf"), tl.float32)
    l = tl.zeros([Q_TILE], tl.float32)
    acc = tl.zeros([Q_TILE, HEAD_DIM], tl.float32)

    full_end = first_row // KV_TILE * KV_TILE if CAUSAL else length
    for j in range(0, full_end, KV_TILE):
        m, l, acc = _visit(
            j,
            q,
            k_pointer + base,
            v_pointer + base,
            m,
            l,
            acc,
            rows,
            columns,
            scale_log2,
            HEAD_DIM,
            KV_TILE,
            False,
        )
    if CAUSAL:
        for j in range(full_end, first_row + Q_TILE, KV_TILE):
            m, l, acc = _visit(
                j,
                q,
                k_pointer + base,
                v_pointer + base,
                m,
                l,
                acc,
                rows,
                columns,
                scale_log2,
                HEAD_DIM,
                KV_TILE,
                True,
            )
    tl.store(
        o_pointer + base + rows[:, None] * HEAD_DIM + columns[None, :],
        (acc / l[:, None]).to(o_pointer.dtype.element_ty),
    )


def attention(q, k, v, causal):
    """O, like q. Raises ValueError for a problem this kernel was not written for."""
    batch, heads, length, head_dim = q.shape
    if k.shape != q.shape or v.shape != q.shape or length % LENGTH_MULTIPLE != 0:
        raise ValueError(
            f"triton_fa2 takes q_len = kv_len, a multiple of {LENGTH_MULTIPLE}, no GQA"
        )
    o = torch.empty_like(q)
    scale_log2 = head_dim**-0.5 * 1.4426950408889634

    def grid(meta):
        return (triton.cdiv(length, meta["Q_TILE"]), batch * heads)

    _forward[grid](q, k, v, o, scale_log2, length, head_dim, causal)
    return o
