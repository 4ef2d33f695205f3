// What a file asks for: it is planned so unless whoever opens it says otherwise.

#include "core/import/importer.h"
#include "core/run/options.h"
#include "tests/support/must.h"
#include "tests/support/printers.h"

using namespace hw;

namespace {

Result<Model> imported(const std::string& bytes) { return importModel(bytes, "file", {}); }

std::string jsonWith(const std::string& options) {
  return R"({"format": "highwater-graph", "version": 1, "options": )" + options +
         R"(, "tensors": [{"name": "x", "bytes": 4}, {"name": "y", "bytes": 4}],
              "inputs": ["x"], "outputs": ["y"],
              "ops": [{"type": "Relu", "inputs": ["x"], "outputs": ["y"]}]})";
}

}  // namespace

TEST_CASE("a problem and a graph carry allocator, parameters and memory sizes",
          "[import][options]") {
  const std::string csv =
      "id,lower,upper,size,allocator,l2\n"
      "a,0,2,16,\"free-list:threshold=4KiB\",16KiB\nb,1,3,8,,\n";
  const std::string json = jsonWith(R"({"allocator": "free-list:threshold=4KiB", "l2": "16KiB"})");
  for (const std::string& bytes : {csv, json}) {
    const auto model = test::must(imported(bytes));
    const auto request = test::must(asDrawn(model, {}, defaultRequest(), "--"));
    CHECK(request.allocator.text() == "free-list:threshold=4KiB");
    CHECK(request.l2.bytes == Bytes(16 * 1024));
    const auto said = test::must(asDrawn(model, {{"l2", {"1KiB"}}}, defaultRequest(), "--"));
    CHECK(said.l2.bytes == Bytes(1024));
    CHECK(said.allocator.text() == "free-list:threshold=4KiB");
  }
}

TEST_CASE("a file names no plug-in and no other option", "[import][options]") {
  const auto plugin = imported(jsonWith(R"({"allocator": "plugin:evil.so"})"));
  REQUIRE_FALSE(plugin);
  CHECK(plugin.error().message.find("plug-in") != std::string::npos);
  CHECK(plugin.error().where == "options.allocator");
  CHECK(test::mustFail(
            imported("id,lower,upper,size,allocator\na,0,1,4,partition:allocator=plugin\n"))
            .where == "line 2");
  CHECK(test::mustFail(imported(jsonWith(R"({"threads": "8"})"))).message.find("'threads'") !=
        std::string::npos);
  CHECK_FALSE(imported(jsonWith(R"({"l2": 3})")));
}

TEST_CASE("what a file asks for wrongly is told with its place", "[import][options]") {
  const auto errorOf = [](const std::string& bytes) {
    const auto model = test::must(imported(bytes));
    const auto request = test::mustFail(asDrawn(model, {}, defaultRequest(), "--"));
    CHECK(request.code == ErrorCode::malformed);
    CHECK(request.message.starts_with("file: "));
    return request;
  };
  const Error size = errorOf("# drawn\nid,lower,upper,size,l2\n\na,0,2,16,L3\n");
  CHECK(size.message.find("'L3' is not a size") != std::string::npos);
  CHECK(size.where == "line 4");
  CHECK(errorOf("id,lower,upper,size,align\na,0,2,16,-5\n").where == "line 2");
  CHECK(errorOf("id,lower,upper,size,allocator\na,0,2,16,bset\n").where == "line 2");
  CHECK(errorOf(jsonWith(R"({"l3": "little"})")).where == "options.l3");
  // Who says otherwise is not told of it.
  const auto model = imported("id,lower,upper,size,align\na,0,2,16,-5\n");
  CHECK(asDrawn(*model, {{"align", {"4"}}}, defaultRequest(), "--"));
}
