#include <fmt/format.h>
#include <google/protobuf/arena.h>
#include <hw_onnx.pb.h>

#include <algorithm>
#include <optional>
#include <unordered_set>

#include "core/base/text.h"
#include "core/files/sha256.h"
#include "core/import/formats.h"
#include "core/import/onnx/functions.h"
#include "core/import/onnx/graph_reader.h"
#include "core/import/onnx/inference.h"
#include "core/import/onnx/values.h"
#include "core/import/onnx/wire.h"

namespace hw {
namespace {

using Size = std::optional<std::int64_t>;
using Keys = std::vector<std::string>;  ///< Dimensions that are changed together.

/// Greater sizes are not looked for.
constexpr std::int64_t kGreatest = std::int64_t{1} << 16U;

/// Of the numbers in [least, most] the one that is divisible by the greatest power of two.
std::int64_t roundest(std::int64_t least, std::int64_t most) {
  std::int64_t best = least;
  for (std::int64_t power = 1; power <= most; power *= 2) {
    const std::int64_t multiple = (least + power - 1) / power * power;
    if (multiple >= least && multiple <= most) best = multiple;
  }
  return best;
}

class DimensionSolver {
 public:
  DimensionSolver(const onnx::ModelProto& model, const std::map<std::string, std::int64_t>& bound,
                  std::shared_ptr<NodeOrders> orders)
      : model_(model), bound_(bound), orders_(std::move(orders)) {}

  SettledDimensions solve() {
    constexpr int kMostRounds = 64;
    runAll(true);
    for (int round = 0; round < kMostRounds && visitsLeft_ > 0; ++round) {
      const auto misfit = std::ranges::find_if(
          misfits_, [&](const Misfit& one) { return !hopeless_.contains(one.node); });
      if (misfit == misfits_.end() || open_.empty()) break;
      const Misfit first = *misfit;
      if (!settle(first)) hopeless_.insert(first.node);
    }
    return settled_;
  }

 private:
  /// Goes through the model with what is settled so far; the first time, dimensions are listed.
  void runAll(bool isFirst = false) {
    FreeDimensions dimensions(bound_, settled_);
    ShapeInference inference(model_, dimensions, orders_);
    inference.run();
    misfits_ = inference.misfits();
    if (!isFirst) {
      visitsLeft_ -= inference.visits();
      return;
    }
    open_ = dimensions.open();
    constexpr std::int64_t kMostRuns = 400;
    constexpr std::int64_t kMostVisits = 300'000;
    visitsLeft_ = std::min(kMostVisits, kMostRuns * inference.visits());
  }

  /// The size that `need` is about when all of `keys` are `size`.
  Size sizeAt(const Misfit& misfit, const SizeNeed& need, const Keys& keys, std::int64_t size) {
    SettledDimensions trial = settled_;
    for (const std::string& key : keys) trial[key] = {.size = size};
    FreeDimensions dimensions(bound_, std::move(trial));
    ShapeInference inference(model_, dimensions, orders_);
    Watch watch{.node = misfit.node, .need = need};
    inference.runUpTo(misfit.place + 1, &watch);
    visitsLeft_ -= inference.visits();
    return visitsLeft_ > 0 ? watch.size : std::nullopt;
  }

  /// Finds what satisfies one of the misfit's needs; false: nothing does.
  bool settle(const Misfit& misfit) {
    for (const SizeNeed& need : misfit.needs) {
      for (const Keys& keys : candidates(misfit, need)) {
        const auto found = search(misfit, need, keys);
        if (found && accept(misfit, keys, *found)) return true;
        if (visitsLeft_ <= 0) return false;
      }
    }
    return false;
  }

