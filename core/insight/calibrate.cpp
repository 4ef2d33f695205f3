#include "core/insight/calibrate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "core/base/text.h"
#include "core/insight/measured_diff.h"
#include "core/sim/cost_model.h"

namespace hw {
namespace {

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

/// Least squares by orthogonal columns (modified Gram and Schmidt).
class Subset {
 public:
  explicit Subset(const std::vector<std::vector<double>>& rows) : rest_(rows.size(), 1.0) {}

  /// False where a column is a sum of those before it, but for rounding.
  bool add(std::vector<double> column) {
    const double before = dot(column, column);
    std::vector<double> along;
    for (const std::vector<double>& unit : units_) {
      along.push_back(dot(unit, column));
      for (std::size_t i = 0; i < column.size(); ++i) column[i] -= along.back() * unit[i];
    }
    const double norm = std::sqrt(dot(column, column));
    if (!(norm * norm > before * 1e-20)) return false;
    for (double& value : column) value /= norm;
    target_.push_back(dot(column, rest_));
    for (std::size_t i = 0; i < column.size(); ++i) rest_[i] -= target_.back() * column[i];
    along.push_back(norm);
    upper_.push_back(std::move(along));
    units_.push_back(std::move(column));
    return true;
  }

  std::vector<double> constants() const {
    std::vector<double> found = target_;
    for (std::size_t i = found.size(); i-- > 0;) {
      for (std::size_t j = i + 1; j < found.size(); ++j) found[i] -= upper_[j][i] * found[j];
      found[i] /= upper_[i][i];
    }
    return found;
  }
  double left() const { return dot(rest_, rest_); }

 private:
  std::vector<std::vector<double>> units_;
  std::vector<std::vector<double>> upper_;  ///< By column: what it has of each unit.
  std::vector<double> target_;
  std::vector<double> rest_;
};

/// "'a', 'b' and 3 more".
std::string someNames(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 4;
  std::vector<std::string> shown;
  for (std::size_t i = 0; i < std::min(kShown, names.size()); ++i) {
    shown.push_back("'" + printable(names[i], 60) + "'");
  }
  const std::string more =
      names.size() > kShown ? fmt::format(" and {} more", names.size() - kShown) : "";
  return fmt::format("{}{}", fmt::join(shown, ", "), more);
}

/// An operator that a law may be for.
struct Counted {
  std::size_t fitted = 0;  ///< Its class.
  double count = 0;
  double atRates = 0;  ///< Microseconds by the unit's rates.
};

class Calibrator {
 public:
  Calibrator(const Platform& platform, std::span<const MeasuredNetwork> networks)
      : networks_(networks), units_(platform.devices.front().units) {
    found_.platform = platform;
    for (const MeasuredNetwork& network : networks) count(*network.model->graph);
  }

  Result<Calibration> run() {
    const auto whole = std::ranges::count_if(
        networks_, [](const MeasuredNetwork& network) { return network.times.total.has_value(); });
    if (whole != 0 && whole != std::ssize(networks_)) {
      return fail(ErrorCode::invalidArgument,
                  "some networks were measured as a whole and some by their operators; a law is "
                  "fitted to one or the other");
    }
    HW_DO(whole != 0 ? fitWholes() : fitOperators());
    return std::move(found_);
  }

 private:
  double perMicrosecond(std::size_t unit) const {
    return static_cast<double>(units_[unit].clock) / 1e6;
  }
  double predicted(const Counted& op) const {
    const FittedClass& fitted = found_.classes[op.fitted];
    return (fitted.law.call + fitted.law.each * op.count) / perMicrosecond(fitted.unit);
  }

  std::size_t classOf(std::size_t unit, CostClass kind) {
    auto& classes = found_.classes;
    const auto at = std::ranges::find_if(
        classes, [&](const FittedClass& each) { return each.unit == unit && each.kind == kind; });
    const auto index = static_cast<std::size_t>(at - classes.begin());
    if (index == classes.size()) classes.push_back({.unit = unit, .kind = kind});
    return index;
  }

