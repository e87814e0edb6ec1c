"""How a peer is checked, timed and weighed on a CUDA device.

Checked first, on sampled rows, against fp64; a peer that is wrong is not timed. Timed with CUDA
events, L2 flushed before every call, in rounds whose order rotates: a chip at its power limit
favours whoever runs first after a pause. Host time is hidden behind the flush where a call is one
or two kernels; an eager chain of many small kernels pays for its launches, as it does in use.
"""

import statistics

import torch

SAMPLED_ROWS = 64
WARM_UPS = 2


class Flusher:
    """Reads a buffer twice L2's size, so that L2 holds nothing of the call's and nothing that must
    still be written back. At least 1 GiB, so that the device is still busy with it when the host
    has queued the call that is timed."""

    def __init__(self):
        l2_bytes = getattr(torch.cuda.get_device_properties(0), "L2_cache_size", 64 << 20)
        words = max(2 * l2_bytes, 1 << 30) // 8
        self._buffer = torch.zeros(words, dtype=torch.int64, device="cuda")

    def flush(self):
        self._buffer.max()


def time_in_rounds(calls, flusher, rounds, repeats):
    """calls: name -> callable. Returns name -> sorted list of rounds * repeats milliseconds."""
    times = {name: [] for name in calls}
    names = list(calls)
    for turn in range(rounds):
        start = turn % max(1, len(names))
        for name in names[start:] + names[:start]:
            for _ in range(WARM_UPS):
                calls[name]()
            pairs = []
            for _ in range(repeats):
                flusher.flush()
                begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
                begin.record()
                calls[name]()
                end.record()
                pairs.append((begin, end))
            torch.cuda.synchronize()
            times[name] += [begin.elapsed_time(end) for begin, end in pairs]
    return {name: sorted(values) for name, values in times.items()}


def copy_bytes_per_second(flusher):
    """Of a 4 GiB device-to-device copy, bytes read and written both counted."""
    source = torch.empty(4 << 30, dtype=torch.uint8, device="cuda")
    target = torch.empty_like(source)
    times = time_in_rounds({"copy": lambda: target.copy_(source)}, flusher, 3, 5)["copy"]
    return 2 * source.numel() / (statistics.median(times) / 1e3)


class Reference:
    """fp64 attention for sampled rows of the first and the last head, and the error that is
    acceptable there: twice that of a standard attention which rounds S and P to the dtype, plus
    the rounding of O itself."""

    def __init__(self, q, k, v, causal):
        q_len, kv_len = q.shape[2], k.shape[2]
        count = min(q_len, SAMPLED_ROWS)
        rows = torch.linspace(0, q_len - 1, count, device=q.device).round().long()
        self._samples = []
        self.tolerance = 0.0
        for batch, head in {(0, 0), (q.shape[0] - 1, q.shape[1] - 1)}:
            kv_head = head // (q.shape[1] // k.shape[1])
            keys, values = k[batch, kv_head].double(), v[batch, kv_head].double()
            scores = q[batch, head, rows].double() @ keys.T * q.shape[-1] ** -0.5
            if causal:  # aligned bottom-right
                key = torch.arange(kv_len, device=q.device)
                hidden = key[None, :] > rows[:, None] + kv_len - q_len
                scores = scores.masked_fill(hidden, float("-inf"))
            exact = torch.softmax(scores, -1) @ values
            rounded_p = torch.softmax(scores.to(q.dtype).double(), -1).to(q.dtype).double()
            standard_error = (rounded_p @ values - exact).abs().max().item()
            rounding = exact.abs().max().item() * torch.finfo(q.dtype).eps
            self.tolerance = max(self.tolerance, 2 * standard_error + rounding)
            self._samples.append((batch, head, rows, exact))

    def max_abs_error(self, o):
        """NaN when O holds one there."""
        errors = [
            (o[batch, head, rows].double() - exact).abs().max()
            for batch, head, rows, exact in self._samples
        ]
        return torch.stack(errors).max().item()


def peak_bytes(call):
    """What the call takes beyond its inputs: its output, its workspace, everything in between."""
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    result = call()
    torch.cuda.synchronize()
    peak = torch.cuda.max_memory_allocated() - before
    del result
    return peak