  /// The dimensions to try, those of the input itself before others, inner ones before outer ones:
  /// what comes first in a shape is mostly a batch. Height and width of an image go together where
  /// both have a part in a size.
  std::vector<Keys> candidates(const Misfit& misfit, const SizeNeed& need) const {
    auto open = open_;
    std::erase_if(open, [&](const FreeDimensions::Open& dimension) {
      const auto found = settled_.find(dimension.key);
      return found != settled_.end() && found->second.isOnly;
    });
    std::ranges::stable_sort(open, std::greater<>(), &FreeDimensions::Open::axis);
    const std::string& read = misfit.node->input(static_cast<int>(need.input));
    // Clang 14 cannot use the subrange that std::ranges::stable_partition returns.
    std::stable_partition(open.begin(), open.end(), [&](const FreeDimensions::Open& dimension) {
      return dimension.input == read;
    });
    std::vector<Keys> all;
    const bool isWindow = need.kind == SizeNeed::Kind::atLeast;
    for (std::size_t i = 0; !isWindow && i < open.size(); ++i) {
      for (std::size_t j = i + 1; j < open.size() && open[j].axis >= 2; ++j) {
        if (open[i].input == open[j].input) all.push_back({open[i].key, open[j].key});
      }
    }
    for (const auto& dimension : open) all.push_back({dimension.key});
    return all;
  }

  std::optional<SettledDimension> search(const Misfit& misfit, const SizeNeed& need,
                                         const Keys& keys) {
    const auto at = [&](std::int64_t size) { return sizeAt(misfit, need, keys, size); };
    for (const std::string& key : keys) {
      const Size far = sizeAt(misfit, need, {key}, kGreatest / 16);
      const Size near = sizeAt(misfit, need, {key}, 1);
      if (far && near && *far == *near) return std::nullopt;  // It has no part in this size.
    }
    if (need.kind == SizeNeed::Kind::multiple) return searchMultiple(need, at);
    const auto reaches = [&](std::int64_t size) {
      const Size made = at(size);
      return made && *made >= need.size;
    };
    const auto least = firstThat(reaches, 1);
    if (!least) return std::nullopt;
    if (need.kind == SizeNeed::Kind::atLeast) {
      return SettledDimension{.size = roundest(*least, 2 * *least - 1)};
    }
    if (at(*least) != need.size) return std::nullopt;
    const auto exceeds = [&](std::int64_t size) {
      const Size made = at(size);
      return !made || *made > need.size;
    };
    const auto beyond = firstThat(exceeds, *least + 1);
    if (!beyond) return std::nullopt;
    return SettledDimension{.size = roundest(*least, *beyond - 1), .isOnly = *beyond == *least + 1};
  }

  /// The least size from `begin` on for which `holds`, which holds for all beyond it.
  template <class Holds>
  Size firstThat(Holds holds, std::int64_t begin) const {
    std::int64_t step = 1;
    std::int64_t below = begin - 1;
    while (!holds(below + step)) {
      below += step;
      step *= 2;
      if (below + step > kGreatest || visitsLeft_ <= 0) return std::nullopt;
    }
    for (std::int64_t above = below + step; above - below > 1;) {
      const std::int64_t middle = below + (above - below) / 2;
      (holds(middle) ? above : below) = middle;
      step = above - below;
    }
    return below + 1;
  }

  /// The least size that makes a multiple: counted where sizes grow evenly, tried where they do
  /// not.
  template <class At>
  std::optional<SettledDimension> searchMultiple(const SizeNeed& need, At at) {
    const Size first = at(1);
    const Size second = at(2);
    const Size fourth = at(4);
    constexpr std::int64_t kTries = 64;
    const bool isEven = first && second && fourth && *fourth - *second == 2 * (*second - *first);
    const std::int64_t each = isEven ? *second - *first : 0;
    for (std::int64_t size = 1; size <= (isEven ? kGreatest : kTries); ++size) {
      Size made;
      if (isEven) {
        const auto more = checkedMul(each, size - 1);
        made = more ? checkedAdd(*first, *more) : std::nullopt;
      } else {
        made = at(size);
      }
      if (made && *made > 0 && *made % need.size == 0) return SettledDimension{.size = size};
    }
    return std::nullopt;
  }

  /// Takes `found` where the op fits with it, or comes closer, and none before it ceases to.
  bool accept(const Misfit& misfit, const Keys& keys, SettledDimension found) {
    const SettledDimensions before = settled_;
    const std::vector<Misfit> misfits = misfits_;
    found.by = fmt::format("{} '{}'", printable(misfit.node->op_type()), shownName(*misfit.node));
    for (const std::string& key : keys) settled_[key] = found;
    runAll();
    if (unmet(misfits_, misfit) < unmet(misfits, misfit)) return true;
    settled_ = before;
    misfits_ = misfits;
    return false;
  }