  void count(const Graph& graph) {
    IdMap<OpId, std::optional<Counted>> counted(graph.ops.size());
    for (const OpId id : graph.ops.keys()) {
      const Op& op = graph.ops[id];
      const Work work = workOf(graph, id);
      const OpInfo* info = findOp(op);
      const auto kind = costClassOf(work, info == nullptr ? OpClass::elements : info->kind);
      const auto runs = std::ranges::find_if(
          units_, [&](const UnitSpec& unit) { return coversOp(unit.ops, op.type); });
      const std::size_t unit =
          runs == units_.end() ? 0 : static_cast<std::size_t>(runs - units_.begin());
      const std::int64_t amount = kind ? countedWork(units_[unit], *kind, work) : 0;
      if (op.folded || amount == 0) continue;
      const double rate =
          multiplies(*kind) ? units_[unit].macsPerCycle : units_[unit].elementsPerCycle;
      const auto number = static_cast<double>(amount);
      counted[id] = Counted{classOf(unit, *kind), number, number / rate / perMicrosecond(unit)};
      ++found_.classes[counted[id]->fitted].operators;
    }
    counted_.push_back(std::move(counted));
  }

  /// Names of a network's operators that cannot be used, and why.
  void note(const MeasuredNetwork& network, const std::vector<std::string>& names,
            std::string_view why) {
    if (names.empty()) return;
    found_.notes.push_back(fmt::format("{}: {} of {} measured {}: {}", printable(network.name),
                                       names.size(), network.times.spans.size(), why,
                                       someNames(names)));
  }

  /// The measured operators of a network that laws are fitted to, with their times.
  std::vector<std::pair<Counted, FittedTime>> usable(std::size_t at) {
    const MeasuredNetwork& network = networks_[at];
    const auto matched = matchOperators(*network.model->graph, network.times.profile);
    std::vector<std::pair<Counted, FittedTime>> used;
    std::vector<std::string> unknown, timeless, lawless;
    for (std::size_t i = 0; i < matched.size(); ++i) {
      const std::string& name = network.times.profile.ops[i].name;
      const auto op = matched[i] ? counted_[at][matched[i]] : std::nullopt;
      if (!matched[i]) {
        unknown.push_back(name);
      } else if (!(network.times.spans[i].amount >= MeasuredSpan::kLeast)) {
        timeless.push_back(name);
      } else if (!op) {
        lawless.push_back(name);
      } else {
        const std::int64_t clock = units_[found_.classes[op->fitted].unit].clock;
        used.push_back({*op, {name, network.times.spans[i].microseconds(clock)}});
      }
    }
    note(network, unknown, "are not in the model, or come twice, and are left out");
    note(network, timeless, "took no time above 0, and go by the law of the others");
    note(network, lawless, "run others or have no work that is known, and have no law");
    return used;
  }

  Result<void> fitOperators() {
    std::vector<std::vector<std::pair<Counted, FittedTime>>> used;
    std::vector<std::vector<std::vector<double>>> rows(found_.classes.size());
    for (std::size_t i = 0; i < networks_.size(); ++i) {
      for (const auto& [op, time] : used.emplace_back(usable(i))) {
        const double cycles = time.measured * perMicrosecond(found_.classes[op.fitted].unit);
        rows[op.fitted].push_back({1 / cycles, op.count / cycles});
      }
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::vector<double> law = leastSquares(rows[i]);
      if (!law.empty()) found_.classes[i].law = {law[0], law[1]};
    }
    for (std::size_t i = 0; i < networks_.size(); ++i) {
      FittedTime all{.name = networks_[i].name};
      for (auto& [op, time] : used[i]) {
        time.predicted = predicted(op);
        all.measured += time.measured;
        all.predicted += time.predicted;
        found_.classes[op.fitted].times.push_back(time);
      }
      if (!used[i].empty()) found_.networks.push_back(std::move(all));
    }
    if (found_.networks.empty()) {
      std::string why = "nothing was measured that a law can be fitted to";
      for (const std::string& note : found_.notes) why += "; " + note;
      return fail(ErrorCode::invalidArgument, why);
    }
    dropUnfitted([](const FittedClass& each) { return !each.times.empty(); });
    return write();
  }

