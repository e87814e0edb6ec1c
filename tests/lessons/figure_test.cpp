// Figures as data: the numbers, and the text for those who can't see them.
#include "lessons/engine/figure.h"

#include <string>

#include <doctest/doctest.h>

namespace flashscope::lessons {
namespace {

const std::string kOpening = R"md(# A lesson

```toml
[lesson]
minutes = 1
about = "Test."
```

```toml
[scenario]
name = "pencil"
problem = "pencil"
algorithm = "fa2"
```

```toml
[scenarios]
naive = { q-len = 1024, q-tile = 64, kv-tile = 64, algorithm = "standard" }
flash = { q-len = 1024, q-tile = 64, kv-tile = 64, algorithm = "fa2" }
causal = { q-len = 8, q-tile = 2, kv-tile = 2, causal = true }
wide = { q-len = 4096, q-tile = 16, kv-tile = 16 }
edited = { problem = "pencil", edit = [ { line = "l = alpha * l", to = "l = l + rowsum P" } ] }
fa1 = { problem = "pencil", algorithm = "fa1" }
)md";

Figure figure(const std::string& toml, const std::string& before = "") {
  const Lesson lesson = parse_lesson(
      kOpening + "```\n" + before + "\n```toml\n[figure]\ntitle = \"T\"\n" + toml + "\n```\n",
      "test.md");
  Stage stage(lesson);
  stage.enter(lesson.blocks.size() - 1);
  return make_figure(std::get<FigureBlock>(lesson.blocks.back()), stage);
}

std::string why(const std::string& toml) {
  try {
    figure(toml);
  } catch (const LessonError& error) {
    CHECK(std::string(error.what()).starts_with("test.md:"));
    return error.reason();
  }
  return "nothing is wrong";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("bars are the values of their expressions") {
  const Figure it = figure(
      "kind = \"bars\"\nunit = \"bytes\"\nbars = [ { label = \"standard\", value = "
      "\"naive.total_bytes\" }, { label = \"fa2\", value = \"flash.total_bytes\" } ]");
  CHECK(it.labels == std::vector<std::string>{"standard", "fa2"});
  REQUIRE(it.values.size() == 1);
  // fa2: Q and O once, K and V for each of 16 q tiles, LSE.
  const double n = 1024, d = 64;
  CHECK(it.values[0][1] == n * d * 2 * 2 + 16 * 2 * n * d * 2 + n * 4);
  CHECK(it.values[0][0] > it.values[0][1]);
  CHECK(it.texts[0][1] == "4.461 MB");
  CHECK(contains(it.alt, "fa2 4.461 MB"));
}

TEST_CASE("a sweep gives every series a value for each value of the option") {
  const Figure it = figure(
      "kind = \"bars\"\nsweep = \"q-len\"\nvalues = [1024, 2048, 4096]\nlog = true\n"
      "series = [ { label = \"fa2\", value = \"flash.matmul_flops\" },"
      "{ label = \"tiles\", value = \"flash.full_tiles\" } ]");
  CHECK(it.labels == std::vector<std::string>{"1024", "2048", "4096"});
  CHECK(it.series == std::vector<std::string>{"fa2", "tiles"});
  REQUIRE(it.values.size() == 2);
  CHECK(it.logarithmic);
  for (std::size_t n = 0; n < 3; ++n) {
    const double length = 1024.0 * std::pow(2.0, n);
    CHECK(it.values[0][n] == 4 * 64 * length * length);
    CHECK(it.values[1][n] == length / 64 * length / 64);
  }
  CHECK(contains(it.alt, "tiles 256, 1,024, 4,096"));
}

TEST_CASE("steps are looked at behind each kv tile, whatever runs next") {
  for (const std::string name : {"pencil", "fa1"}) {
    CAPTURE(name);
    const Figure it = figure(
        "kind = \"steps\"\nseries = [ { label = \"m\", value = \"row(0).m\" },"
        "{ label = \"l\", value = \"l[0]\" } ]",
        "\n```toml\n[scenario]\nname = \"" + name + "\"\n```\n");
    CHECK(it.labels == std::vector<std::string>{"keys 0-1", "keys 2-3"});
    CHECK(it.values[0] == std::vector<double>{1, 3});
    CHECK(it.values[1][0] == doctest::Approx(1.3679).epsilon(1e-4));
    CHECK(it.values[1][1] == doctest::Approx(1.5530).epsilon(1e-4));
    CHECK(it.texts[1][1] == "1.553");
  }
  const Figure other = figure(
      "kind = \"steps\"\nq-tile = 1\nseries = [ { label = \"b\", value = \"load_bytes\" } ]");
  // Q tile 1's Q is loaded behind q tile 0: 16 + 64, 16, then K and V twice.
  CHECK(other.values[0] == std::vector<double>{80 + 16 + 32, 80 + 16 + 64});
}

TEST_CASE("a tile map is the mask's") {
  const Figure it = figure("kind = \"tiles\"\nof = \"causal\"");
  REQUIRE(it.tiles.size() == 4);
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j < 4; ++j) {
      CHECK(it.tiles[i][j] == (j < i    ? TileClass::full
                               : j == i ? TileClass::partial
                                        : TileClass::empty));
    }
  }
  CHECK(contains(it.alt, "4 x 4 tiles, 6 full, 4 partial, 6 empty"));
  CHECK(contains(it.alt, "q tile 1: full partial empty empty."));
}

