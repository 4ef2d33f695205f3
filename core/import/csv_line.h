#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace hw {

/// Splits lines of CSV (RFC 4180) into fields, one line after the other: quotes around a field and
/// doubled quotes inside it are taken away, a carriage return at the end too. A quoted field cannot
/// span lines. Copies nothing but quoted fields, so that files of millions of lines are read fast.
class CsvSplitter {
 public:
  /// The fields of `line`, until the next call. They look into `line` where they can.
  Result<void> split(std::string_view line);

  const std::vector<std::string_view>& fields() const { return fields_; }

 private:
  bool takeQuoted(std::string_view& rest);

  std::vector<std::string_view> fields_;
  std::deque<std::string> unquoted_;  ///< Does not move what is in it.
};

}  // namespace hw
