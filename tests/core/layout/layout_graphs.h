#pragma once

#include <algorithm>
#include <random>

#include "tests/support/image_graphs.h"

namespace hw::test {

/// Grows a random graph of images in NCHW, with all that other layouts have to do with: Transposes
/// there and back, views that part and join axes, folds that lose axes, weights that are broadcast,
/// normalisations, ops of which nobody knows anything.
class LayoutGrower {
 public:
  LayoutGrower(std::uint64_t seed, std::size_t ops) : draw_(seed), ops_(ops) {}

  Graph grow() {
    images_.push_back(graph_.input(2 + pick(6), 2 + pick(6), 1 + pick(6), 1 + pick(8) / 7));
    for (std::size_t i = 0; i < ops_; ++i) addOp();
    graph_.output(images_.back());
    for (const Handle end : ends_) graph_.output(end);
    if (pick(3) == 0) graph_.output(images_[images_.size() / 2]);
    return std::move(graph_).build();
  }

 private:
  using Handle = ImageGraph::Handle;
  using List = std::vector<std::int64_t>;

  std::int64_t pick(std::int64_t below) {
    return static_cast<std::int64_t>(draw_() % static_cast<std::uint64_t>(below));
  }

  Handle any() {
    const auto size = static_cast<std::int64_t>(images_.size());
    return images_[static_cast<std::size_t>(pick(3) > 0 ? size - 1 : pick(size))];
  }

  Handle partner(Handle of) {
    std::vector<Handle> same;
    for (const Handle image : images_) {
      if (graph_.shape(image) == graph_.shape(of)) same.push_back(image);
    }
    return same[static_cast<std::size_t>(pick(static_cast<std::int64_t>(same.size())))];
  }

  ImageGraph::Slide slide(Handle from) {
    const Shape whole = graph_.shape(from);
    ImageGraph::Slide slide{.kernel = 1 + pick(3), .stride = 1 + pick(4) / 3};
    if (slide.kernel > std::min(whole[2], whole[3])) slide.kernel = 1;
    slide.before = slide.kernel > 1 ? pick(slide.kernel) : 0;
    slide.after = slide.kernel > 1 ? pick(slide.kernel) : 0;
    return slide;
  }

  void add(Handle made) { images_.push_back(made); }

  Handle transposed(Handle from, const List& perm) {
    Op op{.type = "Transpose"};
    op.attributes["perm"] = perm;
    Shape made;
    for (const std::int64_t axis : perm) {
      made.push_back(graph_.shape(from)[static_cast<std::size_t>(axis)]);
    }
    return graph_.op(std::move(op), {from}, std::move(made));
  }

  Handle seen(Handle from, Shape made) {
    return graph_.op({.type = "Reshape"}, {from, graph_.weight({1})}, std::move(made));
  }

  /// To channels last, something, and back; or back at once.
  void there(Handle from) {
    Handle last = transposed(from, {0, 2, 3, 1});
    if (pick(2) == 0) last = graph_.mapped(last);
    if (pick(3) == 0) ends_.push_back(last);
    add(transposed(last, {0, 3, 1, 2}));
  }

  /// Channels are dealt out anew, as ShuffleNet does.
  void shuffle(Handle from) {
    const Shape whole = graph_.shape(from);
    if (whole[1] % 2 != 0) return;
    const Handle apart = seen(from, {whole[0], 2, whole[1] / 2, whole[2], whole[3]});
    add(seen(transposed(apart, {0, 2, 1, 3, 4}), whole));
  }

  /// All places become one axis, as before attention.
  void tokens(Handle from) {
    const Shape whole = graph_.shape(from);
    Handle flat = seen(from, {whole[0], whole[1], whole[2] * whole[3]});
    if (pick(2) == 0) flat = graph_.mapped(flat);
    flat = transposed(flat, {0, 2, 1});
    if (pick(2) == 0) ends_.push_back(flat);
    if (pick(2) == 0) add(seen(transposed(flat, {0, 2, 1}), whole));
  }

  /// A weight of some axes is broadcast.
  void scaled(Handle from) {
    const Shape whole = graph_.shape(from);
    const Shape shapes[] = {
        {1, whole[1], 1, 1}, {whole[1], 1, 1}, {whole[2], whole[3]}, {whole[3]}, {}, whole};
    const Handle weight = graph_.weight(shapes[pick(std::ssize(shapes))]);
    add(graph_.op({.type = pick(2) == 0 ? "Mul" : "PRelu"}, {from, weight}, whole));
  }

