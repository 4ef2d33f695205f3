#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "core/import/tflite/inference.h"
#include "core/import/tflite/model.h"
#include "core/rewrite/graph_builder.h"

namespace hw {

/// By tensor of a subgraph: true where an operator makes it.
std::vector<bool> madeIn(const TfliteSubgraph& graph);

/// Turns a subgraph of a TFLite file into a Graph.
///
/// Callees are opened, unless they are to stay closed: the larger branch of an IF, the callee of
/// a CALL and the decomposition of a composite stand in the operator's place, and one turn of a
/// WHILE stands between two operators,
///
///   WHILE      initial values -> values of a turn
///   ...        the condition, then the body
///   WHILE_END  the condition, values after the turn -> final values
///
/// Subgraphs that CALL_ONCE runs happened before and are left out. A tensor that nothing makes and
/// the file does not store is scratch: it comes with the first operator that names it, as if made
/// there.
class TfliteReader {
 public:
  TfliteReader(const TfliteFile& file, std::string name, bool closed);

  struct Request {
    std::size_t subgraph = 0;
    std::shared_ptr<const TfliteShapes> shapes{};
    /// By subgraph and tensor: a plan of the file's own.
    std::vector<std::vector<std::optional<Bytes>>> offsets{};
    std::vector<std::string> notes{};
    std::function<void()> release{};  ///< As in ImportOptions.
  };
  Result<Graph> read(Request request) &&;

 private:
  /// All of the entry point, with what it calls.
  Result<void> addEntry(Request request);
  using Handle = GraphBuilder::Handle;
  /// One subgraph while it is read.
  struct Level {
    const TfliteSubgraph& graph;
    std::size_t subgraph = 0;
    std::shared_ptr<const TfliteShapes> shapes{};
    std::string prefix{};  ///< Of names of tensors.
    std::string where{};   ///< For errors: "subgraph[0]".
    std::vector<Handle> handles{};
    std::vector<bool> made{};  ///< By an operator of this level.
    int depth = 0;
  };

  Level enter(std::size_t subgraph, std::shared_ptr<const TfliteShapes> shapes) const;
  Result<void> addTensors(Level& level);
  Handle addTensor(const Level& level, std::size_t index, bool isInput);
  void describe(Tensor& tensor, const TfliteTensor& stored, const TfliteKnown& known) const;
  Result<void> addOps(Level& level);
  Result<void> addOp(Level& level, std::size_t index);
  Result<std::vector<Handle>> handlesOf(const Level& level, const std::vector<std::int32_t>& list,
                                        const std::string& where) const;
  void claimScratch(GraphBuilder::OpParts& parts);
  void sizeState(const TfliteOp& op, const GraphBuilder::OpParts& parts);
  Op opOf(const Level& level, const TfliteOp& op) const;

  bool opens(const Level& level, std::size_t index) const;
  Result<void> openCall(Level& level, std::size_t index, GraphBuilder::OpParts parts);
  Result<void> openLoop(Level& level, std::size_t index, GraphBuilder::OpParts parts);
  Level innerLevel(const Level& level, std::size_t index, std::size_t call);

  const TfliteFile& file_;
  bool closed_;
  std::vector<std::vector<std::optional<Bytes>>> offsets_;
  std::function<void()> release_;
  GraphBuilder builder_;
  std::unordered_set<std::string> prefixes_;
  std::vector<bool> scratch_;            ///< By handle: not claimed yet.
  std::map<std::string, Bytes> states_;  ///< What is behind a variable handle, by its name.
  std::unordered_set<std::string> placedStates_;
  std::vector<std::string> guesses_;
};

/// Which variable a VAR_HANDLE stands for.
std::string tfliteStateName(const TfliteOp& op);

/// Bytes behind the variables of a file, by name: as large as what is written to or read from them
/// in any subgraph. Those of unknown size are left out.
std::map<std::string, Bytes> tfliteStates(const TfliteFile& file);

}  // namespace hw
