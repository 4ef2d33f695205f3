#pragma once

#include <hw_onnx.pb.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/ops/op_facts.h"

namespace hw {

/// A size that a free dimension has because the model takes no other, or does not take 1.
struct SettledDimension {
  std::int64_t size = 1;
  bool isOnly = false;  ///< No other size fits.
  std::string by{};     ///< Who needs it, for people: "MatMul 'fc'".
};
using SettledDimensions = std::map<std::string, SettledDimension>;  ///< By what `--dim` takes.

/// A hint for a tensor without a shape: the option that gives it one, ready to be pasted.
std::string shapeHint(const std::string& tensor);

/// The free dimensions of a model and what they are taken to be: bound by the user, settled by the
/// model, or 1.
class FreeDimensions {
 public:
  explicit FreeDimensions(std::map<std::string, std::int64_t> bound, SettledDimensions settled = {})
      : bound_(std::move(bound)), settled_(std::move(settled)) {}
  virtual ~FreeDimensions() = default;
  FreeDimensions(const FreeDimensions&) = delete;
  FreeDimensions& operator=(const FreeDimensions&) = delete;

  /// Makes every dimension of a graph input static. A named one follows `--dim NAME`, an unnamed
  /// one `--dim INPUT[AXIS]`; else it is as the model needs it, or 1, and `notes` says so. True
  /// when a size is one of several that would do.
  virtual bool bindInput(onnx::TypeProto& type, const std::string& input);

  /// Makes the open dimensions of a tensor inside the model static that the user bound with
  /// `--dim TENSOR[AXIS]`. True when all are static now.
  bool bindTensor(onnx::TypeProto& type, const std::string& tensor);

  /// As above, for dimensions that depend on data: what the user did not bind becomes the most it
  /// can be, or 1 where there is no such bound (`most` is negative); `notes` says so.
  virtual void assumeTensor(onnx::TypeProto& type, const std::string& tensor,
                            const std::vector<std::int64_t>& most);

  /// The value that the user gives a graph input of one integer or truth value: `--dim
  /// INPUT=VALUE`.
  virtual std::optional<std::int64_t> valueOf(const onnx::TypeProto& type,
                                              const std::string& input);

  /// Makes those dimensions static whose names have a value by now, products such as `batch*seq`
  /// included; clears the others. True when a value used was taken as 1.
  virtual bool substitute(onnx::TypeProto& type);

  /// Puts into a shape that was inferred what the file says of dimensions that no rule settles:
  /// nothing, since free dimensions have a value here.
  virtual void refine(onnx::TypeProto& /*inferred*/, const onnx::TypeProto& /*declared*/) const {}

  /// Types and shapes of an op's outputs, by the rules of core/ops.
  virtual std::vector<TensorFacts> infer(const OpFacts& facts) { return inferByRule(facts); }

  /// True if the elements of what an op makes are worked out.
  virtual bool followsValues(const OpFacts& /*facts*/) const { return true; }

  /// A dimension of an input that the user did not bind.
  struct Open {
    std::string key{};    ///< What `--dim` takes.
    std::string input{};  ///< The first that has it.
    int axis = 0;
  };
  /// In the order in which inputs have them, each once.
  const std::vector<Open>& open() const { return open_; }

  /// One sentence a dimension that was not given.
  const std::vector<std::string>& notes() const { return notes_; }

  /// Inputs of one number whose values the user might have given.
  const std::vector<std::string>& openValues() const { return openValues_; }

  /// Fails when the user bound a dimension that the model does not have.
  Result<void> checkAllUsed() const;

 private:
  struct Size {
    std::int64_t size = 1;
    bool assumed = false;
  };
  Size sizeOf(const std::string& name, const std::string& input, int axis);
  void giveShape(onnx::TypeProto& type, const std::string& tensor);
  std::optional<std::int64_t> bound(const std::string& key);
  std::optional<Size> known(const std::string& name);

  std::map<std::string, std::int64_t> bound_;
  SettledDimensions settled_;
  std::vector<Open> open_;
  std::set<std::string> used_;         ///< Names in `bound_` that the model has.
  std::map<std::string, Size> sizes_;  ///< Of the named dimensions of inputs.
  std::set<std::string> offered_;      ///< Keys that a note names.
  std::vector<std::string> openValues_;
  std::vector<std::string> notes_;
};

}  // namespace hw
