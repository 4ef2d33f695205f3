#include "tests/support/machine_judge.h"

#include <algorithm>
#include <map>

namespace hw::test {
namespace {

__extension__ using Big = __int128;
constexpr Big kOne = Big{1} << 40;
constexpr Big kPicoseconds = 1'000'000'000'000;

/// a / b, rounded up; b is positive.
Big up(Big a, Big b) { return a / b + (a % b > 0 ? 1 : 0); }

class Judge {
 public:
  explicit Judge(const ActivityList& list) : list_(list), all_(list.activities.size()) {
    for (std::size_t i = 0; i < all_.size(); ++i) {
      prepare(i);
      order(i);
    }
  }

  std::vector<Verdict> run() {
    Big now = 0;
    while (startOne(now)) {
    }
    for (;;) {
      const std::map<std::size_t, Big> speed = speeds();
      Big next = -1;
      std::map<std::size_t, Big> due;
      for (std::size_t i = 0; i < all_.size(); ++i) {
        if (all_[i].phase == Phase::fixed) due[i] = all_[i].flowsAt;
        if (all_[i].phase == Phase::flowing) {
          const Big x = speed.at(i);
          if (x == 0) continue;
          due[i] = now + std::max(Big{1}, up(all_[i].rest * 1024 - x, x * 1024));
        }
        if (due.contains(i) && (next < 0 || due[i] < next)) next = due[i];
      }
      if (next < 0) break;
      for (const auto& [i, x] : speed) all_[i].rest -= (next - now) * x;
      now = next;
      for (const auto& [i, when] : due) {
        if (when == now) pass(i, now);
      }
      while (startOne(now)) {
      }
    }
    return verdicts();
  }

 private:
  enum class Phase { waiting, fixed, flowing, ended };
  struct One {
    Phase phase = Phase::waiting;
    std::map<std::size_t, Big> share{};  ///< By port; engines behind.
    Big length = 0;
    Big pace = kOne;
    Big rest = 0;
    Big flowsAt = 0;
    Big start = 0;
    Big end = 0;
    std::map<std::size_t, WaitRule> waits{};
    std::optional<std::size_t> chain{}, issued{}, queued{};
    std::optional<Cause> cause{};
  };

  const Activity& activity(std::size_t i) const { return list_.activities[ActivityId(i)]; }

  void prepare(std::size_t i) {
    const Activity& a = activity(i);
    std::map<std::size_t, Big> need;
    Big most = 1;
    for (const PortUse& use : a.ports) {
      const Port& port = list_.ports[use.port];
      Big time = 0;
      if (port.read > 0) time += up(Big{use.read.count()} * kPicoseconds, port.read);
      if (port.write > 0) time += up(Big{use.written.count()} * kPicoseconds, port.write);
      if (time > 0) need[use.port] = time;
      most = std::max(most, Big{(use.read + use.written).count()});
    }
    if (a.engine != Activity::kNoEngine && a.kind != ActivityKind::compute) {
      const std::int64_t rate = list_.engines[a.engine].bandwidth;
      const Big time = rate > 0 ? up(Big{a.bytes.count()} * kPicoseconds, rate) : 0;
      if (time > 0) need[1000 + a.engine] = time;
    }
    One& one = all_[i];
    one.length = a.compute.count();
    for (const auto& [port, time] : need) one.length = std::max(one.length, time);
    if (one.length == 0) return;
    for (const auto& [port, time] : need) one.share[port] = up(time * kOne, one.length);
    if (list_.contention == Contention::fair) one.pace = up(most * kOne, one.length);
  }

  static bool common(Interval<Bytes> a, Interval<Bytes> b) {
    return std::max(a.begin, b.begin) < std::min(a.end, b.end);
  }

