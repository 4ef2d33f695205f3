#pragma once

#include <array>
#include <cstddef>
#include <vector>

namespace hw {

/// A list of a few values, the first four of which need no memory of their own. Values are plain
/// and are only added.
template <class Value>
class SmallList {
 public:
  void push_back(const Value& value) {  // NOLINT(readability-identifier-naming): as std::vector.
    if (size_ < few_.size()) {
      few_[size_] = value;
    } else {
      if (size_ == few_.size()) many_.assign(few_.begin(), few_.end());
      many_.push_back(value);
    }
    ++size_;
  }

  const Value* begin() const { return size_ <= few_.size() ? few_.data() : many_.data(); }
  const Value* end() const { return begin() + size_; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const Value& operator[](std::size_t place) const { return begin()[place]; }

 private:
  std::array<Value, 4> few_{};
  std::vector<Value> many_{};  ///< All of them, where they are more.
  std::size_t size_ = 0;
};

}  // namespace hw
