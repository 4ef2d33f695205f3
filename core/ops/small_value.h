#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/graph/dtype.h"
#include "core/graph/graph.h"

namespace hw {

/// The elements of a small tensor known ahead of time, such as the target of a Reshape. Integers
/// and booleans are in `integers`, floating point numbers in `reals`; the other one is empty.
struct SmallValue {
  /// More elements than this are not followed: shapes are shorter.
  static constexpr std::int64_t kMostElements = 4096;

  Dtype dtype = Dtype::int64;
  Shape shape{};
  std::vector<std::int64_t> integers{};
  std::vector<double> reals{};

  std::size_t size() const { return isReal() ? reals.size() : integers.size(); }
  bool isReal() const;

  /// The element at `index` as a real number, whatever its type.
  double real(std::size_t index) const {
    return isReal() ? reals[index] : static_cast<double>(integers[index]);
  }

  /// A value of `newShape` whose elements are those at `from`, in that order.
  SmallValue pick(const std::vector<std::size_t>& from, Shape newShape) const;

  /// The only element of a scalar or one-element list of integers.
  std::optional<std::int64_t> single() const;
};

/// A list of integers, one-dimensional.
SmallValue integerList(std::vector<std::int64_t> integers);

/// True when a tensor of `shape` is small enough to be followed.
bool isSmall(const Shape& shape);

/// `value` as a number of the given floating point type would hold it.
double roundedTo(Dtype dtype, double value);

}  // namespace hw
