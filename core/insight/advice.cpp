#include "core/insight/advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>

#include "core/insight/constraint_changes.h"
#include "core/plan/validate.h"
#include "core/run/rewrites.h"
#include "core/storage/aliasing.h"

namespace hw {
namespace {

/// A change of a run's configuration that looks worth planning, and what it changes.
struct AdviceCandidate {
  Advice::Kind kind{};
  RunRequest request{};
  ConstraintChange change{};  ///< Empty: none.
};

/// Changes that are worth planning.
class Candidates {
 public:
  Candidates(const Run& base, const AdviceOptions& options)
      : base_(base), figures_(figuresOf(base)) {
    const bool graph = !base.graph().ops.empty();
    if (graph) addOrder();
    if (graph && base.request.allocator.info->way != Way::embedded) addAliases();
    if (figures_.peak() > figures_.lowerBound || !figures_.whole) {
      addAllocators(options.searchSeconds);
    }
    addAlignments();
    if (graph) addOutside();
    addConstraints();
  }

  std::vector<AdviceCandidate> all() && { return std::move(all_); }

 private:
  void addConstraints() {
    constexpr std::size_t kMostConstraints = 64;
    for (ConstraintChange& change : constraintChanges(base_, kMostConstraints)) {
      add(Advice::Kind::constraint, [](RunRequest&) {});
      all_.back().change = std::move(change);
    }
  }

  void add(Advice::Kind kind, const std::function<void(RunRequest&)>& change) {
    all_.push_back({kind, base_.request});
    change(all_.back().request);
  }

  void addOrder() {
    const RewriteInfo& order = *std::ranges::find(rewriteCatalog(), "order", &RewriteInfo::name);
    if (order.has(base_.request) && base_.request.moves.empty()) return;
    add(Advice::Kind::order, order.add);
  }

  /// Each rule the other way round, and all of them at once.
  void addAliases() {
    std::size_t off = 0;
    for (const AliasRule& rule : aliasRules()) {
      if (!(base_.request.alias.*(rule.flag))) ++off;
      add(Advice::Kind::alias,
          [&](RunRequest& request) { request.alias.*(rule.flag) = !(request.alias.*(rule.flag)); });
    }
    if (off < 2) return;  // With one off, "all on" is what the loop has added already.
    add(Advice::Kind::alias, [](RunRequest& request) { request.alias = AliasRules::all(); });
  }

  void addAllocators(double searchSeconds) {
    for (const AllocatorInfo& info : allocatorCatalog()) {
      const AllocatorInfo& own = *base_.request.allocator.info;
      const bool comparable = (info.way == Way::perDevice) == (own.way == Way::perDevice);
      if (!comparable || info.way == Way::embedded || &info == base_.request.allocator.info)
        continue;
      add(Advice::Kind::allocator, [&](RunRequest& request) {
        request.allocator = {.info = &info};
        if (info.isSearch && request.timeLimit <= 0) request.timeLimit = searchSeconds;
      });
    }
  }

  /// Down to what vector instructions ask for.
  void addAlignments() {
    for (const Bytes alignment : {Bytes(32), Bytes(16)}) {
      if (alignment >= base_.sharing.alignment) continue;
      add(Advice::Kind::alignment, [&](RunRequest& request) { request.alignment = alignment; });
    }
  }

  void addOutside() {
    if (base_.request.plansInputs()) {
      add(Advice::Kind::outside,
          [](RunRequest& request) { request.inputs = InputPlace::external; });
    }
    if (base_.request.plansOutputs()) {
      add(Advice::Kind::outside,
          [](RunRequest& request) { request.outputs = OutputPlace::external; });
    }
  }

