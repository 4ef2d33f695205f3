#include "core/report/op_document.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <iterator>

namespace hw {

// HIGHWATER_UPDATE_GOLDEN=1 writes the page anew.
TEST_CASE("docs/formats/ops.md is the op table", "[report][ops]") {
  const std::string path = std::string(HIGHWATER_SOURCE_DIR) + "/docs/formats/ops.md";
  if (std::getenv("HIGHWATER_UPDATE_GOLDEN") != nullptr) std::ofstream(path) << opDocument();
  std::ifstream file(path);
  const std::string page((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  CHECK(page == opDocument());
}

}  // namespace hw
