#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/import/importer.h"
#include "core/import/tflite/model.h"
#include "core/ops/small_value.h"

namespace hw {

/// The facts known about one tensor of a subgraph before it runs.
struct TfliteKnown {
  std::int32_t type = 0;
  std::optional<Shape> shape{};
  std::shared_ptr<const SmallValue> value{};  ///< Its elements, for the small ones shapes need.
  SizeOrigin origin = SizeOrigin::declared;
  std::string reason{};  ///< Why there is no shape.
  /// Not what the file stores: what is computed from it has to be worked out anew.
  bool moved = false;
  bool computed = false;  ///< The value was worked out from shapes, not stored.
  /// Inside the model, with a free dimension at the size stored, since no rule tells a better one.
  bool isPlaceholder = false;
};

/// The same as the rules of core/ops take it; of an operand that is left out when it is null.
OpFacts::Input factsOf(const TfliteKnown* known);

/// A subgraph at given input shapes, and those it calls.
struct TfliteShapes {
  std::vector<TfliteKnown> tensors{};  ///< By index in the subgraph.
  /// By operator index: the subgraphs it calls, in the order of `tfliteCalls`.
  std::map<std::size_t, std::vector<std::shared_ptr<const TfliteShapes>>> calls{};
};

/// The subgraphs that `op` runs while the model runs: the branches of an IF, condition and body of
/// a WHILE, the callee of a CALL, the decomposition of a composite. Not those that run once before.
std::vector<std::size_t> tfliteCalls(const TfliteOp& op, const TfliteFile& file);

/// Sizes of a model's tensors.
///
/// The file stores a shape for every tensor. Of an input the sizes it stores for free dimensions
/// are taken unless somebody binds them; of all else they may be placeholders. So shapes with free
/// dimensions, and what follows from sizes that are not as stored, are worked out op by op; an op
/// whose inputs are as stored and which we have no rule for keeps what is stored.
class TfliteInference {
 public:
  TfliteInference(const TfliteFile& file, const std::map<std::string, std::int64_t>& dimensions);

  /// A subgraph as an entry point: its inputs get what the user bound. `aliases` are other names
  /// of inputs. Fails on bindings that fit no input.
  Result<std::shared_ptr<const TfliteShapes>> entry(
      std::size_t subgraph, const std::map<std::string, std::int32_t>& aliases);

  /// Notes for the user, in sentences.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  using Inputs = std::vector<const TfliteKnown*>;  ///< Null where an input is left out.
  using Outputs = std::vector<TfliteKnown>;

  TfliteKnown stored(const TfliteTensor& tensor) const;
  bool bind(TfliteKnown& known, const TfliteTensor& tensor, const std::string& alias);
  std::shared_ptr<TfliteShapes> start(std::size_t subgraph);
  void infer(std::size_t subgraph, TfliteShapes& shapes, int depth);
  void inferOp(const TfliteSubgraph& graph, std::size_t op, TfliteShapes& shapes, int depth);
  struct Mixture;
  Outputs inferPlain(const TfliteOp& op, const Inputs& inputs, const Mixture& mixture,
                     const TfliteShapes& shapes) const;
  static void settle(TfliteKnown& known, TfliteKnown inferred, const Mixture& mixture);
  Outputs inferCall(const TfliteOp& op, const Inputs& inputs, std::size_t index,
                    TfliteShapes& shapes, int depth);
  std::shared_ptr<const TfliteShapes> callee(std::size_t subgraph, const Inputs& inputs, int depth);

  const TfliteFile& file_;
  const std::map<std::string, std::int64_t>& dimensions_;
  std::map<std::string, bool> used_;
  std::vector<std::string> notes_;
  std::vector<std::size_t> running_;  ///< Subgraphs that are being inferred, outermost first.
  bool rebound_ = false;              ///< The user gave an input another size than the file.
  bool active_ = false;               ///< Something is not as stored, or may not be.
  bool gaveUp_ = false;
  std::int64_t opsLeft_;  ///< Subgraphs are inferred once for every call.
};

}  // namespace hw
