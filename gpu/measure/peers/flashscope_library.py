"""FlashScope's kernels from Python: ctypes over the C ABI of libflashscope_gpu.so.

Tensors are PyTorch's, on the device, (batch, heads, length, head_dim) with head_dim contiguous.
The structure below mirrors struct flashscope_attention of gpu/launch/flashscope_gpu.h.
"""

import ctypes

import torch

ALGORITHMS = {"auto": 0, "standard": 1, "fa1": 2, "fa2": 3, "split_kv": 4}
DTYPES = {torch.float16: 0, torch.bfloat16: 1}
ERROR_BYTES = 512


class AttentionCall(ctypes.Structure):
    """Strides are in elements, for (batch, head, row); 0 tiles and splits: the library chooses."""

    _fields_ = [
        ("struct_bytes", ctypes.c_uint32),
        ("dtype", ctypes.c_int32),
        *[(name, ctypes.c_void_p) for name in ("q", "k", "v", "o", "lse")],
        *[
            (name, ctypes.c_int64)
            for name in ("batch", "q_heads", "kv_heads", "q_len", "kv_len", "head_dim")
        ],
        *[(name, ctypes.c_int64 * 3) for name in ("q_stride", "k_stride", "v_stride", "o_stride")],
        ("scale", ctypes.c_float),
        *[(name, ctypes.c_int32) for name in ("causal", "window_left", "window_right")],
        *[(name, ctypes.c_int32) for name in ("algorithm", "q_tile", "kv_tile", "splits")],
        ("stream", ctypes.c_void_p),
        ("workspace", ctypes.c_void_p),
        ("workspace_bytes", ctypes.c_uint64),
    ]


class FlashScopeLibrary:
    """Raises OSError when it does not load, RuntimeError with its line when a call fails."""

    def __init__(self, path):
        self._library = ctypes.CDLL(path)

    def attention(self, q, k, v, causal, algorithm="auto"):
        """O, like q; queued on PyTorch's current stream."""
        o = torch.empty_like(q)
        call = AttentionCall(struct_bytes=ctypes.sizeof(AttentionCall), dtype=DTYPES[q.dtype])
        for name, tensor in (("q", q), ("k", k), ("v", v), ("o", o)):
            setattr(call, name, tensor.data_ptr())
            setattr(call, name + "_stride", (ctypes.c_int64 * 3)(*tensor.stride()[:3]))
        call.batch, call.q_heads, call.q_len, call.head_dim = q.shape
        call.kv_heads, call.kv_len = k.shape[1:3]
        call.scale = q.shape[-1] ** -0.5
        call.causal = causal
        call.window_left = call.window_right = -1
        call.algorithm = ALGORITHMS[algorithm]
        call.stream = torch.cuda.current_stream().cuda_stream
        # PyTorch's memory, so that its statistics see the workspace; it is free for later work of
        # this stream as soon as it goes out of scope here.
        size = ctypes.c_uint64(0)
        self._check("flashscope_attention_workspace_bytes", call, ctypes.byref(size))
        workspace = torch.empty(size.value, dtype=torch.uint8, device=q.device)
        call.workspace, call.workspace_bytes = workspace.data_ptr() or None, size.value
        self._check("flashscope_attention_forward", call)
        return o

    def _check(self, function, call, *more):
        error = ctypes.create_string_buffer(ERROR_BYTES)
        if getattr(self._library, function)(
            ctypes.byref(call), *more, error, ctypes.c_size_t(ERROR_BYTES)
        ):
            raise RuntimeError(error.value.decode(errors="replace"))
