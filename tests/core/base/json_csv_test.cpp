#include <catch2/catch.hpp>

#include "core/base/csv.h"
#include "core/base/json.h"

using namespace hw;

TEST_CASE("a JSON document has a line for every key and every row", "[json]") {
  const Json document = {{"format", "x"},
                         {"empty", Json::array()},
                         {"list", {1, 2}},
                         {"rows", Json::array({{{"b", 1}, {"a", nullptr}}, {{"b", 2}}})}};
  CHECK(jsonDocument(document) ==
        "{\n"
        "  \"format\": \"x\",\n"
        "  \"empty\": [],\n"
        "  \"list\": [1,2],\n"
        "  \"rows\": [\n"
        "    {\"b\":1,\"a\":null},\n"
        "    {\"b\":2}\n"
        "  ]\n"
        "}\n");
}

TEST_CASE("JSON text is valid whatever the names are", "[json]") {
  const std::string text = jsonLine(Json{{"a\xff\n", "\x1b[31m\xc3"}});
  CHECK(text == "{\"a\xEF\xBF\xBD\\n\":\"\\u001b[31m\xEF\xBF\xBD\"}");
  CHECK(parseJson(text).has_value());
}

TEST_CASE("JSON that does not parse says where", "[json]") {
  const auto result = parseJson("{\n  \"a\": 1,\n  \"b\": }\n");
  REQUIRE_FALSE(result);
  CHECK(result.error().where == "line 3, column 8");
  CHECK(result.error().message.starts_with("not valid JSON: "));
  CHECK_FALSE(parseJson(""));
  CHECK_FALSE(parseJson("\xff"));
  CHECK_FALSE(parseJson("{} {}"));
}

TEST_CASE("JSON nested beyond reason is refused", "[json]") {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  CHECK(parseJson(nested(60)));
  CHECK(parseJson(nested(100'000)).error().message == "JSON nested more than 64 levels deep");
}

TEST_CASE("a CSV field survives the way there and back", "[csv]") {
  const std::string field = GENERATE("plain", "", "a,b", "say \"hi\"", "two\nlines", " blank ",
                                     "\"", "a\r", "na\xc3\xafve");
  const auto lines = csvLines("first," + csvField(field) + "\nlast,1\n");
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].fields == std::vector<std::string>{"first", field});
  CHECK(lines[1].fields == std::vector<std::string>{"last", "1"});
}

TEST_CASE("CSV lines are numbered as an editor shows them", "[csv]") {
  const auto lines = csvLines("\xEF\xBB\xBFid,size\r\n\r\n\"a\nb\",4\r\nc,5");
  REQUIRE(lines.size() == 3);
  CHECK(lines[0].fields == std::vector<std::string>{"id", "size"});
  CHECK(lines[0].number == 1);
  CHECK(lines[1].fields == std::vector<std::string>{"a\nb", "4"});
  CHECK(lines[1].number == 3);
  CHECK(lines[2].number == 5);
}

TEST_CASE("a trailing comma is an empty field, an unclosed quote an error", "[csv]") {
  CHECK(csvLines("a,")[0].fields == std::vector<std::string>{"a", ""});
  CsvReader unclosed("x\n\"a,b\nc");
  CHECK(unclosed.next() == true);
  const auto second = unclosed.next();
  REQUIRE_FALSE(second);
  CHECK(second.error().text() == "a quote is not closed (line 2)");
  CHECK(csvLines("").empty());
}
