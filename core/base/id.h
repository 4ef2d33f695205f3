#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <utility>
#include <vector>

namespace hw {

/// A typed index. A TensorId cannot be used where a BufferId is wanted. A default one means "none".
template <class Tag>
class Id {
 public:
  constexpr Id() = default;
  constexpr explicit Id(std::size_t index) : index_(static_cast<std::uint32_t>(index)) {}

  constexpr std::size_t index() const { return index_; }
  constexpr explicit operator bool() const { return index_ != kNone; }

  friend constexpr auto operator<=>(Id, Id) = default;

 private:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t index_ = kNone;
};

using OpId = Id<struct OpTag>;
using TensorId = Id<struct TensorTag>;
using BufferId = Id<struct BufferTag>;
using StayId = Id<struct StayTag>;
using PoolId = Id<struct PoolTag>;
using RegionId = Id<struct RegionTag>;

/// The ids [0, count), to loop over: `for (StayId id : stays.keys())`.
template <class Key>
class IdRange {
 public:
  class Iterator {
   public:
    using value_type = Key;
    using difference_type = std::ptrdiff_t;
    constexpr Iterator() = default;
    constexpr explicit Iterator(std::size_t at) : at_(at) {}
    constexpr Key operator*() const { return Key(at_); }
    constexpr Iterator& operator++() {
      ++at_;
      return *this;
    }
    constexpr Iterator operator++(int) { return Iterator(at_++); }
    friend constexpr bool operator==(Iterator, Iterator) = default;

   private:
    std::size_t at_ = 0;
  };

  constexpr explicit IdRange(std::size_t count) : count_(count) {}
  constexpr Iterator begin() const { return Iterator(0); }
  constexpr Iterator end() const { return Iterator(count_); }
  constexpr std::size_t size() const { return count_; }

  /// The same ids as a vector, for those who want to sort them.
  std::vector<Key> toVector() const { return std::vector<Key>(begin(), end()); }

 private:
  std::size_t count_;
};

/// A dense vector that can only be indexed by its own kind of Id.
template <class Key, class Value>
class IdMap {
 public:
  IdMap() = default;
  explicit IdMap(std::size_t size, Value value = {}) : values_(size, std::move(value)) {}
  IdMap(std::initializer_list<Value> values) : values_(values) {}

  Key add(Value value) {
    values_.push_back(std::move(value));
    return Key(values_.size() - 1);
  }

  decltype(auto) operator[](Key key) { return values_[key.index()]; }
  decltype(auto) operator[](Key key) const { return values_[key.index()]; }

  std::size_t size() const { return values_.size(); }
  bool empty() const { return values_.empty(); }
  void reserve(std::size_t size) { values_.reserve(size); }
  void resize(std::size_t size) { values_.resize(size); }
  bool contains(Key key) const { return key.index() < values_.size(); }
  auto begin() const { return values_.begin(); }
  auto end() const { return values_.end(); }
  auto begin() { return values_.begin(); }
  auto end() { return values_.end(); }

  IdRange<Key> keys() const { return IdRange<Key>(values_.size()); }

  friend bool operator==(const IdMap&, const IdMap&) = default;

 private:
  std::vector<Value> values_;
};

}  // namespace hw
