"""How compare_pytorch.py tells what it measured: a block of lines for each problem, one ratio at
the end."""

import math
import sys


def one_line(error):
    return f"{type(error).__name__}: {' '.join(str(error).split())[:160]}"


def print_rows(title, rows, value, unit, share_of=None):
    """rows: of one problem, peer -> row. value: the key of its throughput, in `unit`; beside it
    stands its share of share_of (a copy's bandwidth), or of the best peer's."""
    print(title)
    best = max((row[value] for row in rows.values() if row[value]), default=0)
    for name, row in rows.items():
        if row["failed"]:
            print(f"  {name:24} {row['failed']}")
            continue
        share = (
            f"{row[value] / share_of:6.1%} of copy"
            if share_of
            else f"{row[value] / best:6.1%} of best"
        )
        print(
            f"  {name:24} {row['us']:10.1f} us ({row['us_min']:.1f}–{row['us_max']:.1f})"
            f" {row[value]:8.1f} {unit} {share}  {row['peak_gib']:8.3f} GiB"
            f"  error {row['max_abs_error']:.1e}"
        )
    sys.stdout.flush()


def print_ratio(rows, mode, value):
    """The best of ours over the best peer's, by problem."""
    problems = {}
    for row in rows:
        if row["mode"] == mode and row.get(value):
            key = tuple(row[name] for name in ("dtype", "batch", "kv_len", "head_dim", "causal"))
            problems.setdefault(key, {})[row["peer"]] = row[value]
    ratios = []
    for values in problems.values():
        ours = max((x for name, x in values.items() if name.startswith("flashscope_")), default=0)
        best = max(
            (x for name, x in values.items() if not name.startswith("flashscope_")), default=0
        )
        if ours and best:
            ratios.append(ours / best)
    if ratios:
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        print(
            f"{mode}: our best / best peer over {len(ratios)} problems: geometric mean {mean:.3f}, "
            f"from {min(ratios):.3f} to {max(ratios):.3f}"
        )
