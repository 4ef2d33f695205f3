#pragma once

#include <catch2/catch.hpp>
#include <type_traits>
#include <utility>

namespace hw::test {

/// The value of a Result or an optional, if it has any. Where there is none the test ends, and says
/// why.
template <class Held>
typename Held::value_type must(Held held) {
  if (!held) {
    if constexpr (requires { held.error().text(); }) {
      FAIL(held.error().text());
    } else if constexpr (requires { held.error(); }) {
      FAIL(held.error());
    } else {
      FAIL("there is no value");
    }
  }
  if constexpr (!std::is_void_v<typename Held::value_type>) return std::move(*held);
}

/// The error of a Result, which must have one.
template <class Held>
auto mustFail(const Held& held) {
  REQUIRE_FALSE(held.has_value());
  return held.error();
}

}  // namespace hw::test