  /// Every earlier activity, and each pair of what the two touch.
  void order(std::size_t i) {
    One& one = all_[i];
    const auto wait = [&](std::size_t on, WaitRule rule) {
      const auto [at, fresh] = one.waits.try_emplace(on, rule);
      if (!fresh && rule < at->second) at->second = rule;
    };
    for (const ActivityId maker : activity(i).after) wait(maker.index(), WaitRule::data);
    for (std::size_t j = 0; j < i; ++j) {
      for (const Access& x : activity(i).accesses) {
        for (const Access& y : activity(j).accesses) {
          const PlacedStay& mine = list_.stays[x.stay];
          const PlacedStay& other = list_.stays[y.stay];
          if (x.stay == y.stay) {
            if (!common(x.bytes, y.bytes) || !(x.write || y.write)) continue;
            wait(j, y.write && !x.write ? WaitRule::data : WaitRule::inPlace);
          } else if (mine.pool == other.pool && common(mine.bytes, other.bytes)) {
            wait(j, mine.over == y.stay ? WaitRule::inPlace : WaitRule::reuse);
          }
        }
      }
      const auto issue = [&](std::size_t k) { return list_.devices[activity(k).device].issue; };
      if (issue(i) == Issue::sequential && issue(j) == Issue::sequential) one.chain = j;
      if (issue(i) == Issue::inOrder && activity(i).device == activity(j).device) one.issued = j;
      const bool engine = activity(i).engine != Activity::kNoEngine;
      if (engine && activity(i).engine == activity(j).engine) one.queued = j;
    }
  }

  bool hasStarted(std::size_t i) const { return all_[i].phase != Phase::waiting; }
  bool hasEnded(std::size_t i) const { return all_[i].phase == Phase::ended; }

  /// How many of an engine's activities are under way, and which ended, as they did.
  std::size_t running(std::uint32_t engine) const {
    std::size_t count = 0;
    for (std::size_t i = 0; i < all_.size(); ++i) {
      if (activity(i).engine == engine && hasStarted(i) && !hasEnded(i)) ++count;
    }
    return count;
  }

  bool may(std::size_t i) const {
    const One& one = all_[i];
    if (hasStarted(i)) return false;
    for (const auto& [on, rule] : one.waits) {
      if (!hasEnded(on)) return false;
    }
    if (one.chain && !hasEnded(*one.chain)) return false;
    if (one.issued && !hasStarted(*one.issued)) return false;
    if (activity(i).engine == Activity::kNoEngine) return true;
    if (one.queued && !hasStarted(*one.queued)) return false;
    return running(activity(i).engine) < list_.engines[activity(i).engine].channels;
  }

  bool startOne(Big now) {
    for (std::size_t i = 0; i < all_.size(); ++i) {
      if (!may(i)) continue;
      One& one = all_[i];
      one.start = now;
      one.cause = causeOf(i);
      one.flowsAt = now + activity(i).fixed.count();
      one.rest = one.length * kOne;
      one.phase = Phase::fixed;
      if (one.flowsAt == now) pass(i, now);
      return true;
    }
    return false;
  }

  /// The fixed part or the flow is over.
  void pass(std::size_t i, Big now) {
    One& one = all_[i];
    if (one.phase == Phase::fixed && one.length > 0) {
      one.phase = Phase::flowing;
      return;
    }
    one.phase = Phase::ended;
    one.end = now;
    ended_.push_back(i);
  }

  std::optional<Cause> causeOf(std::size_t i) const {
    const One& one = all_[i];
    std::optional<Cause> best;
    Big at = -1;
    const auto offer = [&](Big time, WaitRule rule, std::size_t on) {
      const Cause cause{rule, ActivityId(on)};
      const bool better = !best || time > at ||
                          (time == at && (rule < best->rule ||
                                          (rule == best->rule && cause.activity > best->activity)));
      if (!better) return;
      best = cause;
      at = time;
    };
    for (const auto& [on, rule] : one.waits) offer(all_[on].end, rule, on);
    if (one.chain) offer(all_[*one.chain].end, WaitRule::sequence, *one.chain);
    if (one.issued) offer(all_[*one.issued].start, WaitRule::order, *one.issued);
    if (!one.queued) return best;
    offer(all_[*one.queued].start, WaitRule::order, *one.queued);
    const Engine& engine = list_.engines[activity(i).engine];
    std::vector<std::size_t> done;
    for (const std::size_t j : ended_) {
      if (activity(j).engine == activity(i).engine) done.push_back(j);
    }
    const std::size_t before = running(activity(i).engine) + done.size();
    if (before < engine.channels) return best;
    const std::size_t on = done[before - engine.channels];
    offer(all_[on].end, engine.dma ? WaitRule::channel : WaitRule::unit, on);
    return best;
  }

  /// Each takes what those before it leave.
  std::map<std::size_t, Big> speedsInOrder(const std::vector<std::size_t>& flowing) const {
    std::map<std::size_t, Big> left;
    std::map<std::size_t, Big> speed;
    for (const std::size_t i : flowing) {
      Big own = kOne;
      for (const auto& [port, share] : all_[i].share) {
        own = std::min(own, left.try_emplace(port, kOne * kOne).first->second / share);
      }
      speed[i] = own;
      for (const auto& [port, share] : all_[i].share) left[port] -= own * share;
    }
    return speed;
  }

