"""Plots of compare_pytorch.py's rows, as the FlashAttention papers draw them: bars over the length,
one group per length, one colour per peer. Needs matplotlib; without it says so and draws nothing.
"""

import os

# Okabe and Ito's palette: told apart with any kind of colour vision.
COLOURS = [
    "#0072B2",
    "#E69F00",
    "#009E73",
    "#CC79A7",
    "#56B4E9",
    "#D55E00",
    "#F0E442",
    "#999999",
    "#000000",
]


def _grouped_bars(axes, lengths, series, label_of):
    width = 0.84 / max(1, len(series))
    for index, (name, values) in enumerate(series.items()):
        colour = COLOURS[index % len(COLOURS)]
        hatch = "//" if index >= len(COLOURS) else None
        left = [x - 0.42 + width * (index + 0.5) for x in range(len(lengths))]
        heights = [values.get(length) or 0 for length in lengths]
        axes.bar(
            left,
            heights,
            width,
            label=name,
            color=colour,
            hatch=hatch,
            edgecolor="white",
            linewidth=0.4,
        )
        for x, height in zip(left, heights):
            if height:
                text = f"{height:.0f}" if height >= 10 else f"{height:.2g}"
                axes.text(x, height, text, ha="center", va="bottom", fontsize=6, rotation=90)
    axes.set_xticks(range(len(lengths)), [label_of(length) for length in lengths])
    axes.margins(y=0.12)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(fontsize=8, ncols=3, frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.12))


def _length_label(length):
    return f"{length // 1024}k" if length % 1024 == 0 else str(length)


def _figures(rows):
    """(file name, title, y label, value key, rows) of every plot that the rows allow."""

    def key(row):
        mask = "causal" if row["causal"] else "full"
        return (
            row["mode"],
            row["dtype"],
            row["head_dim"],
            mask,
            row["batch"] if row["mode"] == "decode" else 0,
        )

    for group in dict.fromkeys(key(row) for row in rows if row["mode"] in ("forward", "decode")):
        mode, dtype, head_dim, mask, batch = group
        chosen = [row for row in rows if row["mode"] in ("forward", "decode") and key(row) == group]
        if mode == "forward":
            title = f"Attention forward, {mask}, head_dim {head_dim}, {dtype}"
            stem = f"forward_{dtype}_d{head_dim}_{mask}"
            yield stem, title, "TFLOP/s", "tflops", chosen
            yield stem + "_memory", title + ": memory beyond the inputs", "GiB", "peak_gib", chosen
        else:
            heads = f"{chosen[0]['q_heads']} q heads on {chosen[0]['kv_heads']} kv heads"
            title = f"Decode, q_len 1, batch {batch}, {heads}, {dtype}"
            yield f"decode_{dtype}_b{batch}", title, "GB/s of K and V", "gbps", chosen


def draw(report, folder):
    """Writes an SVG and a PNG per figure into the folder; returns the SVG paths."""
    try:
        import matplotlib
    except ImportError as error:
        print(f"no plots: {error}")
        return []
    matplotlib.use("Agg")
    import matplotlib.pyplot as pyplot

    written = []
    for stem, title, y_label, value, rows in _figures(report["rows"]):
        series = {}
        for row in rows:
            if row.get(value) is not None:
                series.setdefault(row["peer"], {})[row["kv_len"]] = row[value]
        if not series:
            continue
        lengths = sorted({row["kv_len"] for row in rows})
        figure, axes = pyplot.subplots(figsize=(10, 5.6))
        _grouped_bars(axes, lengths, series, _length_label)
        axes.set_title(f"{title}\n{report['device']}, {report['date']}", fontsize=11)
        axes.set_xlabel("sequence length" if rows[0]["mode"] == "forward" else "keys (kv_len)")
        axes.set_ylabel(y_label)
        if value == "peak_gib":
            axes.set_yscale("log")
        figure.savefig(os.path.join(folder, stem + ".svg"), bbox_inches="tight")
        figure.savefig(os.path.join(folder, stem + ".png"), bbox_inches="tight", dpi=110)
        pyplot.close(figure)
        written.append(os.path.join(folder, stem + ".svg"))
    return written