  /// Squeeze and excite: a mean of all places scales the channels.
  void excited(Handle from) {
    const Shape whole = graph_.shape(from);
    const Handle mean =
        graph_.op({.type = "GlobalAveragePool"}, {from}, {whole[0], whole[1], 1, 1});
    const Handle more = graph_.convolve(mean, whole[1], {.kernel = 1, .before = 0, .after = 0});
    add(graph_.op({.type = "Mul"}, {from, more}, whole));
    if (pick(3) == 0) ends_.push_back(seen(mean, {whole[0], whole[1]}));
  }

  void folded(Handle from) {
    Shape made = graph_.shape(from);
    const bool keeps = pick(2) == 0;
    Op op{.type = pick(2) == 0 ? "ReduceMean" : "ReduceMax"};
    const List choices[] = {{1}, {2}, {2, 3}, {3}, {1, 2, 3}};
    const List axes = choices[pick(std::ssize(choices))];
    op.attributes["axes"] = axes;
    op.attributes["keepdims"] = std::int64_t{keeps ? 1 : 0};
    for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
      if (keeps) made[static_cast<std::size_t>(*axis)] = 1;
      if (!keeps) made.erase(made.begin() + *axis);
    }
    const Handle fold = graph_.op(std::move(op), {from}, std::move(made));
    if (keeps && pick(2) == 0) {
      add(graph_.op({.type = "Sub"}, {from, fold}, graph_.shape(from)));
    } else {
      ends_.push_back(graph_.mapped(fold));
    }
  }

  void picked(Handle from) {
    Shape made = graph_.shape(from);
    const std::int64_t axis = pick(4);
    made.erase(made.begin() + axis);
    Op op{.type = "Gather"};
    op.attributes["axis"] = axis;
    ends_.push_back(graph_.op(std::move(op), {from, graph_.weight({})}, std::move(made)));
  }

  void sliced(Handle from) {
    Shape made = graph_.shape(from);
    const std::size_t axis = static_cast<std::size_t>(pick(4));
    made[axis] = (made[axis] + 1) / 2;
    add(graph_.op({.type = "Slice"}, {from, graph_.weight({1}), graph_.weight({1})},
                  std::move(made)));
  }

  void normalised(Handle from) {
    const Shape whole = graph_.shape(from);
    const std::int64_t kind = pick(5);
    if (kind == 0) return add(graph_.op({.type = "LRN"}, {from}, whole));
    const Handle scale = graph_.weight({whole[1]});
    if (kind < 3) {
      const char* type = kind == 1 ? "BatchNormalization" : "InstanceNormalization";
      return add(graph_.op({.type = type}, {from, scale, scale}, whole));
    }
    if (kind == 3) return add(graph_.op({.type = "QuantizeLinear"}, {from, scale}, whole));
    Op row{.type = "Softmax"};
    row.attributes["axis"] = pick(4);
    add(graph_.op(std::move(row), {from}, whole));
  }

  /// Nobody knows what it does, so it has to be as it was.
  void strange(Handle from) { add(graph_.op({.type = "Mystery"}, {from}, graph_.shape(from))); }

  void addOp() {
    const Handle from = any();
    const Shape whole = graph_.shape(from);
    const bool small = whole[2] < 9 && whole[3] < 9;
    switch (pick(22)) {
      case 0:
      case 1:
      case 2:
        return add(graph_.convolve(from, 1 + pick(6), slide(from)));
      case 3:
        return add(graph_.depthwise(from, slide(from)));
      case 4:
        return add(graph_.pool(from, slide(from)));
      case 5:
        return add(graph_.mapped(from));
      case 6:
        return add(graph_.added(from, partner(from)));
      case 7:
        return add(graph_.concat(from, partner(from)));
      case 8:
        if (whole[1] < 2) return;
        for (const Handle half : graph_.split(from)) add(half);
        return;
      case 9:
        return add(graph_.padded(from, pick(2), pick(3)));
      case 10:
        if (small) add(graph_.resized(from, 2, pick(2) == 0));
        return;
      case 11:
        if (small && whole[1] % 4 == 0) return add(graph_.spread(from));
        return there(from);
      case 12:
        if (small) add(graph_.grown(from, {.kernel = 2, .stride = 2, .before = 0, .after = 0}));
        return;
      case 13:
        return there(from);
      case 14:
        return shuffle(from);
      case 15:
        return tokens(from);
      case 16:
        return scaled(from);
      case 17:
        return excited(from);
      case 18:
        return folded(from);
      case 19:
        return pick(2) == 0 ? picked(from) : sliced(from);
      case 20:
        return normalised(from);
      default:
        return pick(4) == 0 ? strange(from) : add(transposed(from, {0, 1, 3, 2}));
    }
  }

  std::mt19937_64 draw_;
  std::size_t ops_;
  ImageGraph graph_{false};
  std::vector<Handle> images_;
  std::vector<Handle> ends_;
};

}  // namespace hw::test
