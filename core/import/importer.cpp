#include "core/import/importer.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include "core/files/mapped_file.h"
#include "core/files/sha256.h"
#include "core/import/formats.h"
#include "core/import/other_kind.h"

namespace hw {
namespace {

constexpr std::array kImporters = {
    ImporterInfo{"onnx", "ONNX model (protobuf)", "*.onnx", &acceptsOnnx, &readOnnx},
    ImporterInfo{"tflite", "TensorFlow Lite model (flatbuffer)", "*.tflite *.lite", &acceptsTflite,
                 &readTflite},
    ImporterInfo{"tflite-bundle", "bundle of TensorFlow Lite models (zip, LiteRT-LM)",
                 "*.task *.litertlm", &acceptsTfliteBundle, &readTfliteBundle},
    ImporterInfo{"executorch", "memory plan of an ExecuTorch program (flatbuffer)", "*.pte",
                 &acceptsExecutorch, &readExecutorch, true},
    ImporterInfo{"st-network", "memory plan of ST Edge AI (JSON)", "*.c_info.json *_c_info.json",
                 &acceptsStNetwork, &readStNetwork, true},
    ImporterInfo{"plan-json", "memory plan of Highwater (JSON)", "*.plan.json *.json",
                 &acceptsOwnPlan, &readOwnPlan},
    ImporterInfo{"tflm-log", "memory plan that tflite-micro printed", "*.log *.txt",
                 &acceptsTflmLog, &readTflmLog, true},
    ImporterInfo{"vela-log", "memory plan that Vela printed (--verbose-allocation)", "*.log *.txt",
                 &acceptsVelaLog, &readVelaLog, true},
    ImporterInfo{"xla-dump", "memory plan that XLA dumped (buffer assignment, live ranges)",
                 "*.txt", &acceptsXlaDump, &readXlaDump, true},
    ImporterInfo{"ort-profile", "profile of ONNX Runtime, operator by operator (JSON)", "*.json",
                 &acceptsOrtProfile, &readOrtProfile},
    ImporterInfo{"torch-snapshot", "recording of PyTorch's allocator (pickle)", "*.pickle *.pkl",
                 &acceptsTorchSnapshot, &readTorchSnapshot},
    ImporterInfo{"alloc-log", "recording of any allocator (CSV)", "*.csv", &acceptsAllocLog,
                 &readAllocLog},
    ImporterInfo{"graph-json", "Highwater graph JSON", "*.graph.json *.json", &acceptsGraphJson,
                 &readGraphJson},
    ImporterInfo{"problem-csv", "planning problem CSV (MiniMalloc)", "*.csv", &acceptsProblemCsv,
                 &readProblemCsv},
};

/// A file that people hand us in place of a model: told apart by some bytes at a fixed place.
struct Lookalike {
  std::size_t at;
  std::string_view magic;
  ErrorCode code;
  std::string_view message;
};

constexpr std::string_view kNotYet =
    "is not supported yet; ONNX, TFLite, graph JSON and problem CSV are";
constexpr std::array kLookalikes = {
    Lookalike{0, "version https://git-lfs", ErrorCode::malformed,
              "the file is a Git LFS pointer, not the model itself; fetch it with 'git lfs pull'"},
    Lookalike{4, "ORTM", ErrorCode::unsupported, "the ONNX Runtime format (.ort)"},
    Lookalike{0, "PK\x03\x04", ErrorCode::unsupported,
              "the file is a zip archive; expected a model, unpack it first"},
    Lookalike{0, "\x1F\x8B", ErrorCode::unsupported,
              "the file is compressed with gzip; expected a model, unpack it first"},
    Lookalike{0, "GGUF", ErrorCode::unsupported, "GGUF"},
    Lookalike{0, "\x89HDF\r\n", ErrorCode::unsupported, "HDF5 (Keras)"},
};

Error unrecognised(std::string_view bytes) {
  if (bytes.empty()) return {ErrorCode::malformed, "the file is empty; expected a model", {}};
  for (const Lookalike& lookalike : kLookalikes) {
    if (bytes.size() < lookalike.at || !bytes.substr(lookalike.at).starts_with(lookalike.magic)) {
      continue;
    }
    const bool sentence = lookalike.message.starts_with("the file");
    const std::string message(lookalike.message);
    return {lookalike.code, sentence ? message : message + " " + std::string(kNotYet), {}};
  }
  return {
      ErrorCode::malformed,
      "the format is not recognised; expected an ONNX or TFLite model, graph JSON or a problem CSV",
      {}};
}

Result<Model> readRecognised(std::string_view bytes, const std::string& path,
                             const ImportOptions& options) {
  // Look-alikes first: their first bytes could pass for a protobuf.
  Error refusal = unrecognised(bytes);
  const bool lookalike =
      !acceptsTfliteBundle(bytes) && (refusal.code == ErrorCode::unsupported || bytes.empty() ||
                                      bytes.starts_with(kLookalikes[0].magic));
  const ImporterInfo* importer = importerOf(bytes);
  if (importer == nullptr && !lookalike) {
    if (auto other = otherKind(bytes)) return fail(ErrorCode::unsupported, std::move(*other));
  }
  if (lookalike || importer == nullptr) return tl::unexpected<Error>(std::move(refusal));

  Result<Model> model = importer->read(bytes, options);
  if (!model) return model;
  model->path = path;
  model->format = importer->name;
  if (model->name.empty() && path != "-") model->name = std::filesystem::path(path).stem().string();
  if (model->name.empty()) model->name = model->graph->name;
  if (model->name.empty()) model->name = model->format;
  return model;
}

}  // namespace

std::span<const ImporterInfo> importerCatalog() { return kImporters; }

const ImporterInfo* importerOf(std::string_view bytes) {
  const auto found = std::ranges::find_if(
      kImporters, [&](const ImporterInfo& info) { return info.accepts(bytes); });
  return found == kImporters.end() ? nullptr : &*found;
}

Result<Model> importModel(std::string_view bytes, const std::string& path,
                          const ImportOptions& options) {
  Result<Model> model = readRecognised(bytes, path, options);
  if (model && model->sha256.empty()) model->sha256 = sha256(bytes);
  return model;
}

Result<Model> loadModel(const std::string& path, const ImportOptions& options,
                        const std::stop_token& stop) {
  HW_TRY(file, path == "-" ? MappedFile::standardInput(stop) : MappedFile::open(path, stop));
  Result<Model> model = readRecognised(file.bytes(), path, options);
  if (!model || !model->sha256.empty()) return model;
  Sha256 digest;
  file.forEachPiece([&](std::string_view piece) { digest.update(piece); });
  model->sha256 = digest.hex();
  return model;
}

}  // namespace hw
