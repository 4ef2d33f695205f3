#include <algorithm>
#include <map>

#include "core/ops/op_rules.h"

// Ops that generate tensors, recurrences, and what belongs to none of the other files.

namespace hw::shapes {
namespace {

OutputFacts unitsOf(const OpFacts& facts, std::size_t weight) {
  const Shape* weights = facts.shape(weight);
  OutputFacts outputs = like(facts, 0);
  if (outputs.empty() || outputs[0].shape->empty() || weights == nullptr || weights->empty())
    return {};
  outputs[0].shape->back() = weights->front();
  return outputs;
}

/// A row for each distinct label: "ij,jk" has i, j and k. Where an axis carries a label twice, or
/// inputs broadcast, the larger dimension counts.
class Labels {
 public:
  /// False when `term` does not fit `shape`.
  bool take(std::string_view term, const Shape& shape) {
    std::size_t named = 0;
    for (const char label : term) named += label != '.' ? 1 : 0;
    const bool open = term.find("...") != std::string_view::npos;
    if (term.size() != named + (open ? 3 : 0) || shape.size() < named) return false;
    const std::size_t rest = shape.size() - named;
    if (rest > 0 && !open) return false;
    std::size_t axis = 0;
    for (std::size_t i = 0; i < term.size(); ++i, ++axis) {
      if (term[i] != '.') {
        if (!meet(term[i], shape[axis])) return false;
        continue;
      }
      const auto from = shape.begin() + static_cast<std::ptrdiff_t>(axis);
      const auto both = broadcast(ellipsis_, Shape(from, from + static_cast<std::ptrdiff_t>(rest)));
      if (!both) return false;
      ellipsis_ = *both;
      axis += rest - 1;  // The loop steps over one of them; there may be none.
      i += 2;
    }
    return true;
  }

  std::optional<Shape> shapeOf(std::string_view term) const {
    Shape shape;
    for (std::size_t i = 0; i < term.size(); ++i) {
      if (term[i] == '.') {
        shape.insert(shape.end(), ellipsis_.begin(), ellipsis_.end());
        i += 2;
        continue;
      }
      const auto found = sizes_.find(term[i]);
      if (found == sizes_.end()) return std::nullopt;
      shape.push_back(found->second);
    }
    return shape;
  }

  /// Without an arrow: the ellipsis, then the labels that are there once, in alphabetical order.
  std::string implied() const {
    std::string term = "...";
    for (const auto& [label, count] : count_) {
      if (count == 1) term += label;
    }
    return term;
  }

 private:
  bool meet(char label, std::int64_t size) {
    ++count_[label];
    std::int64_t& known = sizes_.try_emplace(label, size).first->second;
    if (known != size && known != 1 && size != 1) return false;
    if (known == 1) known = size;
    return true;
  }

