#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/graph/graph.h"
#include "core/plan/problem.h"
#include "core/rewrite/fuse.h"

namespace hw {

/// The options of importers that a user may give.
struct ImportOptions {
  std::map<std::string, std::int64_t> dimensions{};  ///< --dim NAME=VALUE.
  /// Which part of a file that holds several: --subgraph NAME. Empty: the main one.
  std::string subgraph{};
  /// Control flow stays one op each, its bodies unseen. Else the branch that is taken, and one
  /// turn of a loop, become steps of the graph.
  bool closedBodies = false;
  Fusions fuse = fusionCatalog().front().fusions;  ///< Operators that are opened as one.
  std::string weightBytes{};  ///< CSV with the bytes of operators' weights as they are stored.
  /// Called by readers of large files when what they have read of it need not stay in memory; what
  /// is looked at again comes back. May be empty.
  std::function<void()> release{};
};

/// One of the models that a file holds.
struct ModelPart {
  std::string key{};    ///< What ImportOptions::subgraph takes.
  std::string label{};  ///< For people.
};

/// A problem of dsa-solver as its file has it: docs/formats/dsa.md.
struct DsaProblem {
  std::string document{};  ///< All of it in the form that its fingerprint is of.
  std::string profile{};
  std::string instance{};
  IdMap<TensorId, std::uint32_t> buffers{};  ///< Numbers in the file.
  IdMap<PoolId, std::uint32_t> pools{};
};

struct TensorRules;

/// A file, loaded: a graph, or a bare planning problem.
struct Model {
  std::string name{};  ///< For people: the graph's name or the file's stem.
  std::string path{};  ///< As the user gave it.
  /// Of the file's bytes, hexadecimal; beyond 256 MiB of the first so many, of ONNX and TFLite
  /// models without their weights.
  std::string sha256{};
  std::string format{};                  ///< The importer's name.
  std::shared_ptr<const Graph> graph{};  ///< Never null; a problem's graph has tensors but no ops.
  /// All that could have been chosen instead, at most 256; empty when the file holds one only.
  std::vector<ModelPart> parts{};
  std::size_t part = 0;  ///< Which of them this is.
  /// Set for a planning problem: its stays as given, in one unbounded pool unless
  /// `Problem::ownPools`. The buffer of a stay has the index of its tensor; a tensor of no bytes
  /// has no stay.
  std::optional<Problem> problem{};
  std::shared_ptr<const DsaProblem> dsa{};     ///< Null unless it is one of dsa-solver.
  std::shared_ptr<const TensorRules> rules{};  ///< Of the tensors of a graph; null: it states none.
  /// A plan that came with the problem (an offset column), one entry a stay; else empty.
  IdMap<StayId, std::optional<Bytes>> offsets{};
  /// The options of a run that its author wants, by their names (core/run/options.h): a
  /// figure opens as it was drawn. What a user says goes before.
  std::map<std::string, std::vector<std::string>, std::less<>> options{};
  /// The place in the file of each of them: "line 2".
  std::map<std::string, std::string, std::less<>> optionPlaces{};
};

/// A format we can read. `accepts` looks at the content, never at the name.
struct ImporterInfo {
  std::string_view name;
  std::string_view summary;
  std::string_view endings;  ///< Usual ones, for file dialogs: "*.onnx".
  bool (*accepts)(std::string_view bytes) = nullptr;
  /// Pure, so that it can be fuzzed: bytes in, model out; opens nothing.
  Result<Model> (*read)(std::string_view bytes, const ImportOptions& options) = nullptr;
  bool othersPlan = false;    ///< What another tool says of its own plan, and no model.
  std::size_t mostBytes = 0;  ///< Larger files are refused before anybody reads them.
};

std::span<const ImporterInfo> importerCatalog();
/// The importer that recognises `bytes`; null: none.
const ImporterInfo* importerOf(std::string_view bytes);

/// Recognises and reads `bytes`; `path` is for messages and the model's name only.
Result<Model> importModel(std::string_view bytes, const std::string& path,
                          const ImportOptions& options);

/// Maps the file and imports it. "-" reads standard input. `samples:NAME` is resolved by the
/// caller (core/import/samples.h). `stop` ends the wait for a pipe that nobody writes to.
Result<Model> loadModel(const std::string& path, const ImportOptions& options,
                        const std::stop_token& stop = {});

}  // namespace hw
