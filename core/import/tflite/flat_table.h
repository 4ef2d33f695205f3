#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "core/base/result.h"

namespace hw {

/// The bytes of a flatbuffer and how much of them may still be looked at.
///
/// Two tables may share a part, which costs nothing in the file and the whole part whenever it is
/// copied. `spend` keeps a small file from becoming a large model that way.
class FlatBytes {
 public:
  explicit FlatBytes(std::string_view bytes);

  std::string_view all() const { return bytes_; }

  /// A little-endian number at `at`. Throws Refusal when it lies outside.
  template <class T>
  T number(std::size_t at, const char* what) const {
    static_assert(std::is_arithmetic_v<T>);
    need(at, sizeof(T), what);
    T value{};
    std::memcpy(&value, bytes_.data() + at, sizeof(T));
    return value;
  }

  /// Throws Refusal unless [at, at + size) lies inside.
  void need(std::size_t at, std::size_t size, const char* what) const;

  /// Throws Refusal unless `at` is a multiple of `alignment`, as every writer makes it.
  void needAligned(std::size_t at, std::size_t alignment, const char* what) const;

  /// Counts `bytes` of memory about to be used; throws Refusal when a file of this size has no
  /// business asking for so much.
  void spend(std::size_t bytes) const;

 private:
  std::string_view bytes_;
  mutable std::size_t budget_;
};

template <class T>
class FlatVector;

/// One table of a flatbuffer: fields by number, each with a default for when it is absent.
///
///   table:   [ i32 to vtable ] [ inline fields ... ]
///   vtable:  [ u16 its bytes ] [ u16 the table's bytes ] [ u16 where field n is, 0: absent ] ...
///
/// Nothing is verified ahead: each access checks what it touches, so what is never asked for costs
/// nothing, and a payload of gigabytes is not looked at. Throws Refusal.
class FlatTable {
 public:
  /// The table that the offset at the front of the file leads to.
  static FlatTable root(const FlatBytes& bytes);

  template <class T>
  T number(int field, T fallback) const {
    const std::size_t at = place(field, sizeof(T));
    return at == 0 ? fallback : bytes_->number<T>(at, what_);
  }
  std::optional<FlatTable> table(int field, const char* what) const;
  /// Empty when absent. The name of a thing: longer ones are cut at 4 KiB.
  std::string text(int field) const;
  /// Empty when absent.
  template <class T>
  FlatVector<T> vector(int field) const;

 private:
  template <class T>
  friend class FlatVector;

  FlatTable(const FlatBytes& bytes, std::size_t at, const char* what);
  /// The place of a field's inline bytes in the file; 0 when it is absent.
  std::size_t place(int field, std::size_t size) const;
  /// The target of the offset stored in a field; 0 when the field is absent.
  std::size_t target(int field) const;

  const FlatBytes* bytes_;
  std::size_t at_;
  std::size_t vtable_ = 0;
  std::size_t vtableSize_ = 0;
  std::size_t tableSize_ = 0;
  const char* what_;
};

/// A vector of numbers, or, with T = FlatTable, of tables.
template <class T>
class FlatVector {
 public:
  FlatVector() = default;
  FlatVector(const FlatBytes& bytes, std::size_t at, const char* what)
      : bytes_(&bytes), what_(what) {
    bytes.needAligned(at, sizeof(std::uint32_t), what);
    size_ = bytes.number<std::uint32_t>(at, what);
    first_ = at + sizeof(std::uint32_t);
    bytes.need(first_, size_ * sizeof(Stored), what);
  }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  /// Throws Refusal when `index` is outside.
  T at(std::size_t index, const char* what = nullptr) const {
    if (what == nullptr) what = what_;
    if constexpr (std::is_same_v<T, FlatTable>) {
      const std::size_t slot = first_ + index * 4;
      return FlatTable(*bytes_, slot + bytes_->number<std::uint32_t>(slot, what), what);
    } else {
      return bytes_->number<T>(first_ + index * sizeof(T), what);
    }
  }

  /// The bytes of a vector of bytes, in place.
  std::string_view bytes() const {
    return bytes_ == nullptr ? std::string_view() : bytes_->all().substr(first_, size_);
  }

 private:
  using Stored = std::conditional_t<std::is_same_v<T, FlatTable>, std::uint32_t, T>;

  const FlatBytes* bytes_ = nullptr;
  std::size_t first_ = 0;
  std::size_t size_ = 0;
  const char* what_ = "";
};

template <class T>
FlatVector<T> FlatTable::vector(int field) const {
  const std::size_t at = target(field);
  return at == 0 ? FlatVector<T>() : FlatVector<T>(*bytes_, at, what_);
}

}  // namespace hw
