#include "core/insight/candidates.h"

#include <functional>

#include "core/run/figures.h"
#include "core/storage/alias_text.h"

namespace hw {
namespace {

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
  }

  std::vector<AdviceCandidate> all() && { return std::move(all_); }

 private:
  void add(Advice::Kind kind, const std::function<void(RunRequest&)>& change) {
    all_.push_back({kind, base_.request});
    change(all_.back().request);
  }

  void addOrder() {
    const RunRequest& asked = base_.request;
    if (asked.order == OpOrder::leastPeak && asked.moves.empty()) return;
    add(Advice::Kind::order, [](RunRequest& request) {
      request.order = OpOrder::leastPeak;
      request.moves.clear();
    });
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
    if (base_.request.planInputs) {
      add(Advice::Kind::outside,
          [](RunRequest& request) { request.planInputs = request.inputRows = false; });
    }
    if (base_.request.planOutputs) {
      add(Advice::Kind::outside, [](RunRequest& request) { request.planOutputs = false; });
    }
  }

  const Run& base_;
  RunFigures figures_;
  std::vector<AdviceCandidate> all_;
};

}  // namespace

std::vector<AdviceCandidate> adviceCandidates(const Run& base, const AdviceOptions& options) {
  return Candidates(base, options).all();
}

}  // namespace hw
