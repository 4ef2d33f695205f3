#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace hw::test::tfl {

/// Refusal of a file: what is wrong with it. It never leaves the interpreter's functions.
struct Refusal : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Table of a flatbuffer, read where it lies. Every read is checked against the end of the file
/// and throws a Refusal. The file outlives its tables.
class Table {
 public:
  using Bytes = std::span<const std::byte>;

  Table(Bytes file, std::size_t at);

  /// Root table of a file.
  static Table root(Bytes file);

  bool has(int field) const { return place(field).has_value(); }

  /// Number in a field, `standard` where the field is left out.
  template <class T>
  T number(int field, T standard) const {
    const auto at = place(field);
    return at ? read<T>(*at) : standard;
  }

  std::optional<Table> table(int field) const;

  /// Tables of a list; none where the field is left out.
  std::vector<Table> tables(int field) const;

  /// Numbers of a list; none where the field is left out.
  template <class T>
  std::vector<T> numbers(int field) const {
    const Bytes stored = list(field, sizeof(T));
    std::vector<T> copied(stored.size() / sizeof(T));
    if (!copied.empty()) std::memcpy(copied.data(), stored.data(), stored.size());
    return copied;
  }

  /// Bytes of a list of bytes, in the file.
  Bytes bytes(int field) const { return list(field, 1); }

  std::string text(int field) const;

 private:
  template <class T>
  T read(std::size_t at) const {
    if (at > file_.size() || file_.size() - at < sizeof(T)) {
      throw Refusal("the flatbuffer ends before byte " + std::to_string(at + sizeof(T)));
    }
    T value;
    std::memcpy(&value, file_.data() + at, sizeof(T));
    return value;
  }

  std::optional<std::size_t> place(int field) const;
  std::size_t target(std::size_t at) const { return at + read<std::uint32_t>(at); }
  Bytes list(int field, std::size_t width) const;

  Bytes file_;
  std::size_t at_ = 0;
  std::size_t fields_ = 0;  ///< Where the list of field places lies.
  std::size_t count_ = 0;   ///< So many fields it knows.
};

}  // namespace hw::test::tfl