TEST_CASE("a budget lists what lies in shared memory, under its limit") {
  const Figure it = figure("kind = \"budget\"\nof = \"flash\"");
  CHECK(it.labels == std::vector<std::string>{"Q", "K x 2", "V x 2"});
  CHECK(it.values[0] == std::vector<double>{8192, 16384, 16384});
  CHECK(it.texts[0][1] == "16 KiB");
  CHECK(it.limit == 163 * 1024);
  CHECK(contains(it.alt, "40 KiB of 163 KiB in all"));
  CHECK(contains(it.alt, "It fits."));
}

TEST_CASE("a table's lines have their numbers, and changed ones are marked") {
  const Figure whole = figure("kind = \"table\"");
  CHECK(whole.code.front().number == 1);
  CHECK(whole.code.back().text == "  store LSE");
  const Figure part =
      figure("kind = \"table\"\nof = \"edited\"\nfrom = \"for kv_tile\"\nto = \"m = m_new\"");
  CHECK(part.code.front().text == "  for kv_tile");
  CHECK(part.code.back().text == "    m = m_new");
  int marked = 0;
  for (const Figure::CodeLine& line : part.code) {
    if (!line.marked) continue;
    ++marked;
    CHECK(line.text == "    l = l + rowsum P");
    CHECK(contains(part.alt, "Line " + std::to_string(line.number) + " is changed"));
  }
  CHECK(marked == 1);
  for (const Figure::CodeLine& line : whole.code) CHECK(!line.marked);
}

TEST_CASE("a kernel figure names the kernel and the line of its table") {
  const Figure it = figure("kind = \"kernel\"\nof = \"flash\"\nline = \"O = alpha\"");
  CHECK(it.kernel == "fa2");
  CHECK(it.kernel_line == "O = alpha * O");
  CHECK(it.code.empty());
}

TEST_CASE("what can't be drawn is refused with its line") {
  CHECK(contains(why("kind = \"bars\"\nbars = [ { label = \"x\", value = \"naive.bytes\" } ]"),
                 "no fact 'bytes'"));
  CHECK(contains(why("kind = \"bars\"\nbars = [ { label = \"x\", value = \"1 / 0\" } ]"), "inf"));
  CHECK(contains(why("kind = \"bars\"\nlog = true\nbars = [ { label = \"x\", value = \"0\" } ]"),
                 "above 0"));
  CHECK(contains(why("kind = \"bars\"\nsweep = \"q-len\"\nvalues = [4, 8]\n"
                     "series = [ { label = \"x\", value = \"pencil.ops\" } ]"),
                 "with q-len = 8"));
  CHECK(contains(why("kind = \"tiles\"\nof = \"wide\""), "256 x 256 tiles are more than 64 x 64"));
  CHECK(contains(why("kind = \"tiles\"\nof = \"wode\""), "did you mean 'wide'"));
  CHECK(contains(why("kind = \"tiles\"\nhead = 1"), "head 1"));
  CHECK(contains(why("kind = \"steps\"\nq-tile = 2\nseries = [ { label = \"x\", value = \"i\" } ]"),
                 "q tiles 0 to 1"));
  CHECK(contains(why("kind = \"table\"\nfrom = \"store O\"\nto = \"load Q\""), "stands before"));
  CHECK(contains(why("kind = \"kernel\"\nline = \"nonsense\""), "no line of the table"));
  std::string many;
  for (int n = 1; n <= 33; ++n) many += std::to_string(n) + ",";
  CHECK(contains(why("kind = \"bars\"\nsweep = \"kv-tile\"\nvalues = [" + many +
                     "]\nseries = [ { label = \"x\", value = \"pencil.ops\" },"
                     "{ label = \"y\", value = \"flash.ops\" } ]"),
                 "66 bars are more than 64"));
}

}  // namespace flashscope::lessons