  /// Leaves out classes that have no law of their own.
  void dropUnfitted(const std::function<bool(const FittedClass&)>& isFitted) {
    for (const FittedClass& each : found_.classes) {
      if (isFitted(each)) continue;
      const auto kind = static_cast<std::size_t>(each.kind);
      found_.notes.push_back(
          fmt::format("class '{}' on unit '{}' cannot be told from what was measured: {} by {}",
                      kCostClassNames[kind], printable(units_[each.unit].name),
                      each.operators == 1 ? "1 goes" : fmt::format("{} go", each.operators),
                      units_[each.unit].cost.table[kind] ? "the law that it has" : "its rates"));
    }
    std::erase_if(found_.classes, [&](const FittedClass& each) { return !isFitted(each); });
  }

  /// Sums of each network, in microseconds: measured, and by the rates.
  struct Whole {
    double measured = 0;
    double atRates = 0;          ///< All operators,
    double elements = 0;         ///< and those that do not multiply.
    std::vector<double> macs{};  ///< By class: at one cycle each.
  };

  Whole wholeOf(std::size_t at) const {
    Whole whole{.measured = networks_[at].times.total->microseconds(units_.front().clock)};
    whole.macs.resize(found_.classes.size());
    for (const auto& op : counted_[at]) {
      if (!op) continue;
      const FittedClass& fitted = found_.classes[op->fitted];
      whole.atRates += op->atRates;
      if (multiplies(fitted.kind)) {
        whole.macs[op->fitted] += op->count / perMicrosecond(fitted.unit);
      } else {
        whole.elements += op->atRates;
      }
    }
    return whole;
  }

  /// Laws of before go: what does not multiply has the rates, which they would not be.
  void forgetLaws() {
    for (UnitSpec& unit : units_) {
      if (unit.cost.model == costModelNamed("table")) unit.cost = {};
    }
    found_.platform.devices.front().units = units_;
  }

  Result<void> fitWholes() {
    forgetLaws();
    std::vector<Whole> wholes;
    for (std::size_t i = 0; i < networks_.size(); ++i) wholes.push_back(wholeOf(i));
    const bool work =
        std::ranges::all_of(wholes, [](const Whole& each) { return each.atRates > 0; });
    if (!work) return fail(ErrorCode::invalidArgument, "a network has no work that is known");
    const auto kinds = std::ranges::count_if(
        found_.classes, [](const FittedClass& each) { return multiplies(each.kind); });
    const bool byClass = kinds > 0 && kinds <= std::ssize(wholes) && kinds <= 8 &&
                         std::ranges::all_of(wholes, [](const Whole& each) {
                           return each.measured > each.elements;
                         });
    if (byClass) {
      fitClasses(wholes);
    } else {
      fitPart(wholes);
    }
    const auto isFitted = [](const FittedClass& each) { return each.law.each > 0; };
    for (std::size_t i = 0; i < networks_.size(); ++i) {
      FittedTime all{.name = networks_[i].name, .measured = wholes[i].measured};
      for (const auto& op : counted_[i]) {
        if (!op) continue;
        all.predicted += isFitted(found_.classes[op->fitted]) ? predicted(*op) : op->atRates;
      }
      found_.networks.push_back(std::move(all));
    }
    dropUnfitted(isFitted);
    return write();
  }