  const Run& base_;
  RunFigures figures_;
  std::vector<AdviceCandidate> all_;
};

/// All there are for `base`, which itself is not one. Cheap: nothing is planned.
std::vector<AdviceCandidate> adviceCandidates(const Run& base, const AdviceOptions& options) {
  return Candidates(base, options).all();
}

/// Bytes of graph inputs and outputs that a run leaves to its caller.
Bytes left(const Run& run) {
  Bytes sum;
  for (const TensorId id : run.graph().tensors.keys()) {
    const Tensor& tensor = run.graph().tensors[id];
    const bool boundary = tensor.graphInput || tensor.graphOutput;
    if (!boundary || tensor.constant || tensor.persistent || run.storage.bufferOf(id)) continue;
    if (tensor.bytes) sum += *tensor.bytes;
  }
  return sum;
}

/// The model of `base`, without a constraint if there is a change.
std::shared_ptr<const Model> changedModel(const Run& base, const ConstraintChange& change) {
  if (!change.take) return base.model;
  auto model = std::make_shared<Model>(modelAsGiven(base));
  change.take(*model);
  return model;
}

/// Advice that comes of carrying out `candidate`; nothing when it does not help, or cannot be done.
std::optional<Advice> prove(const AdviceReport& report, const AdviceCandidate& candidate,
                            const RunContext& context) {
  const Run& base = *report.base;
  const auto run = execute(changedModel(base, candidate.change), candidate.request,
                           {.stop = context.stop, .progress = {}});
  if (!run || !validate((*run)->problem, (*run)->plan, 1).empty()) return std::nullopt;
  Advice advice{.kind = candidate.kind,
                .request = candidate.request,
                .run = *run,
                .saved = footprintOf(base) - footprintOf(**run),
                .without = candidate.change.without,
                .outside = left(**run) - left(base),
                .makesFit = !fits(base) && fits(**run)};
  const bool whole = figuresOf(base).whole && figuresOf(**run).whole;
  const bool worse = fits(base) && !fits(**run);
  // A method that leaves inputs to the caller needs less only because it plans less.
  const bool less = advice.outside != Bytes() && advice.kind != Advice::Kind::outside;
  const bool helps = !worse && !less && whole && advice.net() > Bytes();
  return helps || (advice.makesFit && !less) ? std::optional(std::move(advice)) : std::nullopt;
}

/// True if a change of the same kind that saves as much is there already: it came first, because it
/// changes less, and stays.
bool isDouble(const std::vector<Advice>& found, const Advice& advice) {
  return std::ranges::any_of(found, [&](const Advice& each) {
    const bool told = advice.kind == Advice::Kind::allocator || !advice.without.empty();
    return each.kind == advice.kind && !told && each.net() == advice.net() &&
           each.makesFit == advice.makesFit;
  });
}

/// Many methods often end at the same size: the smallest that plans at once stays, and the smallest
/// that searches where that is smaller still. `found` is sorted.
void keepBestMethods(std::vector<Advice>& found) {
  std::optional<std::pair<bool, Bytes>> quick;
  for (const Advice& each : found) {
    const bool method = each.kind == Advice::Kind::allocator;
    if (method && !each.request.allocator.info->isSearch && !quick) {
      quick = {each.makesFit, each.net()};
    }
  }
  bool searched = false;
  bool planned = false;
  std::erase_if(found, [&](const Advice& each) {
    if (each.kind != Advice::Kind::allocator) return false;
    bool& had = each.request.allocator.info->isSearch ? searched : planned;
    const bool more = !quick || std::pair(each.makesFit, each.net()) > *quick;
    const bool drop = had || (each.request.allocator.info->isSearch && !more);
    had = true;
    return drop;
  });
}

}  // namespace

std::string_view adviceKindName(Advice::Kind kind) {
  static constexpr std::array<std::string_view, 6> kNames = {"order",     "alias",   "allocator",
                                                             "alignment", "outside", "constraint"};
  return kNames[static_cast<std::size_t>(kind)];
}

Bytes footprintOf(const Run& run) { return run.plan.footprint(); }

AdviceReport advise(const std::shared_ptr<const Run>& base, const AdviceOptions& options,
                    const RunContext& context) {
  AdviceReport report{.base = base};
  const auto progress = [&](double fraction, const std::string& what) {
    if (context.progress) context.progress(fraction, what);
  };
  progress(0, "looking for changes");
  std::vector<AdviceCandidate> candidates = adviceCandidates(*base, options);
  std::erase_if(candidates, [&](const AdviceCandidate& each) {
    const bool program = each.kind == Advice::Kind::order || each.kind == Advice::Kind::alias;
    return program && !options.programs;
  });
  report.candidates = candidates.size();
  for (const AdviceCandidate& candidate : candidates) {
    if (context.stop.stop_requested()) break;
    progress(static_cast<double>(report.tried) / static_cast<double>(report.candidates),
             fmt::format("proving {} of {}", report.tried + 1, report.candidates));
    auto advice = prove(report, candidate, context);
    if (context.stop.stop_requested()) break;  // Its search may have been cut short.
    ++report.tried;
    if (advice && !isDouble(report.found, *advice)) report.found.push_back(*std::move(advice));
  }
  report.stopped = context.stop.stop_requested();
  std::ranges::stable_sort(report.found, [](const Advice& a, const Advice& b) {
    return std::pair(b.makesFit, b.net()) < std::pair(a.makesFit, a.net());
  });
  keepBestMethods(report.found);
  return report;
}

}  // namespace hw
