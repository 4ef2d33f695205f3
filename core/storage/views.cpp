#include "core/graph/tiling.h"
#include "core/ops/op_table.h"
#include "core/storage/view_folder.h"
#include "core/storage/view_slices.h"

namespace hw {
namespace {

constexpr const char* kRaisesBound =
    "slices would live as long as the whole, which raises the lower bound";

/// Decides view by view.
///
///   split x -> a, b; reshape b -> c; concat (c, d) -> y      y [ c | d ]   refused: c is a slice
///   of x, and x is not wholly inside y, so c is copied into y.
class ViewFolder {
 public:
  ViewFolder(const Graph& graph, const StorageOptions& options, const Refusals& refused,
             AliasForest& forest, Storage& storage)
      : graph_(graph), options_(options), refused_(refused), forest_(forest), storage_(storage) {}

  void fold(OpId id) {
    if (partOf(graph_, id) != nullptr) return;
    const ViewFamily family = viewFamilyOf(graph_.ops[id]);
    if (family == ViewFamily::none) return;
    const std::size_t copiesBefore = storage_.copies.size();
    for (const ViewSlice& slice : viewSlices(graph_, options_, forest_, id)) {
      noteCopy(id, slice.part, share(id, slice, family));
    }
    storage_.free[id] = storage_.copies.size() == copiesBefore;
  }

 private:
  /// Notes that `op` copies `tensor` because of `reason`; an empty reason means that it need not.
  void noteCopy(OpId op, TensorId tensor, std::string reason) {
    if (reason.empty() || !tensor || forest_.sizeOf(tensor) == Bytes()) return;
    storage_.copies.push_back({op, tensor, forest_.sizeOf(tensor), std::move(reason)});
  }

  /// Makes it the part, or says why that cannot be.
  std::string share(OpId op, const ViewSlice& slice, ViewFamily family) {
    if (slice.whyNot) return *slice.whyNot;
    const bool refused = refused_.contains({op, slice.part});
    if (family == ViewFamily::concat) {
      const TensorId root = forest_.place(slice.part).root;
      if (forest_.holdsInput(root)) return "a graph input has its own place";
      if (root == slice.whole || forest_.place(slice.whole).root == root) {
        return "it is in this concat twice";
      }
      if (forest_.sizeOf(root) != forest_.sizeOf(slice.part)) {
        return "it is part of another concat or split already";
      }
      if (refused) return kRaisesBound;
      return forest_.attach(root, slice.whole, slice.offset).value_or("");
    }
    if (refused) return kRaisesBound;
    return forest_.attach(slice.part, slice.whole, slice.offset).value_or("");
  }

  const Graph& graph_;
  const StorageOptions& options_;
  const Refusals& refused_;
  AliasForest& forest_;
  Storage& storage_;
};

}  // namespace

void foldViews(const Graph& graph, const Schedule& schedule, const StorageOptions& options,
               const Refusals& refused, AliasForest& forest, Storage& storage) {
  ViewFolder folder(graph, options, refused, forest, storage);
  for (const OpId id : schedule.order) {
    if (!graph.ops[id].folded) folder.fold(id);
  }
}

}  // namespace hw
