#include <fmt/format.h>

#include <array>

#include "core/base/csv.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "core/base/toml.h"
#include "core/files/file.h"
#include "core/machine/foreign/machine_formats.h"
#include "core/machine/platforms.h"
#include "core/study/study.h"
#include "tests/support/must.h"

using namespace hw;

namespace {

std::string repeated(std::string_view piece, std::size_t times) {
  std::string text;
  for (std::size_t i = 0; i < times; ++i) text += piece;
  return text;
}

constexpr DocumentLimits kSmall{"TOML", 1000, 4, 10, 20};

std::string tomlError(std::string_view text) {
  const auto checked = TomlCheck(text, kSmall).run();
  return checked ? "" : checked.error().text();
}

std::string jsonError(std::string_view text) {
  constexpr DocumentLimits kLimits{"JSON", 1000, 4, 10, 20};
  const auto json = parseJson(text, kLimits);
  return json ? "" : json.error().text();
}

std::string csvError(const std::string& text) {
  constexpr DocumentLimits kLimits{"CSV", 1000, 1, 10, 20};
  CsvReader reader(text, kLimits);
  for (;;) {
    const auto more = reader.next();
    if (!more) return more.error().text();
    if (!*more) return "";
  }
}

}  // namespace

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
  const auto result = test::mustFail(parseJson("{\n  \"a\": 1,\n  \"b\": }\n"));
  CHECK(result.where == "line 3, column 8");
  CHECK(result.message.starts_with("not valid JSON: "));
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

TEST_CASE("JSON is read in linear time", "[json]") {
  std::string text = "[";
  for (int i = 0; i < 200'000; ++i) text += R"({"a":1},)";
  CHECK(parseJson(text + "0]")->size() == 200'001);
}

TEST_CASE("long lists are read element by element", "[json]") {
  const std::string text = R"({"n":{"ops":[{"x":[1]},7]},"ops":[{"ops":[1]}],"m":[{"ops":[2]}]})";
  constexpr std::array<std::string_view, 1> kLists = {"ops"};
  const auto document = test::must(parseJson(text, kLists));
  CHECK(document.dump() == R"({"m":[{"ops":[2]}],"n":{"ops":[]},"ops":[]})");
  std::string seen;
  const auto see = [&](const ParsedJson& element, std::size_t index) {
    seen += fmt::format("{}={} ", index, element.dump());
  };
  visitJsonList(text, kLists, {"n.ops", see});
  visitJsonList(text, kLists, {"ops", see});
  CHECK(seen == R"(0={"x":[1]} 1=7 0={"ops":[1]} )");
  CHECK(test::mustFail(parseJson(R"({"ops":[{"a":1},{"a":1,"a":2}]})", kLists))
            .where.starts_with("ops[1]"));
  CHECK_FALSE(parseJson(R"({"ops":[}]})", kLists));
}

TEST_CASE("a CSV field survives the way there and back", "[csv]") {
  const std::string field = GENERATE("plain", "", "a,b", "say \"hi\"", "two\nlines", " blank ",
                                     "\"", "a\r", "na\xc3\xafve", "=1+1", "+a", "-a", "-5", "@x",
                                     "\tx", "\rx", "'=x", "''@x", "'", "'plain", "=\"a\",b");
  const auto lines = csvLines("first," + csvField(field) + "\nlast,1\n");
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].fields == std::vector<std::string>{"first", field});
  CHECK(lines[1].fields == std::vector<std::string>{"last", "1"});
}

TEST_CASE("no field is a formula where a spreadsheet opens it, and numbers stay", "[csv]") {
  CHECK(csvField("=HYPERLINK(x)") == "'=HYPERLINK(x)");
  CHECK(csvField("=1,2") == "\"'=1,2\"");
  for (const char* text : {"+a", "-a", "@a", "\ta", "\ra", "-1e", "'=a"}) {
    CAPTURE(text);
    CHECK(csvLines(csvField(text) + "\n")[0].fields[0] == text);
    const std::string written = csvField(text);
    CHECK(written[written.front() == '"' ? 1 : 0] == '\'');
  }
  for (const char* text : {"-5", "-0.25", "-1e3", "12", "a=b", "'quoted'"}) {
    CHECK(csvField(text) == text);
  }
}

TEST_CASE("marks that change the direction of text are shown as what they are", "[text]") {
  CHECK(printable("a\u202e16") == "a\\u202e16");
  CHECK(printable("\u2066x\u2069\u200f\u061c") == "\\u2066x\\u2069\\u200f\\u061c");
  CHECK(printable("a\u2028b") == "a\\u2028b");
  CHECK(printable("\u05d0\u200d\u4e2d") == "\u05d0\u200d\u4e2d");
  CHECK(printable("\u202e\u202e", 6) == "\\u202e...");
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
  CHECK(test::mustFail(unclosed.next()).text() == "a quote is not closed (line 2)");
  CHECK(csvLines("").empty());
}

