#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"

namespace hw {

/// A value of a pickle: numbers and words by value, all else by number.
struct PickleValue {
  enum class Kind : std::uint8_t {
    nothing,  ///< None.
    truth,    ///< `number` is 0 or 1.
    whole,
    real,  ///< A float, or a whole number beyond 64 bits. Its value is not kept.
    text,  ///< `size` bytes of the file from byte `number`.
    list,  ///< Lists and tuples: `number` names them to `Pickle`.
    dict,
    record,  ///< What a fold put in place of a list or dict: `size` and `number` are the fold's.
  };
  Kind kind = Kind::nothing;
  std::uint32_t size = 0;
  std::int64_t number = 0;
};

/// Puts something smaller in place of lists and dicts while a pickle is read, so that a file of a
/// gigabyte never becomes as many objects.
class PickleFold {
 public:
  using Entry = std::pair<PickleValue, PickleValue>;
  virtual ~PickleFold() = default;
  /// A dict that has just got `entries`, all it has so far. What is returned takes its place.
  virtual std::optional<PickleValue> dict(std::span<const Entry> entries) = 0;
  /// A list that has just got `items`: `before` is the record that it was, or nothing where these
  /// are its first. Nothing: it stays a list.
  virtual std::optional<PickleValue> list(std::optional<PickleValue> before,
                                          std::span<const PickleValue> items) = 0;
};

/// A pickle of plain data, protocols 2 to 5. A pickle is a program; of its instructions only those
/// are known that put together numbers, words, lists, tuples and dicts. Whatever would name or call
/// anything is refused, so nothing in it ever runs.
class Pickle {
 public:
  /// `bytes` outlive it. Refuses (core/base/refusal.h) with the place, by bytes.
  Pickle(std::string_view bytes, PickleFold& fold);

  /// The value of the whole pickle.
  PickleValue whole() const { return whole_; }
  /// Of a list or tuple; empty for all else.
  std::span<const PickleValue> items(const PickleValue& list) const;
  /// Of a dict; empty for all else.
  std::span<const PickleFold::Entry> entries(const PickleValue& dict) const;
  /// The bytes of a text; empty for all else.
  std::string_view text(const PickleValue& value) const { return textOf(bytes_, value); }
  static std::string_view textOf(std::string_view bytes, const PickleValue& value);

 private:
  class Machine;
  std::string_view bytes_;
  PickleValue whole_;
  /// Lists and dicts, by number: what they were folded into, or where they are in those below;
  /// negative: still empty.
  std::vector<PickleValue> slots_;
  std::vector<std::vector<PickleValue>> lists_;
  std::vector<std::vector<PickleFold::Entry>> dicts_;
};

/// True if `bytes` begin as pickles of protocols 2 to 5 do.
bool looksLikePickle(std::string_view bytes);

}  // namespace hw
