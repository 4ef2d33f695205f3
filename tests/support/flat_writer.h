#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace hw::test {

/// A flatbuffer put together by hand: who writes says where everything lies.
class FlatWriter {
 public:
  template <class T>
  void put(std::size_t at, T value) {
    if (bytes.size() < at + sizeof(value)) bytes.resize(at + sizeof(value));
    std::memcpy(bytes.data() + at, &value, sizeof(value));
  }

  /// A table at `at` of so many bytes, its description before it: where each field is, 0: absent.
  void table(std::size_t at, const std::vector<std::uint16_t>& fields, std::uint16_t size) {
    const std::size_t description = (4 + 2 * fields.size() + 3) / 4 * 4;
    put(at - description, static_cast<std::uint16_t>(4 + 2 * fields.size()));
    put(at - description + 2, size);
    for (std::size_t i = 0; i < fields.size(); ++i) put(at - description + 4 + 2 * i, fields[i]);
    put(at, static_cast<std::int32_t>(description));
  }

  /// What lies at `at` leads to `to`.
  void point(std::size_t at, std::size_t to) { put(at, static_cast<std::uint32_t>(to - at)); }

  /// A list of one table.
  void one(std::size_t at, std::size_t element) {
    put(at, std::uint32_t{1});
    point(at + 4, element);
  }

  void text(std::size_t at, const std::string& words) {
    put(at, static_cast<std::uint32_t>(words.size()));
    for (std::size_t i = 0; i <= words.size(); ++i) {
      put(at + 4 + i, i < words.size() ? words[i] : '\0');
    }
  }

  std::string bytes;
};

}  // namespace hw::test
