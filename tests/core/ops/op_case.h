#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/ops/op_facts.h"

namespace hw {

using Integers = std::vector<std::int64_t>;
using Shapes = std::vector<Shape>;

/// An op about to be inferred, its inputs given one by one.
class OpCase {
 public:
  explicit OpCase(std::string type, std::string domain = {}) {
    op_.type = std::move(type);
    op_.domain = std::move(domain);
  }
  OpCase& attribute(const std::string& name, AttributeValue value) {
    op_.attributes.emplace(name, std::move(value));
    return *this;
  }
  OpCase& with(const std::string& name, AttributeValue value) {
    return attribute(name, std::move(value));
  }
  OpCase& with(const std::string& name, int value) { return attribute(name, std::int64_t{value}); }
  /// An input of which only the shape is known.
  OpCase& shaped(Shape shape, Dtype dtype = Dtype::float32) {
    inputs_.push_back({.present = true, .facts = {dtype, std::move(shape)}});
    return *this;
  }
  /// Inputs of which only the shapes are known.
  OpCase& inputs(Shapes shapes) {
    for (Shape& shape : shapes) shaped(std::move(shape));
    return *this;
  }
  OpCase& absent(std::size_t count = 1) {
    inputs_.resize(inputs_.size() + count);
    return *this;
  }
  /// An input of which nothing is known.
  OpCase& unknown() {
    inputs_.push_back({.present = true});
    return *this;
  }
  OpCase& value(SmallValue value) {
    values_.push_back(std::make_shared<const SmallValue>(std::move(value)));
    inputs_.push_back({.present = true,
                       .facts = {values_.back()->dtype, values_.back()->shape},
                       .value = values_.back().get()});
    return *this;
  }
  OpCase& list(Integers integers) { return value(integerList(std::move(integers))); }
  OpCase& outputs(std::size_t count) {
    count_ = count;
    return *this;
  }
  OpCase& opset(std::int64_t version) {
    opset_ = version;
    return *this;
  }

  OpFacts facts() const { return {op_, opset_, inputs_, count_}; }
  std::vector<TensorFacts> infer() const { return inferByRule(facts()); }
  std::vector<TensorFacts> infer(std::size_t count) const {
    return OpCase(*this).outputs(count).infer();
  }
  /// Shapes of the outputs, {-1} where one is not known; empty when the rule cannot tell.
  Shapes shapes() const {
    Shapes shapes;
    for (const TensorFacts& output : infer()) shapes.push_back(output.shape.value_or(Shape{-1}));
    return shapes;
  }
  Shapes shapes(std::size_t count) const { return OpCase(*this).outputs(count).shapes(); }
  std::optional<SmallValue> evaluated() const {
    const auto values = evaluateSmall(facts());
    return values.empty() ? std::nullopt : std::optional(values[0]);
  }
  std::optional<Integers> integers() const {
    const auto result = evaluated();
    return result ? std::optional(result->integers) : std::nullopt;
  }

 private:
  Op op_;
  std::int64_t opset_ = 18;
  std::vector<OpFacts::Input> inputs_;
  std::vector<std::shared_ptr<const SmallValue>> values_;
  std::size_t count_ = 1;
};

}  // namespace hw
