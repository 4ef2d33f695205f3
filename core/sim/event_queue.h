#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/quantity.h"

namespace hw {

/// The order of events at one instant. Frees precede allocs, else peaks would be false.
enum class Phase : std::uint8_t {
  transferEnd,
  computeEnd,
  free,
  alloc,
  transferIssue,
  computeStart,
};

/// Something that will happen: plain data, ordered by one total key (time, phase, device, entity,
/// sequence), so that a simulation is a pure function of its input. 24 bytes.
class SimEvent {
 public:
  SimEvent() = default;
  SimEvent(SimTime time, Phase phase, std::uint8_t device, std::uint32_t entity)
      : time_(time),
        order_(std::uint64_t{static_cast<std::uint8_t>(phase)} << 40 | std::uint64_t{device} << 32 |
               entity) {}

  SimTime time() const { return time_; }
  Phase phase() const { return static_cast<Phase>(order_ >> 40); }
  std::uint8_t device() const { return static_cast<std::uint8_t>(order_ >> 32); }
  /// The number of the thing that it happens to; its kind decides of which things.
  std::uint32_t entity() const { return static_cast<std::uint32_t>(order_); }

  /// Equality of two times is easy to predict for the processor, the order of two events is
  /// not: so the first is a branch, and the second is worked out without one.
  friend bool operator<(const SimEvent& a, const SimEvent& b) {
    if (a.time_ != b.time_) [[likely]]
      return a.time_ < b.time_;
    return (a.order_ < b.order_) | ((a.order_ == b.order_) & (a.sequence_ < b.sequence_));
  }

 private:
  friend class EventQueue;

  SimTime time_;
  std::uint64_t order_ = 0;  ///< Phase, device and entity, most significant first.
  std::uint64_t sequence_ = 0;
};

/// Pending events, the earliest first: an implicit heap with four children a node, which is half as
/// deep as one with two and keeps siblings in neighbouring cache lines. Push and pop are O(log n);
/// both move a hole instead of swapping.
class EventQueue {
 public:
  bool empty() const { return heap_.empty(); }
  std::size_t size() const { return heap_.size(); }
  void reserve(std::size_t size) { heap_.reserve(size); }

  void push(SimEvent event) {
    event.sequence_ = next_++;
    std::size_t hole = heap_.size();
    heap_.push_back(event);
    while (hole > 0) {
      const std::size_t parent = (hole - 1) / kChildren;
      if (!(event < heap_[parent])) break;
      heap_[hole] = heap_[parent];
      hole = parent;
    }
    heap_[hole] = event;
  }

  /// The earliest event; there has to be one.
  const SimEvent& top() const { return heap_.front(); }

  SimEvent pop() {
    const SimEvent earliest = heap_.front();
    const SimEvent last = heap_.back();
    heap_.pop_back();
    if (!heap_.empty()) sink(last);
    return earliest;
  }

 private:
  static constexpr std::size_t kChildren = 4;

  /// Puts `event` where the root was, and down to its place.
  void sink(const SimEvent& event) {
    SimEvent* const heap = heap_.data();
    const std::size_t size = heap_.size();
    std::size_t hole = 0;
    for (;;) {
      const std::size_t child = hole * kChildren + 1;
      if (child >= size) break;
      std::size_t least = child;
      if (child + kChildren <= size) {
        const std::size_t left = child + (heap[child + 1] < heap[child] ? 1 : 0);
        const std::size_t right = child + (heap[child + 3] < heap[child + 2] ? 3 : 2);
        least = heap[right] < heap[left] ? right : left;
      } else {
        for (std::size_t i = child + 1; i < size; ++i) least = heap[i] < heap[least] ? i : least;
      }
      if (!(heap[least] < event)) break;
      heap[hole] = heap[least];
      hole = least;
    }
    heap[hole] = event;
  }

  std::vector<SimEvent> heap_;
  std::uint64_t next_ = 0;
};

}  // namespace hw
