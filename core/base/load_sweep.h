#pragma once

#include <cstddef>
#include <vector>

#include "core/base/quantity.h"

namespace hw {

/// Bytes that come and go over a row of places, such as the steps of a schedule. O(1) for each that
/// comes and goes, O(places) for what there is.
class LoadSweep {
 public:
  explicit LoadSweep(std::size_t places) : changes_(places + 1) {}

  /// They are there from `begin` to before `end`, which is at most the number of places.
  void add(std::size_t begin, std::size_t end, Bytes bytes) {
    changes_[begin] += bytes;
    changes_[end] -= bytes;
  }

  /// Calls `visit(place, bytes)` for all places in their order.
  template <class Visit>
  void eachPlace(Visit visit) const {
    Bytes load;
    for (std::size_t place = 0; place + 1 < changes_.size(); ++place) {
      visit(place, load += changes_[place]);
    }
  }

  struct Most {
    Bytes bytes{};
    std::size_t place = 0;  ///< The first that has so many.
  };
  Most most() const {
    Most most;
    eachPlace([&](std::size_t place, Bytes bytes) {
      if (bytes > most.bytes) most = {bytes, place};
    });
    return most;
  }

 private:
  std::vector<Bytes> changes_;
};

}  // namespace hw
