#include "core/base/check.h"

#include <cstdio>
#include <cstdlib>

namespace hw {

void check(bool condition, std::string_view expectation) {
  if (condition) return;
  std::fprintf(stderr, "highwater: internal error: expected %.*s\n",
               static_cast<int>(expectation.size()), expectation.data());
  std::abort();
}

}  // namespace hw