  void fitClasses(const std::vector<Whole>& wholes) {
    std::vector<std::size_t> columns;
    for (std::size_t i = 0; i < found_.classes.size(); ++i) {
      if (multiplies(found_.classes[i].kind)) columns.push_back(i);
    }
    std::vector<std::vector<double>> rows;
    for (const Whole& whole : wholes) {
      std::vector<double>& row = rows.emplace_back();
      for (const std::size_t i : columns) {
        row.push_back(whole.macs[i] / (whole.measured - whole.elements));
      }
    }
    const std::vector<double> each = leastSquares(rows);
    for (std::size_t i = 0; i < columns.size(); ++i) found_.classes[columns[i]].law.each = each[i];
  }

  void fitPart(const std::vector<Whole>& wholes) {
    std::vector<std::vector<double>> rows;
    rows.reserve(wholes.size());
    for (const Whole& whole : wholes) rows.push_back({whole.atRates / whole.measured});
    const double longer = leastSquares(rows).front();
    for (FittedClass& each : found_.classes) {
      const UnitSpec& unit = units_[each.unit];
      each.law.each = longer / (multiplies(each.kind) ? unit.macsPerCycle : unit.elementsPerCycle);
    }
    found_.notes.push_back(fmt::format(
        "too few networks were measured to tell classes apart: all reach {:.3g} % of their rates",
        100 / longer));
  }

  /// Puts the laws into the platform.
  Result<void> write() {
    for (const FittedClass& each : found_.classes) {
      // The most that a platform's file may say.
      if (!(std::max(each.law.call, each.law.each) <= 1e15)) {
        return fail(ErrorCode::invalidArgument,
                    fmt::format("operators of class '{}' would take more than 1e15 cycles",
                                kCostClassNames[static_cast<std::size_t>(each.kind)]));
      }
      UnitSpec& unit = found_.platform.devices.front().units[each.unit];
      unit.cost = {.model = costModelNamed("table"), .table = unit.cost.table};
      unit.cost.table[static_cast<std::size_t>(each.kind)] = each.law;
    }
    return {};
  }

  std::span<const MeasuredNetwork> networks_;
  std::vector<UnitSpec> units_;
  std::vector<IdMap<OpId, std::optional<Counted>>> counted_;  ///< By network.
  Calibration found_;
};

}  // namespace

double FittedClass::meanError() const {
  double sum = 0;
  for (const FittedTime& time : times) sum += std::abs(time.excess());
  return times.empty() ? 0 : sum / static_cast<double>(times.size());
}

const FittedTime* FittedClass::worst() const {
  const auto most = std::ranges::max_element(
      times, {}, [](const FittedTime& time) { return std::abs(time.excess()); });
  return most == times.end() ? nullptr : &*most;
}

std::vector<double> leastSquares(const std::vector<std::vector<double>>& rows) {
  const std::size_t columns = rows.empty() ? 0 : rows.front().size();
  std::vector<std::uint32_t> choices((std::size_t{1} << columns) - 1);
  std::iota(choices.begin(), choices.end(), 1U);
  std::ranges::stable_sort(
      choices, {}, [](std::uint32_t choice) { return std::pair(std::popcount(choice), ~choice); });
  std::vector<double> best(columns);
  auto least = static_cast<double>(rows.size());
  for (const std::uint32_t choice : choices) {
    Subset subset(rows);
    bool apart = true;
    for (std::size_t c = 0; c < columns && apart; ++c) {
      if ((choice >> c & 1U) == 0) continue;
      std::vector<double> column;
      column.reserve(rows.size());
      for (const auto& row : rows) column.push_back(row[c]);
      apart = subset.add(std::move(column));
    }
    if (!apart || !(subset.left() < least - 1e-20 * static_cast<double>(rows.size()))) continue;
    const std::vector<double> found = subset.constants();
    if (std::ranges::any_of(found, [](double value) { return !(value >= 0); })) continue;
    least = subset.left();
    std::size_t next = 0;
    for (std::size_t c = 0; c < columns; ++c) best[c] = (choice >> c & 1U) != 0 ? found[next++] : 0;
  }
  return best;
}

Result<Calibration> calibrate(const Platform& platform, std::span<const MeasuredNetwork> networks) {
  return Calibrator(platform, networks).run();
}

}  // namespace hw
