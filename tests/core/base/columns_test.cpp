// A table of results is declared once: what is written of it, and how, follows.
#include "core/base/columns.h"

#include <catch2/catch.hpp>

#include "core/report/text/text_table.h"

using namespace hw;

namespace {

struct Place {
  std::string name{};
  Bytes size{};
  std::optional<Step> last{};
};

const Columns<Place> kColumns = {{"tensor", "tensor", ColumnKind::text, &Place::name},
                                 {"size", "bytes", ColumnKind::bytes, &Place::size},
                                 {"last", "last step", ColumnKind::step, &Place::last},
                                 {"share", "share", ColumnKind::ratio,
                                  [](const Place& place) { return place.size.real() / 4096; }}};

}  // namespace

TEST_CASE("rows are written by the declaration of their columns", "[columns]") {
  const Place place{.name = "a,\"b\"", .size = Bytes(2048), .last = {}};
  CHECK(csvHeader(kColumns) == "tensor,size,last,share\n");
  CHECK(csvRow(kColumns, place) == "\"a,\"\"b\"\"\",2048,,0.5\n");
  CHECK(jsonLine(jsonRow(kColumns, place)) ==
        R"({"tensor":"a,\"b\"","size":2048,"last":null,"share":0.5})");
  CHECK(cellTexts(kColumns, place) == std::vector<std::string>{"a,\"b\"", "2,048", "-", "50.0 %"});
}

TEST_CASE("an empty text and an empty optional are no value", "[columns]") {
  CHECK(Value("").isNone());
  CHECK(Value(std::optional<Bytes>()).isNone());
  CHECK(Value().json().is_null());
  CHECK(Value(0).exact() == "0");
  CHECK(Value(false).exact() == "false");
  CHECK(Value(std::int64_t{1} << 60).exact() == "1152921504606846976");
}

TEST_CASE("columns of another row are seen where it has one", "[columns]") {
  struct Owner {
    std::optional<Place> place{};
  };
  const auto seen = columnsVia<Owner>(pick(kColumns, {"last", "tensor"}),
                                      [](const Owner& owner) { return owner.place; });
  CHECK(csvHeader(seen) == "last,tensor\n");
  CHECK(csvRow(seen, Owner{{{.name = "x", .size = Bytes(1), .last = Step(3)}}}) == "3,x\n");
  CHECK(csvRow(seen, Owner{}) == ",\n");
}