  std::map<char, std::int64_t> sizes_;
  std::map<char, int> count_;
  Shape ellipsis_;
};

}  // namespace

/// As input 0, with the type that an attribute may name: EyeLike, Bernoulli, RandomNormalLike.
OutputFacts typedLikeFirst(const OpFacts& facts) {
  return retyped(like(facts, 0), typeNamed(facts, "dtype", facts.dtype(0)));
}

/// The attribute says it all: RandomNormal, RandomUniform.
OutputFacts shapeAttribute(const OpFacts& facts) {
  if (!facts.op.attributes.contains("shape")) return {};
  return one(typeNamed(facts, "dtype", Dtype::float32), facts.op.intsAttribute("shape"));
}

/// As many random class numbers a row as `sample_size` says.
OutputFacts multinomial(const OpFacts& facts) {
  const Shape* input = facts.shape(0);
  if (input == nullptr || input->size() != 2) return {};
  return one(typeNamed(facts, "dtype", Dtype::int32),
             {input->front(), facts.op.intAttribute("sample_size", 1)});
}

/// The result, then statistics of each channel, of which old opsets have two more.
OutputFacts batchNormalization(const OpFacts& facts) {
  OutputFacts outputs = like(facts, 0);
  if (outputs.empty() || facts.outputCount < 2) return outputs;
  const Shape* scale = facts.shape(1);
  if (scale == nullptr) return outputs;
  outputs.resize(facts.outputCount, {facts.dtype(0), *scale});
  return outputs;
}

/// One number a matrix.
OutputFacts determinant(const OpFacts& facts) {
  OutputFacts outputs = like(facts, 0);
  if (outputs.empty() || outputs[0].shape->size() < 2) return {};
  outputs[0].shape->resize(outputs[0].shape->size() - 2);
  return outputs;
}

/// GatherND: the last dimension of the indices picks a slice for each of the others.
OutputFacts gatherNd(const OpFacts& facts) {
  const Shape* data = facts.shape(0);
  const Shape* indices = facts.shape(1);
  const std::int64_t batch = facts.op.intAttribute("batch_dims", 0);
  if (data == nullptr || indices == nullptr || indices->empty() || batch < 0) return {};
  const auto rank = static_cast<std::int64_t>(data->size());
  const std::int64_t depth = indices->back();
  if (batch >= rank || depth < 0 || depth > rank - batch) return {};
  Shape shape(indices->begin(), indices->end() - 1);
  shape.insert(shape.end(), data->begin() + batch + depth, data->end());
  return one(facts.dtype(0), shape);
}

/// The k largest along an axis, and where they were. Old opsets have k as an attribute.
OutputFacts topK(const OpFacts& facts) {
  OutputFacts outputs = like(facts, 0);
  const auto count = facts.integer(1, "k", -1);
  if (outputs.empty() || !count) return {};
  const auto axis = facts.axis(-1, outputs[0].shape->size());
  if (!axis || *count < 0 || *count > (*outputs[0].shape)[*axis]) return {};
  (*outputs[0].shape)[*axis] = *count;
  outputs.push_back({Dtype::int64, outputs[0].shape});
  return outputs;
}

/// LSTM, GRU, RNN: (T, B, I) or, with layout 1, (B, T, I) -> all states, then the last of each
/// kind.
OutputFacts recurrence(const OpFacts& facts) {
  const Shape* input = facts.shape(0);
  const Shape* weight = facts.shape(1);
  const Shape* recurrent = facts.shape(2);
  if (input == nullptr || input->size() != 3) return {};
  // DynamicQuantizeLSTM has its matrices the other way round, but says how wide it is.
  const bool tells = recurrent != nullptr && recurrent->size() == 3;
  const std::int64_t hidden = facts.op.intAttribute("hidden_size", tells ? recurrent->back() : -1);
  const bool bothWays = facts.op.stringAttribute("direction", "forward") == "bidirectional";
  const std::int64_t directions =
      weight != nullptr && weight->size() == 3 ? weight->front() : (bothWays ? 2 : 1);
  if (hidden < 0) return {};
  const bool batchFirst = facts.op.intAttribute("layout", 0) != 0;
  const std::int64_t turns = (*input)[batchFirst ? 1 : 0];
  const std::int64_t batch = (*input)[batchFirst ? 0 : 1];
  const Shape last =
      batchFirst ? Shape{batch, directions, hidden} : Shape{directions, batch, hidden};
  OutputFacts outputs(facts.outputCount, {facts.dtype(0), last});
  if (!outputs.empty()) {
    outputs[0].shape = batchFirst ? Shape{batch, turns, directions, hidden}
                                  : Shape{turns, directions, batch, hidden};
  }
  return outputs;
}

/// TFLite's recurrences: the input, one number for each unit last, as many as a weight has rows.
OutputFacts units(const OpFacts& facts) { return unitsOf(facts, 1); }

/// Input 4 is the input-to-output weight, 16 the projection that may follow.
OutputFacts projectedUnits(const OpFacts& facts) { return unitsOf(facts, facts.has(16) ? 16 : 4); }

/// SVDF: filters are (units x rank, depth).
OutputFacts rankedUnits(const OpFacts& facts) {
  const Shape* input = facts.shape(0);
  const Shape* weights = facts.shape(1);
  const std::int64_t rank = facts.op.intAttribute("rank", 1);
  if (input == nullptr || weights == nullptr || input->empty() || weights->empty() || rank < 1) {
    return {};
  }
  return one(facts.dtype(0), {input->front(), weights->front() / rank});
}

OutputFacts matrixDiagonal(const OpFacts& facts) {
  OutputFacts outputs = like(facts, 0);
  if (outputs.empty() || outputs[0].shape->empty()) return {};
  outputs[0].shape->push_back(outputs[0].shape->back());
  return outputs;
}

OutputFacts scalar(const OpFacts& facts) { return one(facts.dtype(0), {}); }

OutputFacts contraction(const OpFacts& facts) {
  std::string equation = facts.op.stringAttribute("equation", "");
  std::erase(equation, ' ');
  const std::size_t arrow = equation.find("->");
  Labels labels;
  std::size_t begin = 0;
  const std::string inputs = equation.substr(0, arrow);
  for (std::size_t i = 0; i < facts.inputs.size(); ++i) {
    if (facts.shape(i) == nullptr || begin > inputs.size()) return {};
    const std::size_t end = std::min(inputs.find(',', begin), inputs.size());
    if (!labels.take(std::string_view(inputs).substr(begin, end - begin), *facts.shape(i))) {
      return {};
    }
    begin = end + 1;
  }
  if (begin <= inputs.size()) return {};
  const std::string output =
      arrow == std::string::npos ? labels.implied() : equation.substr(arrow + 2);
  return maybe(facts.dtype(0), labels.shapeOf(output));
}

/// A loss for each label, or one for all; then, of SoftmaxCrossEntropyLoss, logarithms.
OutputFacts loss(const OpFacts& facts) {
  const bool each = facts.op.stringAttribute("reduction", "mean") == "none";
  if (each && facts.shape(1) == nullptr) return {};
  OutputFacts outputs = one(facts.dtype(0), each ? *facts.shape(1) : Shape());
  if (facts.outputCount > 1 && facts.shape(0) != nullptr) {
    outputs.push_back({facts.dtype(0), *facts.shape(0)});
  }
  return outputs;
}

/// One number for each n-gram that is counted.
OutputFacts ngrams(const OpFacts& facts) {
  const Shape* input = facts.shape(0);
  const auto places = facts.op.intsAttribute("ngram_indexes");
  if (input == nullptr || input->size() > 2 || input->empty() || places.empty()) return {};
  const auto width = checkedAdd(*std::ranges::max_element(places), 1);
  if (!width || *width < 1) return {};
  return one(Dtype::float32, input->size() == 2 ? Shape{input->front(), *width} : Shape{*width});
}

}  // namespace hw::shapes
