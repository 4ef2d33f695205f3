#include "core/report/text/text_table.h"

#include <catch2/catch.hpp>

using namespace hw;
using namespace hw::literals;

TEST_CASE("tables line up, whatever the letters cost in bytes", "[text_table]") {
  TextTable table({{"name"}, {"bytes", TextTable::Align::right}, {"note"}});
  table.add({"x", "1,024", "first"});
  table.add({"na\xc3\xafve", "7"});
  CHECK(table.text({}) ==
        "  name   bytes  note\n"
        "  x      1,024  first\n"
        "  na\xc3\xafve      7\n");
}

TEST_CASE("a table without titles has no title line", "[text_table]") {
  TextTable table({{""}, {""}});
  table.add({"a", "b"});
  CHECK(table.text({}) == "  a  b\n");
}

TEST_CASE("paint appears only when it is on", "[text_table]") {
  TextTable table({{"name"}});
  table.add({"x"}, TextTable::Emphasis::good);
  CHECK(table.text({}) == "  name\n  x\n");
  CHECK(table.text({.on = true}) == "\x1b[1m  name\x1b[0m\n\x1b[32m  x\x1b[0m\n");
}

TEST_CASE("long names keep both ends and never break a letter", "[text_table]") {
  CHECK(cellName("short", 8) == "short");
  CHECK(cellName("model/block_12/conv/output", 11) == "model…utput");
  CHECK(cellName("\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4", 5) ==
        "\xc3\xa4\xc3\xa4…\xc3\xa4\xc3\xa4");
  CHECK(cellName("a\x1b[31m", 40) == "a\\x1b[31m");
}

TEST_CASE("bytes are exact, and readable when they are many", "[text_table]") {
  CHECK(bytesText(30_B) == "30 B");
  CHECK(bytesText(Bytes(3'211'264)) == "3,211,264 B (3.06 MiB)");
  CHECK(countText(1, "tensor") == "1 tensor");
  CHECK(countText(2000, "tensor") == "2,000 tensors");
}