  /// Progressive filling among what flows.
  std::map<std::size_t, Big> speeds() const {
    std::map<std::size_t, Big> speed;
    std::vector<std::size_t> rising;
    for (std::size_t i = 0; i < all_.size(); ++i) {
      if (all_[i].phase == Phase::flowing) rising.push_back(i);
    }
    if (list_.contention == Contention::inOrder) return speedsInOrder(rising);
    while (!rising.empty()) {
      if (list_.contention == Contention::none) {
        for (const std::size_t i : rising) speed[i] = kOne;
        break;
      }
      std::map<std::size_t, Big> slope;
      std::map<std::size_t, Big> level;
      for (const std::size_t i : rising) {
        for (const auto& [port, share] : all_[i].share) {
          slope[port] += up(share * kOne, all_[i].pace);
        }
      }
      Big least = all_[rising.front()].pace;
      for (const std::size_t i : rising) least = std::min(least, all_[i].pace);
      for (const auto& [port, sum] : slope) {
        Big left = kOne * kOne;
        for (const auto& [j, x] : speed) {
          if (all_[j].share.contains(port)) left -= x * all_[j].share.at(port);
        }
        level[port] = left / sum;
        least = std::min(least, level[port]);
      }
      std::vector<std::size_t> on;
      for (const std::size_t i : rising) {
        bool stops = all_[i].pace == least;
        for (const auto& [port, share] : all_[i].share) stops |= level[port] == least;
        if (!stops) {
          on.push_back(i);
          continue;
        }
        speed[i] = std::min(kOne, least * kOne / all_[i].pace);
      }
      rising = on;
    }
    return speed;
  }

  std::vector<Verdict> verdicts() const {
    std::vector<Verdict> verdicts;
    for (const One& one : all_) {
      verdicts.push_back({SimTime(static_cast<std::int64_t>(one.start)),
                          SimTime(static_cast<std::int64_t>(one.end)), one.cause});
    }
    return verdicts;
  }

  const ActivityList& list_;
  std::vector<One> all_;
  std::vector<std::size_t> ended_;
};

}  // namespace

std::vector<Verdict> judgeTimes(const ActivityList& list) { return Judge(list).run(); }

std::string judgeFault(const Timing& timing) {
  const ActivityList& list = timing.activities;
  const std::vector<Verdict> verdicts = judgeTimes(list);
  for (const ActivityId id : list.activities.keys()) {
    const ActivityTime& time = timing.times[id];
    const Verdict& verdict = verdicts[id.index()];
    if (time.start != verdict.start || time.end != verdict.end || time.cause != verdict.cause) {
      return "the judge differs about activity " + std::to_string(id.index());
    }
  }
  return sharedBytes(list, verdicts);
}

std::string sharedBytes(const ActivityList& list, const std::vector<Verdict>& times) {
  struct Life {
    StayId stay{};
    SimTime begin{};
    SimTime end{};
  };
  std::map<std::pair<StayId, std::uint32_t>, Life> lives;
  for (std::size_t i = 0; i < times.size(); ++i) {
    for (const Access& access : list.activities[ActivityId(i)].accesses) {
      const bool heir = list.stays[access.stay].over && access.life == 0;
      const auto key = std::pair(access.stay, access.life);
      const bool fresh = !lives.contains(key);
      const SimTime begin = fresh && heir ? times[i].end : times[i].start;
      if (fresh) lives[key] = {access.stay, begin, times[i].end};
      lives[key].begin = std::min(lives[key].begin, begin);
      lives[key].end = std::max(lives[key].end, times[i].end);
    }
  }
  for (auto a = lives.begin(); a != lives.end(); ++a) {
    for (auto b = lives.begin(); b != a; ++b) {
      const PlacedStay& one = list.stays[a->second.stay];
      const PlacedStay& other = list.stays[b->second.stay];
      const bool meet = one.pool == other.pool && one.bytes.overlaps(other.bytes);
      const bool together =
          std::max(a->second.begin, b->second.begin) < std::min(a->second.end, b->second.end);
      if (meet && together) {
        return "stays " + std::to_string(a->second.stay.index()) + " and " +
               std::to_string(b->second.stay.index());
      }
    }
  }
  return {};
}

}  // namespace hw::test
