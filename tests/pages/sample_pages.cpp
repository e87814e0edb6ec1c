// See sample_pages.h.
#include "tests/pages/sample_pages.h"

#include "viz/pages/page.h"

using namespace flashscope;

SampleWalk sample_walk(const std::string& name, const ProblemOptions& options,
                       const views::WalkOptions& walk) {
  Setup setup = set_up(options, Purpose::compute, "pencil");
  Scenario scenario = setup.make_scenario();
  return {name, std::move(setup), std::move(scenario), walk};
}

std::vector<SampleWalk> sample_walks() {
  std::vector<SampleWalk> walks;
  walks.push_back(sample_walk("pencil", {}));
  for (const char* algorithm : {"fa1", "standard", "split_kv"}) {
    ProblemOptions options;
    options.algorithm = algorithm;
    options.causal = true;
    walks.push_back(sample_walk(algorithm, options));
  }
  ProblemOptions fault;
  fault.fault = "o_not_rescaled";
  walks.push_back(sample_walk("fault", fault));
  // Partial tiles at the end of the rows and of the keys, tiles too large to show whole.
  ProblemOptions large;
  large.q_len = 100;
  large.kv_len = 150;
  large.head_dim = 32;
  large.q_tile = 32;
  large.kv_tile = 64;
  large.causal = true;
  views::WalkOptions last;
  last.work_item = 3;
  walks.push_back(sample_walk("large", large, last));
  // A map of more tiles than are drawn, entered in its middle.
  ProblemOptions wide;
  wide.q_len = 1024;
  wide.head_dim = 16;
  wide.q_tile = 16;
  wide.kv_tile = 16;
  wide.mask = "q>=k && q-k<100 || k<4";
  views::WalkOptions part;
  part.work_item = 40;
  part.rows = {641, 645};
  walks.push_back(sample_walk("wide", wide, part));
  return walks;
}

std::string page_of(const SampleWalk& walk) {
  return pages::walk_page(walk.scenario, walk.program(), walk.options,
                          "flashscope walk --mask 'q<k & \"x\"' </code><script>bad()</script>");
}

const char* const kSampleLesson = R"lesson(# Title with <script>bad()</script> & "quotes"

```toml
[lesson]
minutes = 7
about = "About <b>bold</b> things & more."
needs = [1]
given = ["17"]
```

Prose with `code <i>`, **strong <script>bad()</script>**, *emphasis* and [a link](https://example.org/a?b=1&c="x").
A [bad link](javascript:bad()) and an [inner one](other.md). <script>bad()</script> <img src=x onerror=bad()>

- first
  - below <u>it</u>
- second

1. one
2. two

> quoted

| a | b <s> |
|---|--:|
| `x` | 1 |

```
code & <pre>
```

#### A heading that skips levels

## The first tile

```toml
[scenario]
name = "pencil"
problem = "pencil"
algorithm = "fa2"
q-tile = 2
kv-tile = 2
```

```toml
[stop]
title = "The <em>first</em> tile"
tile = [0, 0]
walk = "step"
rows = [0]
print = ["m[0]", "l[0]"]
tile-panel = "S"
```

```toml
[stop]
title = "The maximum moves"
tile = [0, 1]
after = "alpha = exp(m - m_new)"
walk = "since"
print = ["alpha"]
```

```toml
[stop]
title = "Beginning"
op = 0
walk = "none"
```

```toml
[quiz]
question = "What is `l` of row 0 <after> this tile?"
at = { tile = [0, 1], after = "l = alpha * l" }
answer = "l[0]"
wrong = [
  { value = "1.368 + 1.368", why = "The old sum still counts in <units> of e^1." },
  { value = "2" },
]
why = "alpha * 1.368 + 1.368, which is **1.553**."
```

What follows the first question.

```toml
[quiz]
question = "Does the rescale cost bytes?"
options = [
  { text = "No: O stays on chip.", holds = "here.load_bytes > 0" },
  { text = "Yes: O is <loaded> again.", holds = "here.load_bytes == 0", why = "That is FlashAttention-1." },
]
```

## Figures

```toml
[scenarios]
naive = { q-len = 256, head-dim = 32, algorithm = "standard", q-tile = 32, kv-tile = 32 }
flash = { q-len = 256, head-dim = 32, algorithm = "fa2", q-tile = 32, kv-tile = 32, causal = true }
```

```toml
[figure]
title = "Bytes <&> more"
kind = "bars"
unit = "bytes"
bars = [ { label = "standard <1>", value = "naive.total_bytes" }, { label = "fa2", value = "flash.total_bytes" } ]
```

```toml
[figure]
title = "Over lengths"
kind = "bars"
unit = "bytes"
series = [ { label = "standard", value = "naive.total_bytes" }, { label = "fa2", value = "flash.total_bytes" } ]
sweep = "q-len"
values = [128, 256, 512]
log = true
```

```toml
[figure]
title = "m and l"
kind = "steps"
series = [ { label = "m", value = "row(0).m" }, { label = "l", value = "row(0).l" } ]
```

```toml
[figure]
title = "Tiles"
kind = "tiles"
of = "flash"
```

```toml
[figure]
title = "Budget"
kind = "budget"
of = "flash"
```

```toml
[figure]
title = "The loop"
kind = "table"
from = "for kv_tile"
to = "m = m_new"
```

```toml
[figure]
title = "The kernel's sum"
kind = "kernel"
of = "flash"
line = "l = alpha * l"
```

## Try next

```toml
[task]
text = "Make the loads half as large. Only the <tiling> may change."
until = "here.load_bytes < 81"
hint = "Which of the two tile sizes occurs in the formula?"
why = "K and V are loaded once for each q tile."
solution = { q-tile = 4 }
```

## Sources

Dao et al.

## For the teacher

Ten minutes. <script>bad()</script>
)lesson";

lessons::Lesson sample_lesson() { return lessons::parse_lesson(kSampleLesson, "sample.md"); }
