#include "tests/support/tflite/flatbuffer.h"

namespace hw::test::tfl {

Table::Table(Bytes file, std::size_t at) : file_(file), at_(at) {
  const auto back = read<std::int32_t>(at);
  fields_ = static_cast<std::size_t>(static_cast<std::int64_t>(at) - back);
  const auto size = read<std::uint16_t>(fields_);
  count_ = size < 4 ? 0 : (size - 4U) / 2;
}

Table Table::root(Bytes file) {
  std::uint32_t at = 0;
  if (file.size() < 8) throw Refusal("not a flatbuffer: it has less than 8 bytes");
  std::memcpy(&at, file.data(), sizeof at);
  return {file, at};
}

std::optional<std::size_t> Table::place(int field) const {
  const auto index = static_cast<std::size_t>(field);
  if (index >= count_) return std::nullopt;
  const auto inside = read<std::uint16_t>(fields_ + 4 + 2 * index);
  if (inside == 0) return std::nullopt;
  return at_ + inside;
}

std::optional<Table> Table::table(int field) const {
  const auto at = place(field);
  if (!at) return std::nullopt;
  return Table(file_, target(*at));
}

std::vector<Table> Table::tables(int field) const {
  std::vector<Table> all;
  const auto at = place(field);
  if (!at) return all;
  const std::size_t start = target(*at);
  const auto count = read<std::uint32_t>(start);
  for (std::size_t i = 0; i < count; ++i) all.emplace_back(file_, target(start + 4 + 4 * i));
  return all;
}

Table::Bytes Table::list(int field, std::size_t width) const {
  const auto at = place(field);
  if (!at) return {};
  const std::size_t start = target(*at) + 4;
  const std::size_t size = read<std::uint32_t>(start - 4) * width;
  if (start > file_.size() || file_.size() - start < size) {
    throw Refusal("a list in the flatbuffer passes its end");
  }
  return file_.subspan(start, size);
}

std::string Table::text(int field) const {
  const Bytes stored = bytes(field);
  return {reinterpret_cast<const char*>(stored.data()), stored.size()};
}

}  // namespace hw::test::tfl
