#pragma once

#include <onnx/onnx_pb.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace hw {

/// The free dimensions of a model and what they are taken to be: bound by the user, or 1.
class FreeDimensions {
 public:
  explicit FreeDimensions(std::map<std::string, std::int64_t> bound) : bound_(std::move(bound)) {}

  /// Makes every dimension of a graph input static. A named one follows `--dim NAME`, an unnamed
  /// one `--dim INPUT[AXIS]`; else it is 1, and `notes` says so. True when one was taken as 1.
  bool bindInput(onnx::TypeProto& type, const std::string& input);

  /// Makes those dimensions static whose names have a value by now, products such as `batch*seq`
  /// included; clears the others. True when a value used was taken as 1.
  bool substitute(onnx::TypeProto& type);

  /// One sentence a dimension that was taken as 1.
  const std::vector<std::string>& notes() const { return notes_; }

  /// Fails when the user bound a dimension that the model does not have.
  Result<void> checkAllUsed() const;

 private:
  struct Size {
    std::int64_t size = 1;
    bool assumed = false;
  };
  Size sizeOf(const std::string& name, const std::string& input, int axis);
  std::optional<Size> known(const std::string& name);

  std::map<std::string, std::int64_t> bound_;
  std::set<std::string> used_;         ///< Names in `bound_` that the model has.
  std::map<std::string, Size> sizes_;  ///< Of the named dimensions of inputs.
  std::vector<std::string> notes_;
};

}  // namespace hw
