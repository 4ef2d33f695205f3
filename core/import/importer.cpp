#include "core/import/importer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "core/base/json.h"
#include "core/base/text.h"
#include "core/files/mapped_file.h"
#include "core/files/sha256.h"
#include "core/import/formats.h"
#include "core/import/weight_bytes.h"
#include "core/machine/foreign/machine_formats.h"

namespace hw {
namespace {

/// The most bytes of a mapped format: as large as disks are, for weights are not read.
constexpr std::size_t kMapped = std::size_t{64} << 30U;
/// The most bytes of a format read from front to back, and kept only as far as it counts. JSON has
/// a limit of its own (core/base/document_limits.h).
constexpr std::size_t kStreamed = std::size_t{2} << 30U;

/// The most bytes of a document that is read as a whole.
constexpr std::size_t kDocument = std::size_t{64} << 20U;

constexpr std::array kImporters = {
    ImporterInfo{"onnx", "ONNX model (protobuf)", "*.onnx", &acceptsOnnx, &readOnnx, false,
                 kMapped},
    ImporterInfo{"tflite", "TensorFlow Lite model (flatbuffer)", "*.tflite *.lite", &acceptsTflite,
                 &readTflite, false, kMapped},
    ImporterInfo{"tflite-bundle", "bundle of TensorFlow Lite models (zip, LiteRT-LM)",
                 "*.task *.litertlm", &acceptsTfliteBundle, &readTfliteBundle, false, kMapped},
    ImporterInfo{"executorch", "memory plan of an ExecuTorch program (flatbuffer)", "*.pte",
                 &acceptsExecutorch, &readExecutorch, true, kMapped},
    ImporterInfo{"st-network", "memory plan of ST Edge AI (JSON)", "*.c_info.json *_c_info.json",
                 &acceptsStNetwork, &readStNetwork, true, kJsonLimits.bytes},
    ImporterInfo{"plan-json", "memory plan of Highwater (JSON)", "*.plan.json *.json",
                 &acceptsOwnPlan, &readOwnPlan, false, kJsonLimits.bytes},
    ImporterInfo{"tflm-log", "memory plan that tflite-micro printed", "*.log *.txt",
                 &acceptsTflmLog, &readTflmLog, true, kStreamed},
    ImporterInfo{"vela-log", "memory plan that Vela printed (--verbose-allocation)", "*.log *.txt",
                 &acceptsVelaLog, &readVelaLog, true, kStreamed},
    ImporterInfo{"xla-dump", "memory plan that XLA dumped (buffer assignment, live ranges)",
                 "*.txt", &acceptsXlaDump, &readXlaDump, true, kStreamed},
    ImporterInfo{"dsa-problem", "planning problem with rules and costs of pairs (dsa-solver)",
                 "*.dsa.json *.json", &acceptsDsaProblem, &readDsaProblem, false, kDocument},
    ImporterInfo{"ort-profile", "profile of ONNX Runtime, operator by operator (JSON)", "*.json",
                 &acceptsOrtProfile, &readOrtProfile, false, kJsonLimits.bytes},
    ImporterInfo{"torch-snapshot", "recording of PyTorch's allocator (pickle)", "*.pickle *.pkl",
                 &acceptsTorchSnapshot, &readTorchSnapshot, false, kStreamed},
    ImporterInfo{"alloc-log", "recording of any allocator (CSV)", "*.csv", &acceptsAllocLog,
                 &readAllocLog, false, kStreamed},
    ImporterInfo{"ai8x", "network of ai8x-synthesis with its data memory (YAML)", "*.yaml *.yml",
                 &acceptsAi8x, &readAi8x, false, kYamlLimits.bytes},
    ImporterInfo{"graph-json", "Highwater graph JSON", "*.graph.json *.json", &acceptsGraphJson,
                 &readGraphJson, false, kJsonLimits.bytes},
    ImporterInfo{"problem-csv", "planning problem CSV (MiniMalloc)", "*.csv", &acceptsProblemCsv,
                 &readProblemCsv, false, kStreamed},
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

Result<void> checkSize(const ImporterInfo& importer, std::size_t bytes) {
  if (bytes <= importer.mostBytes) return {};
  return fail(ErrorCode::unsupported,
              fmt::format("the file looks like '{}' and has {} bytes; at most {} are read",
                          importer.name, groupDigits(bytes), groupDigits(importer.mostBytes)));
}

/// A model from a pipe may be as large as its format lets it, but for what is only mapped.
Result<std::size_t> pipeLimit(std::string_view head) {
  constexpr std::string_view kZip = "PK\x03\x04";  // What it holds stands at its end.
  if (head.starts_with(kZip)) return kMostOfPipe;
  const ImporterInfo* importer = importerOf(head);
  if (importer == nullptr) return tl::unexpected<Error>(unrecognised(head));
  return std::min(importer->mostBytes, kMostOfPipe);
}

/// True for formats of ours and of problems, in which no size is left open.
bool isSizedThroughout(const ImporterInfo& importer) {
  constexpr std::array<std::string_view, 4> kSized = {"graph-json", "problem-csv", "dsa-problem",
                                                      "plan-json"};
  return std::ranges::find(kSized, importer.name) != kSized.end();
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
  HW_DO(checkSize(*importer, bytes.size()));
  if (!options.dimensions.empty() && isSizedThroughout(*importer)) {
    return fail(ErrorCode::invalidArgument,
                fmt::format("the model has no free dimension '{}': in this format all sizes are "
                            "given",
                            printable(options.dimensions.begin()->first, 80)));
  }

  Result<Model> model = importer->read(bytes, options);
  if (!model) return model;
  if (!importer->othersPlan) {
    HW_TRY(graph, fused(std::move(model->graph), options.fuse));
    model->graph = std::move(graph);
  }
  if (!options.weightBytes.empty()) {
    auto graph = std::make_shared<Graph>(*model->graph);
    HW_DO(applyWeightBytes(options.weightBytes, *graph));
    model->graph = std::move(graph);
  }
  model->path = path;
  model->format = importer->name;
  if (model->name.empty() && path != "-") model->name = std::filesystem::path(path).stem().string();
  if (model->name.empty()) model->name = model->graph->name;
  if (model->name.empty()) model->name = model->format;
  return model;
}

std::optional<std::string> machine(std::string_view bytes) {
  constexpr std::string_view kUse = "give it with --platform, beside a model";
  for (const MachineFormat& format : machineFormats()) {
    if (!format.accepts(bytes)) continue;
    return fmt::format("the file describes a machine (of {}), not a model; {}", format.tool, kUse);
  }
  if (hasLine(bytes, "[[device]]")) {
    return fmt::format("the file is a platform, a machine in TOML, not a model; {}", kUse);
  }
  return std::nullopt;
}

}  // namespace

bool hasLine(std::string_view text, std::string_view line) {
  for (std::size_t at = text.find(line); at != std::string_view::npos;
       at = text.find(line, at + 1)) {
    if (at == 0 || text[at - 1] == '\n') return true;
  }
  return false;
}

std::span<const ImporterInfo> importerCatalog() { return kImporters; }

const ImporterInfo* importerOf(std::string_view bytes) {
  // Of a file that is too large for a format, the beginning is enough to tell.
  const auto found = std::ranges::find_if(kImporters, [&](const ImporterInfo& info) {
    return info.accepts(bytes.size() <= info.mostBytes ? bytes : bytes.substr(0, kPipeHead));
  });
  return found == kImporters.end() ? nullptr : &*found;
}

Result<Model> importModel(std::string_view bytes, const std::string& path,
                          const ImportOptions& options) {
  Result<Model> model = readRecognised(bytes, path, options);
  if (model && model->sha256.empty()) model->sha256 = sha256(bytes.substr(0, kHashedWhole));
  return model;
}

Result<Model> loadModel(const std::string& path, const ImportOptions& options,
                        const std::stop_token& stop) {
  HW_TRY(file, path == "-" ? MappedFile::standardInput(stop, pipeLimit)
                           : MappedFile::open(path, stop, pipeLimit));
  ImportOptions reading = options;
  reading.release = [&] { file.release(); };
  Result<Model> model = readRecognised(file.bytes(), path, reading);
  if (!model || !model->sha256.empty()) return model;
  Sha256 digest;
  file.forEachPiece(kHashedWhole, [&](std::string_view piece) { digest.update(piece); });
  model->sha256 = digest.hex();
  return model;
}

Result<void> addOwnOption(Model& model, std::string_view option, std::string_view text,
                          std::string_view where) {
  if (std::ranges::find(kOwnOptions, option) == std::end(kOwnOptions)) {
    return fail(ErrorCode::malformed,
                fmt::format("a file cannot ask for option '{}'; expected one of {}",
                            printable(option), fmt::join(kOwnOptions, ", ")),
                std::string(where));
  }
  if (trimText(text).empty()) return {};
  if (option == "allocator" && text.find("plugin") != std::string_view::npos) {
    return fail(
        ErrorCode::malformed,
        fmt::format("the file asks for allocator '{}'; a plug-in has to be named by whoever "
                    "opens it",
                    printable(text)),
        std::string(where));
  }
  model.options[std::string(option)] = {std::string(trimText(text))};
  model.optionPlaces[std::string(option)] = where;
  return {};
}

std::optional<std::string> otherKind(std::string_view bytes) {
  constexpr std::size_t kMost = std::size_t{64} << 20U;  // Whatever else it is, it is no machine.
  if (bytes.size() > kMost) return std::nullopt;
  return machine(withoutByteOrderMark(bytes));
}

}  // namespace hw
