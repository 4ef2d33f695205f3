#pragma once

#include <algorithm>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>

#include "core/base/result.h"

namespace hw {

/// Values by their keys, each made when it is first asked for and kept for who asks again. May be
/// asked by many threads: who needs what another one is making waits for it. Where all together
/// weigh too much, the one that has not been asked for the longest time is forgotten.
template <class Value>
class MadeOnce {
 public:
  /// `weigh` says what a value counts, of `most` for all.
  MadeOnce(std::size_t most, std::size_t (*weigh)(const Value& value))
      : most_(most), weigh_(weigh) {}

  /// The value that `make` made the first time. Failures are not kept.
  Result<std::shared_ptr<const Value>> get(const std::string& key,
                                           const std::function<Result<Value>()>& make) {
    const std::shared_ptr<Entry> entry = entryOf(key);
    const std::lock_guard lock(entry->mutex);
    if (entry->value) return entry->value;
    HW_TRY(made, make());
    entry->value = std::make_shared<const Value>(std::move(made));
    settle(key, weigh_(*entry->value));
    return entry->value;
  }

 private:
  struct Entry {
    std::mutex mutex{};  ///< Held by who makes it.
    std::shared_ptr<const Value> value{};
  };
  struct Named {
    std::string key{};
    std::shared_ptr<Entry> entry{};
    std::size_t weight = 0;  ///< 0 until it is made.
  };

  std::shared_ptr<Entry> entryOf(const std::string& key) {
    const std::lock_guard lock(mutex_);
    const auto known = std::ranges::find(entries_, key, &Named::key);
    if (known == entries_.end()) {
      entries_.push_front({key, std::make_shared<Entry>()});
    } else {
      entries_.splice(entries_.begin(), entries_, known);
    }
    return entries_.front().entry;
  }

  void settle(const std::string& key, std::size_t weight) {
    const std::lock_guard lock(mutex_);
    std::size_t all = 0;
    for (auto each = entries_.begin(); each != entries_.end();) {
      if (each->key == key) each->weight = weight;
      all += each->weight;
      each = all > most_ && each != entries_.begin() ? entries_.erase(each) : std::next(each);
    }
  }

  std::size_t most_;
  std::size_t (*weigh_)(const Value& value);
  std::mutex mutex_;
  std::list<Named> entries_;  ///< The last one asked for first.
};

}  // namespace hw
