#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/exchange/onnx/part_program.h"
#include "core/import/importer.h"
#include "core/insight/runtime_plan.h"

namespace hw {

/// A model of ONNX, read as its file has it: bodies closed, nothing fused, an operator for each
/// node.
struct OnnxSource {
  std::string_view bytes{};
  ImportOptions import{};
  Model model{};
  /// Weights are in files beside it, which nobody opens: a file that is written names them, too,
  /// and has to lie in the same folder.
  bool external = false;

  const Graph& graph() const { return *model.graph; }
};

/// Reads `bytes`, free dimensions bound as `dimensions` say. Fails where they are no ONNX file.
Result<OnnxSource> onnxSource(std::string_view bytes,
                              const std::map<std::string, std::int64_t>& dimensions);

/// Fails if the weights of the model, which is read from the file `model`, are in files beside it,
/// and `file` is not to be written into the same folder.
Result<void> checkBeside(const OnnxSource& source, const std::string& model,
                         const std::string& file);

/// A file that is written, and the dimensions that it leaves free, with the sizes they had.
struct OnnxFile {
  std::string bytes{};
  std::map<std::string, std::int64_t> freed{};
};

/// The shapes that ONNX Runtime knows of a file before it runs.
enum class ShapesKnown : std::uint8_t {
  all,       ///< Those of the model.
  reshaped,  ///< Inputs of four axes leave their height free: only those behind a Reshape to sizes
             ///< that the file says.
  fewest,    ///< Such a Reshape leaves its last size free, too.
};
inline constexpr ShapesKnown kShapesKnown[] = {ShapesKnown::all, ShapesKnown::reshaped,
                                               ShapesKnown::fewest};

/// The file of a program; all that does not run in parts is as it was. Where a height is free, the
/// shapes that the file stores for tensors inside are left out, and only inputs as high as they
/// were make sense all the same. Fails on models before opset 7, and on operators inside functions
/// of the model.
Result<OnnxFile> onnxFile(const OnnxSource& source, const PartProgram& program, ShapesKnown known);

/// The parts of a tiled graph, of the operators of `model`: matched by the names of their outputs.
/// Operators that fold their input stay whole; `notes` says so. Fails where the graph was not made
/// of that model, or has parts that are not rows or columns.
Result<std::vector<OnnxPart>> onnxParts(const Graph& tiled, const Graph& model,
                                        std::vector<std::string>& notes);

/// The most bytes that ONNX Runtime is predicted to ask for at once, beside inputs and weights, and
/// the step at which it does: its order, what its kernels write over, what its planner keeps.
/// `shapes`: as far as it knows them.
struct RuntimePeak {
  Bytes bytes{};
  OpId op{};
};
RuntimePeak runtimePeak(const Graph& graph, const RuntimeShapes& shapes);

/// The same of a file.
Result<RuntimePeak> runtimePeak(std::string_view file, const ImportOptions& options);

/// Of the files that let the runtime know more or fewer shapes, the one of lowest peak.
struct OnnxChoice {
  OnnxFile file{};
  Bytes peak{};
};
Result<OnnxChoice> leastOnnxFile(const OnnxSource& source, const PartProgram& program);

/// A sentence on what the runtime is given with free dimensions; empty without any.
std::string freedText(const OnnxFile& file);

}  // namespace hw
