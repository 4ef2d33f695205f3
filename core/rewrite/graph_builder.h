#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/base/result.h"
#include "core/graph/graph.h"

namespace hw {

/// Collects tensors and ops in file order and turns them into a Graph: sorts the ops if they need
/// it, numbers the tensors, links producers and consumers, and marks what is computed from
/// constants only. Importers use it so that all formats obey the same rules.
class GraphBuilder {
 public:
  /// Texts such as "graph.node[17]", millions of which differ in their last number only.
  class Places {
   public:
    void reserve(std::size_t places) { places_.reserve(places); }
    void add(const std::string& text);
    std::string operator[](OpId op) const;

   private:
    struct Place {
      std::size_t pattern = 0;             ///< Of `patterns_`.
      std::size_t at = std::string::npos;  ///< Of the number in it.
      std::int64_t number = 0;
    };
    IdMap<OpId, Place> places_;
    std::vector<std::string> patterns_;  ///< Without the number.
    std::unordered_map<std::string, std::size_t> known_;
  };

  /// A tensor of the file, before final ids are known: index in the order of `addTensor`.
  using Handle = std::size_t;
  static constexpr Handle kAbsent = static_cast<Handle>(-1);

  explicit GraphBuilder(std::string name, std::string format);

  /// Adds a tensor; its producer, consumers and role flags are filled in by `build`.
  /// `constant` and size fields are taken as given.
  Handle addTensor(Tensor tensor);
  Tensor& tensor(Handle handle) { return tensors_[TensorId(handle)]; }
  std::size_t tensorCount() const { return tensors_.size(); }

  struct OpParts {
    Op op{};                       ///< Its inputs, outputs and captures are ignored.
    std::vector<Handle> inputs{};  ///< kAbsent where an optional input is missing.
    std::vector<Handle> outputs{};
    std::vector<Handle> captures{};
    std::string where{};  ///< For errors, such as "graph.node[17]".
  };
  void addOp(OpParts parts);
  /// Makes room, where it is known how many there will be.
  void reserve(std::size_t tensors, std::size_t ops);
  std::size_t opCount() const { return ops_.size(); }

  void addInput(Handle handle) { inputs_.push_back(handle); }
  void addOutput(Handle handle) { outputs_.push_back(handle); }
  void addNote(std::string note) { notes_.push_back(std::move(note)); }

  /// Fails on two producers of one tensor, a cycle, a producer of a graph input or constant, a
  /// tensor that is read but comes from nowhere, and sizes that add up to more than kMaxBytes.
  /// An op whose inputs are all constant is folded and its outputs become constants, unless the
  /// graph hands one out or its row says that it runs bodies; an op without any input is folded
  /// only if `type` is Constant, or the importer says so (`Op::folded`).
  Result<Graph> build() &&;

  /// The same; `ids` are those of the tensors, by handle.
  Result<Graph> build(std::vector<TensorId>& ids) &&;

 private:
  /// The graph whose ops are in `order` (indices into `ops_`) and whose tensors have `ids`.
  Graph assemble(const std::vector<std::size_t>& order, const std::vector<TensorId>& ids);

  std::string name_;
  std::string format_;
  IdMap<TensorId, Tensor> tensors_;  ///< By handle.
  IdMap<OpId, Op> ops_;              ///< As stored; their tensors are handles.
  Places where_;                     ///< Of each op.
  std::vector<Handle> inputs_;
  std::vector<Handle> outputs_;
  std::vector<std::string> notes_;
};

}  // namespace hw
