#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/allocators/params.h"
#include "core/graph/graph.h"
#include "core/plan/problem.h"

namespace hw {

/// A planning problem that was made by a rule: one unbounded pool, alignment 1, no gaps.
struct GeneratedProblem {
  Problem problem{};
  /// The size of the pool that it was cut from, which it certainly fits; nothing: not known.
  std::optional<Bytes> fits{};
};

/// A kind of problems or graphs, of any number, size and seed. The same parameters give the same
/// result everywhere. `highwater generate`, the tests and the benchmarks draw from this table.
struct FamilyInfo {
  std::string_view name;
  std::string_view summary;
  std::span<const ParamSpec> params{};
  /// One of the two. Either fails where parameters contradict each other.
  Result<GeneratedProblem> (*problem)(const Params&) = nullptr;
  Result<Graph> (*graph)(const Params&) = nullptr;
};

std::span<const FamilyInfo> familyCatalog();

/// A family with its parameters: "guillotine:buffers=300,out=5".
struct FamilyChoice {
  const FamilyInfo* info = nullptr;
  Params params{};

  /// Errors name the closest family or parameter there is.
  static Result<FamilyChoice> parse(std::string_view text);
  /// The text that `parse` turns into this choice again.
  std::string text() const;
  /// Every family has one.
  std::uint64_t seed() const;
};

/// A problem of the family that `text` names: it has to exist, make problems, and not fail.
GeneratedProblem generateProblem(std::string_view text);

/// In what order the rows of a problem come.
enum class RowOrder : std::uint8_t { given, reversed, shuffled };

/// The same problem told in other words: buffers in another order, or time running backwards. Its
/// optimum stays what it was.
struct Retelling {
  RowOrder rows = RowOrder::given;
  bool backwards = false;
  std::uint64_t seed = 1;  ///< Of a shuffle.
};
/// `problem` has stays, alignments, pins and gaps; uses and permissions, which name stays by id and
/// mean a direction of time, are left out.
Problem retold(const Problem& problem, const Retelling& how);

}  // namespace hw
