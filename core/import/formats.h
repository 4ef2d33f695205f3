#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/text.h"
#include "core/import/importer.h"

namespace hw {

/// The importers themselves, one file each; everyone else goes through `importerCatalog`.
bool acceptsOnnx(std::string_view bytes);
Result<Model> readOnnx(std::string_view bytes, const ImportOptions& options);

bool acceptsTflite(std::string_view bytes);
Result<Model> readTflite(std::string_view bytes, const ImportOptions& options);

/// A zip archive with TFLite models inside.
bool acceptsTfliteBundle(std::string_view bytes);
Result<Model> readTfliteBundle(std::string_view bytes, const ImportOptions& options);

bool acceptsGraphJson(std::string_view bytes);
Result<Model> readGraphJson(std::string_view bytes, const ImportOptions& options);

bool acceptsProblemCsv(std::string_view bytes);
Result<Model> readProblemCsv(std::string_view bytes, const ImportOptions& options);

/// A problem of dsa-solver (JSON, dsa-problem-v1).
bool acceptsDsaProblem(std::string_view bytes);
Result<Model> readDsaProblem(std::string_view bytes, const ImportOptions& options);

/// A network of ai8x-synthesis (YAML), for the accelerators MAX78000 and MAX78002.
bool acceptsAi8x(std::string_view bytes);
Result<Model> readAi8x(std::string_view bytes, const ImportOptions& options);

// Plans of other tools (core/import/plans): graphs whose operators are steps of theirs.

/// ST Edge AI's network_c_info.json.
bool acceptsStNetwork(std::string_view bytes);
Result<Model> readStNetwork(std::string_view bytes, const ImportOptions& options);

/// An ExecuTorch program (.pte).
bool acceptsExecutorch(std::string_view bytes);
Result<Model> readExecutorch(std::string_view bytes, const ImportOptions& options);

/// The text that the planners of tflite-micro print.
bool acceptsTflmLog(std::string_view bytes);
Result<Model> readTflmLog(std::string_view bytes, const ImportOptions& options);

/// The text that Vela prints with --verbose-allocation.
bool acceptsVelaLog(std::string_view bytes);
Result<Model> readVelaLog(std::string_view bytes, const ImportOptions& options);

/// XLA's buffer assignment, with its live ranges behind it.
bool acceptsXlaDump(std::string_view bytes);
Result<Model> readXlaDump(std::string_view bytes, const ImportOptions& options);

/// The lists of our own plan JSON that may be long. What reads it looks at their elements one by
/// one, and at none of some.
inline constexpr std::array<std::string_view, 9> kPlanLists = {"placements", "moves",   "overlaps",
                                                               "schedule",   "frames",  "tables",
                                                               "records",    "unsized", "copies"};

/// Our own plan JSON, without its model.
bool acceptsOwnPlan(std::string_view bytes);
Result<Model> readOwnPlan(std::string_view bytes, const ImportOptions& options);

// What was measured (core/import/measured): recordings of allocators, as planning problems, and of
// operators, as graphs whose operators are theirs.

/// A profile of ONNX Runtime (JSON).
bool acceptsOrtProfile(std::string_view bytes);
Result<Model> readOrtProfile(std::string_view bytes, const ImportOptions& options);

/// A snapshot of PyTorch's caching allocator (pickle).
bool acceptsTorchSnapshot(std::string_view bytes);
Result<Model> readTorchSnapshot(std::string_view bytes, const ImportOptions& options);

/// The recording of any allocator: time,event,id,size[,address].
bool acceptsAllocLog(std::string_view bytes);
Result<Model> readAllocLog(std::string_view bytes, const ImportOptions& options);

/// Options that a file may ask for (`Model::options`): who plans it, and how large memories are.
inline constexpr std::string_view kOwnOptions[] = {"allocator", "l2", "l3", "align"};

/// Notes that a file asks for `option` as `text`; nothing where that is empty. Fails on other
/// options, and on a plug-in: opening a file runs no code that came with it. Whether the text means
/// something is found out where options are read.
Result<void> addOwnOption(Model& model, std::string_view option, std::string_view text,
                          std::string_view where);

/// True if a line of `text` begins with `line`.
bool hasLine(std::string_view text, std::string_view line);

/// The kind of a file that is no model but known to this program, and how to use it: a machine.
/// Nothing for an unknown kind.
std::optional<std::string> otherKind(std::string_view bytes);

}  // namespace hw
