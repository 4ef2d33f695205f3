#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/plan/method_record.h"
#include "core/run/run.h"

namespace hw::stage {

/// The cells of a row by their types, each in its order: what roles speak of.
struct RowCells {
  StayId stay{};
  std::optional<StayPart> part{};  ///< Where the row tells of a part of `stay`.
  std::vector<Bytes> bytes{};
  std::vector<std::int64_t> numbers{};
  std::vector<std::string> texts{};

  explicit RowCells(const MethodRow& row);
  Bytes byte(std::size_t at) const { return at < bytes.size() ? bytes[at] : Bytes(); }
  std::int64_t number(std::size_t at) const { return at < numbers.size() ? numbers[at] : 0; }
};

/// What a chip says: who or what at its left end, the rest at its right.
struct RowWords {
  std::string name{};
  std::string rest{};
};
RowWords wordsOf(const Run& run, const MethodList& list, const MethodRow& row);

/// "1 use", "2 uses".
std::string usesText(std::int64_t uses);

/// A stay's name as it may be printed; "-" for none.
std::string stayWord(const Run& run, StayId stay);

/// The same of whom a row or a tick is about.
std::string stayWord(const Run& run, const RowCells& cells);
std::string stayWord(const Run& run, const MethodTick& tick);

/// How large whom they are about is, and how long it lives; nothing of none.
Bytes sizeOf(const Run& run, StayId stay, const std::optional<StayPart>& part);
Interval<Step> stepsOf(const Run& run, StayId stay, const std::optional<StayPart>& part);

/// Whether the stay is one of the run's: records of parts name only those.
bool isStay(const Run& run, StayId stay);

/// Widens `all` as far as it takes to hold `bytes`, too.
void cover(std::optional<Interval<Bytes>>& all, Interval<Bytes> bytes);

}  // namespace hw::stage