  /// Needs that are not met up to a misfit and at it, those aside that nothing helps.
  std::size_t unmet(const std::vector<Misfit>& misfits, const Misfit& upTo) const {
    std::size_t count = 0;
    std::unordered_set<const onnx::NodeProto*> seen;
    for (const Misfit& one : misfits) {
      if (hopeless_.contains(one.node) || !seen.insert(one.node).second) continue;
      if (one.place < upTo.place || one.node == upTo.node) count += one.needs.size();
    }
    return count;
  }

  const onnx::ModelProto& model_;
  const std::map<std::string, std::int64_t>& bound_;
  std::shared_ptr<NodeOrders> orders_;
  SettledDimensions settled_;
  std::vector<FreeDimensions::Open> open_;
  std::vector<Misfit> misfits_;  ///< With what is settled.
  std::unordered_set<const onnx::NodeProto*> hopeless_;
  std::int64_t visitsLeft_ = 1;
};

/// Sizes for those free dimensions of `model` that cannot be 1, because a weight, a split or
/// another op inside would not take what follows from it.
///
/// The model is gone through with every free dimension at 1. For the first op that does not fit,
/// each dimension is tried: sizes inside a model grow with those of its inputs, so that the least
/// and the greatest that fit are found by halving. Then for the next op, until all fit or nothing
/// helps. What is tried is counted in nodes, not in time.
SettledDimensions settleDimensions(const onnx::ModelProto& model,
                                   const std::map<std::string, std::int64_t>& bound,
                                   const std::shared_ptr<NodeOrders>& orders) {
  return DimensionSolver(model, bound, orders).solve();
}

Result<void> parseModel(const std::string& reduced, onnx::ModelProto& model) {
  if (!model.ParseFromString(reduced)) {
    return fail(ErrorCode::malformed, "the protobuf is not an ONNX model, or is nested too deeply");
  }
  if (!model.has_graph()) {
    return fail(ErrorCode::malformed, "the model has no graph; expected an ONNX ModelProto");
  }
  return {};
}

}  // namespace

bool acceptsOnnx(std::string_view bytes) { return looksLikeOnnx(bytes); }

Result<Model> readOnnx(std::string_view bytes, const ImportOptions& options) {
  HW_TRY(reduced, withoutPayloads(bytes));
  Model model;
  if (bytes.size() > kHashedWhole) model.sha256 = sha256(reduced);
  google::protobuf::Arena arena;  // Models are many small messages, dropped all at once.
  auto& proto = *google::protobuf::Arena::CreateMessage<onnx::ModelProto>(&arena);
  HW_DO(parseModel(reduced, proto));
  reduced.clear();
  reduced.shrink_to_fit();
  HW_TRY(calls, inlineFunctions(proto));
  std::vector<std::string> notes;
  if (calls > 0) {
    notes.push_back(fmt::format(
        "{} calls of the model's own functions were replaced by what is inside", calls));
  }
  const auto orders = std::make_shared<NodeOrders>();
  std::optional<FreeDimensions> dimensions(options.dimensions);
  std::optional<ShapeInference> inference(std::in_place, proto, *dimensions, orders);
  auto scope = inference->run();
  if (!inference->misfits().empty() && !dimensions->open().empty()) {
    dimensions.emplace(options.dimensions, settleDimensions(proto, options.dimensions, orders));
    inference.emplace(proto, *dimensions, orders);
    scope = inference->run();
  }
  HW_DO(dimensions->checkAllUsed());
  notes.insert(notes.end(), dimensions->notes().begin(), dimensions->notes().end());
  HW_TRY(graph, OnnxGraphReader(proto, *inference, options.closedBodies)
                    .read(std::move(scope), notes, dimensions->openValues()));
  model.graph = std::make_shared<const Graph>(std::move(graph));
  return model;
}

}  // namespace hw
