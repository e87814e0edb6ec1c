// Tables as they are copied.
#include "viz/views/sheet.h"

#include <doctest/doctest.h>

using namespace flashscope;

TEST_CASE("sheets are written so that spreadsheets and Markdown read them back") {
  const views::Sheet sheet{{"name", "value"}, {{"a,b", "say \"1\""}, {"x|y", "-inf"}}};
  CHECK(views::to_csv(sheet) == "name,value\n\"a,b\",\"say \"\"1\"\"\"\nx|y,-inf\n");
  CHECK(views::to_markdown(sheet) ==
        "| name | value |\n| --- | --- |\n| a,b | say \"1\" |\n| x\\|y | -inf |\n");
}