TEST_CASE("TOML of many levels is refused wherever they come from", "[limits]") {
  const auto deep = [](std::size_t levels) {
    return std::vector<std::string>{
        "a" + repeated(".a", levels - 1) + " = 1",
        "[a" + repeated(".a", levels - 1) + "]\nb = 1",
        "[[a" + repeated(" . \"a\"", levels - 1) + "]]\nb = 1",
        "a = " + repeated("[", levels - 1) + "1" + repeated("]", levels - 1),
        "a = " + repeated("{a=", levels - 1) + "1" + repeated("}", levels - 1),
        "a.a = {a" + repeated(".a", levels - 3) + " = 1}",
        "[a]\na.a = [{a" + repeated(".a", levels - 5) + "= 1}]",
    };
  };
  for (const std::string& text : deep(5)) {
    CAPTURE(text);
    CHECK(tomlError(text).starts_with("TOML nested more than 4 levels deep (line "));
  }
  // Beyond what any stack takes, as a platform and as a study.
  for (const std::string& text : deep(31'000)) {
    CHECK(parsePlatform(text).error().message == "TOML nested more than 16 levels deep");
    CHECK(parseStudy(text).error().where.starts_with("line "));
  }
}

TEST_CASE("dots, brackets and quotes in TOML that open no level are not counted", "[limits]") {
  for (const char* text :
       {"a = '......'", "a = \"\\\"[[[[[[\"", "a = \"\"\"\n[[[[ \"\"\\\"\"\"\"\"\nb = 1",
        "a = '''\n{{{{{{'''", "# a.b.c.d.e.f [[[[[[\na.b.c = 1.5", "a = [\n1.5, # [[[[[\n2.5]",
        "[a.b]\nc.d = 1\n[a.c]\nc.d = 1979-05-27T07:32:00.999Z", "\"a.b.c.d.e.f\" = 1",
        "'a.b.c.d.e.f'.b = {c = 1, d = 1.5}", "a = 'open\nb = 1"}) {
    CAPTURE(text);
    CHECK(tomlError(text).empty());
  }
}

TEST_CASE("TOML of many bytes, values or long texts is refused", "[limits]") {
  CHECK(tomlError(std::string(1001, ' ')) == "TOML of 1,001 bytes; at most 1,000 are read");
  CHECK(tomlError("a = [" + repeated("1,", 11) + "]") ==
        "TOML with more than 10 values (line 1, column 25)");
  CHECK(tomlError(repeated("a=1\n", 11)).starts_with("TOML with more than 10 values (line 11"));
  for (const std::string text : {"a = '", "a = \"", "a = '''", "a = \"\"\"", ""}) {
    CAPTURE(text);
    CHECK(tomlError("b = 1\n" + text + std::string(30, 'x'))
              .starts_with("TOML with a text of more than 20 bytes (line 2"));
  }
}

TEST_CASE("JSON beyond its limits names the place", "[limits]") {
  CHECK(jsonError(R"({"a": [[1, [2]]]})").empty());
  CHECK(jsonError(R"({"a": [[1, [[]]]]})") == "JSON nested more than 4 levels deep (a[0][1][0])");
  CHECK(jsonError(R"([{"a": 1}, {"b": {"c": {"d": {}}}}])") ==
        "JSON nested more than 4 levels deep ([1].b.c.d)");
  CHECK(jsonError("[" + repeated("1,", 10) + "1]") == "JSON with more than 10 values ([8])");
  CHECK(jsonError(R"({"a": ")" + std::string(21, 'x') + "\"}") ==
        "JSON with a text of more than 20 bytes (a)");
  CHECK(jsonError("{\"" + std::string(21, 'x') + "\": 1}") ==
        "JSON with a text of more than 20 bytes (at the top)");
  CHECK(jsonError(std::string(1001, ' ')) == "JSON of 1,001 bytes; at most 1,000 are read");
}

TEST_CASE("an object of JSON with a key twice is refused", "[limits][json]") {
  CHECK(jsonError(R"({"a": 1, "b": {"a": 1}})").empty());
  CHECK(jsonError(R"({"a": 1, "a": 1})") == "the key 'a' is there twice (at the top)");
  CHECK(jsonError(R"({"a": [{}, {"b": 1, "c": 2, "\u0062": 3}]})") ==
        "the key 'b' is there twice (a[1])");
}

TEST_CASE("CSV beyond its limits names the line", "[limits]") {
  CHECK(csvError("a,b\n" + repeated(",", 9)).empty());
  CHECK(csvError("a,b\n" + repeated(",", 10)) == "CSV with more than 10 values in a line (line 2)");
  CHECK(csvError(std::string(21, 'a')) == "CSV with a text of more than 20 bytes (line 1)");
  CHECK(csvError("\"" + std::string(21, 'a') + "\"") ==
        "CSV with a text of more than 20 bytes (line 1)");
  CHECK(csvError(std::string(1001, '\n')) == "CSV of 1,001 bytes; at most 1,000 are read");
}

TEST_CASE("an INI file beyond its limits names the line", "[limits]") {
  const auto error = [](const std::string& text) { return readVelaIni(text, "").error().text(); };
  CHECK(error("[a]\nb = " + std::string(65'536, 'x')) ==
        "INI with a text of more than 65,536 bytes (line 2)");
  CHECK(error(std::string((std::size_t{16} << 20) + 1, '\n')) ==
        "INI of 16,777,217 bytes; at most 16,777,216 are read");
}

TEST_CASE("the limits that the documents give are those that hold", "[limits]") {
  const auto page = test::must(readFile(HIGHWATER_SOURCE_DIR "/docs/formats/README.md"));
  for (const DocumentLimits& limits :
       {kTomlLimits, kJsonLimits, kCsvLimits, kIniLimits, kYamlLimits}) {
    const auto size = [](std::size_t bytes) {
      return formatBytes(Bytes(static_cast<std::int64_t>(bytes)));
    };
    const std::string row =
        fmt::format("| {} | {} | {} | {} | {} |\n", limits.format, size(limits.bytes),
                    limits.depth > 1 ? std::to_string(limits.depth) : "-",
                    groupDigits(static_cast<std::int64_t>(limits.values)), size(limits.text));
    CAPTURE(row);
    CHECK(page.find(row) != std::string::npos);
  }
}
