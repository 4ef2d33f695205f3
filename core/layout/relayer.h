#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/layout/held_graph.h"
#include "core/layout/image_regions.h"
#include "core/layout/layout.h"

namespace hw {

/// Carries a graph over into one that holds its images channels last, op by op. Each kind of op
/// says whether it can work on what its inputs are held as; one that cannot takes and makes all as
/// the model has it.
class Relayer {
 public:
  explicit Relayer(std::shared_ptr<const Graph> graph);

  /// There is something to do.
  bool hasImages() const { return regions_.any(); }
  Result<Relaid> run() &&;

 private:
  using Parts = GraphBuilder::OpParts;
  using Axes = std::vector<std::int64_t>;

  std::size_t rankOf(TensorId id) const { return graph_.tensors[id].shape->size(); }
  const Shape& shapeOf(TensorId id) const { return *graph_.tensors[id].shape; }

  /// Of an input of an op; null where it has none, or one of unknown shape.
  const Shape* operandShape(const Op& op, std::size_t input) const;

  AxisOrder wanted(TensorId id) const;
  AxisOrder orderFor(TensorId id) const;
  AxisOrder common(const std::vector<TensorId>& ids, TensorId out) const;

  void carry(OpId id);
  void keep(OpId id);
  Parts with(OpId id, const std::vector<TensorId>& taken, const AxisOrder& order);
  void addWith(OpId id, Parts parts, const AxisOrder& order);

  // By kind; false where it has to be kept as the model has it. Nothing is added then.
  bool image(OpId id);
  bool elements(OpId id);
  bool first(OpId id);
  bool join(OpId id);
  bool cut(OpId id);
  bool slice(OpId id);
  bool pad(OpId id);
  bool pick(OpId id);
  bool fold(OpId id);
  bool row(OpId id);
  bool transpose(OpId id);
  bool view(OpId id);

  bool cutsAxes(const Op& op, const AxisOrder& order) const;
  std::optional<std::vector<bool>> foldedAxes(const Op& op) const;
  AxisOrder aimOf(TensorId out, const AxisOrder& from) const;
  bool leadsToImage(TensorId id, const AxisOrder& order, int depth) const;

  const Graph& graph_;
  ImageRegions regions_;
  HeldGraph held_;
  LayoutAccount account_{};
};

}  // namespace hw
