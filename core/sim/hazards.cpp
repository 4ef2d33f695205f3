#include "core/sim/hazards.h"

#include <algorithm>

#include "core/sim/byte_map.h"

namespace hw {
namespace {

/// Activities that touched one stay without another stay's in between: a range of its list.
struct Tenancy {
  StayId stay{};
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  friend bool operator==(const Tenancy&, const Tenancy&) = default;
};

/// The last two tenancies of a byte of a pool. The earlier of them waited for all before it.
struct Tenants {
  Tenancy now{};  ///< Up to the end of its stay's list.
  Tenancy before{};
  friend bool operator==(const Tenants&, const Tenants&) = default;
};

/// The users of a byte of a stay: its last writer, and the readers since.
struct Users {
  ActivityId writer{};
  std::vector<ActivityId> readers{};
  friend bool operator==(const Users&, const Users&) = default;
};

class HazardFinder {
 public:
  explicit HazardFinder(const ActivityList& list)
      : list_(list),
        touched_(list.stays.size()),
        users_(list.stays.size()),
        at_(list.activities.size()) {
    std::size_t pools = 0;
    for (const PlacedStay& stay : list.stays) {
      if (stay.pool) pools = std::max(pools, stay.pool.index() + 1);
    }
    tenants_ = IdMap<PoolId, ByteMap<Tenants>>(pools);
  }

  Waits run() {
    for (const ActivityId id : list_.activities.keys()) {
      const Activity& activity = list_.activities[id];
      found_.clear();
      for (const ActivityId maker : activity.after) add(maker, WaitRule::data);
      for (const Access& access : activity.accesses) find(access);
      std::ranges::sort(found_, {}, &Wait::on);
      for (std::uint32_t i = 0; i < found_.size(); ++i) at_[found_[i].on] = kNowhere;
      waits_.add(found_);
      for (const Access& access : activity.accesses) enter(id, access);
    }
    return std::move(waits_);
  }

 private:
  static constexpr std::uint32_t kNowhere = 0;

  /// `at_` is one more than the index in `found_`.
  void add(ActivityId on, WaitRule rule) {
    if (at_[on] == kNowhere) {
      found_.push_back({on, rule});
      at_[on] = static_cast<std::uint32_t>(found_.size());
    } else {
      WaitRule& known = found_[at_[on] - 1].rule;
      known = std::min(known, rule);
    }
  }

  void add(const Tenancy& tenancy, std::size_t last, StayId stay) {
    if (!tenancy.stay || tenancy.stay == stay) return;
    const auto& list = touched_[tenancy.stay];
    const bool over = list_.stays[stay].over == tenancy.stay;
    for (std::size_t i = tenancy.first; i < last; ++i) {
      add(list[i], over ? WaitRule::inPlace : WaitRule::reuse);
    }
  }

  void find(const Access& access) {
    const PlacedStay& stay = list_.stays[access.stay];
    if (!stay.pool) return;
    // It waits for the input that it is written over even where another stay had the bytes in
    // between.
    if (stay.over && meets(stay, list_.stays[stay.over])) {
      for (const ActivityId id : touched_[stay.over]) add(id, WaitRule::inPlace);
    }
    tenants_[stay.pool].visit(stay.bytes, [&](const Tenants& tenants, const auto&) {
      const auto& [now, before] = tenants;
      if (now.stay) add(now, touched_[now.stay].size(), access.stay);
      add(before, before.last, access.stay);
    });
    users_[access.stay].visit(access.bytes, [&](const Users& users, const auto&) {
      const WaitRule rule = access.write ? WaitRule::inPlace : WaitRule::data;
      if (users.writer) add(users.writer, rule);
      if (!access.write) return;
      for (const ActivityId reader : users.readers) add(reader, rule);
    });
  }

  static bool meets(const PlacedStay& a, const PlacedStay& b) {
    return a.pool == b.pool && a.bytes.overlaps(b.bytes);
  }

  void enter(ActivityId id, const Access& access) {
    const PlacedStay& stay = list_.stays[access.stay];
    if (!stay.pool) return;
    auto& list = touched_[access.stay];
    if (list.empty() || list.back() != id) list.push_back(id);
    const auto index = static_cast<std::uint32_t>(list.size() - 1);
    tenants_[stay.pool].visit(stay.bytes, [&](Tenants& tenants, const auto&) {
      auto& [now, before] = tenants;
      if (now.stay == access.stay) return;
      before = now;
      if (now.stay) before.last = static_cast<std::uint32_t>(touched_[now.stay].size());
      now = {access.stay, index, 0};
    });
    users_[access.stay].visit(access.bytes, [&](Users& users, const auto&) {
      if (access.write)
        users = {id, {}};
      else if (users.readers.empty() || users.readers.back() != id)
        users.readers.push_back(id);
    });
  }

  const ActivityList& list_;
  IdMap<StayId, std::vector<ActivityId>> touched_;
  IdMap<StayId, ByteMap<Users>> users_;
  IdMap<PoolId, ByteMap<Tenants>> tenants_;
  std::vector<Wait> found_;
  IdMap<ActivityId, std::uint32_t> at_;
  Waits waits_;
};

}  // namespace

Waits Waits::without(WaitRule rule) const {
  Waits fewer;
  for (std::size_t i = 0; i + 1 < first_.size(); ++i) {
    for (const Wait& wait : of(ActivityId(i))) {
      if (wait.rule != rule) fewer.waits_.push_back(wait);
    }
    fewer.first_.push_back(fewer.waits_.size());
  }
  return fewer;
}

Waits hazardsOf(const ActivityList& list) { return HazardFinder(list).run(); }

}  // namespace hw
