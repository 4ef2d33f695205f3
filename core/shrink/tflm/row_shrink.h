#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/shrink/tflm/row_search.h"

namespace hw {

/// One way to run a model, and what its arena takes.
struct RowWay {
  std::string name{};       ///< "in parts".
  Bytes head{};             ///< As it is laid out, scratch of known kernels included.
  Bytes tail{};             ///< What a runtime never gives back, an estimate; none in C.
  double extraMacs = 0;     ///< Multiplications made again / those of the model.
  double weightsAgain = 0;  ///< Bytes of weights that are read once more / those of the model.
  std::size_t operators = 0;
  bool loops = false;
  std::string runs{};  ///< "0-3 in 8 parts (loop), 4-7 in 3 parts"; operators of the model.

  Bytes total() const { return head + tail; }
};

/// Ways to run a model: the one that the others are held against, then whole operators, overlapping
/// where kernels allow it, then in parts, each needing fewer bytes.
struct RowShrink {
  std::vector<RowWay> ways{};
  std::size_t chosen = 0;
  std::string file{};    ///< What runs the way that is chosen: a TFLite file, or the text of C.
  std::string header{};  ///< Of C; empty: it is for tflite-micro.
  std::optional<Bytes> budget{};
  std::vector<std::string> notes{};
  bool stopped = false;

  const RowWay& best() const { return ways[chosen]; }
  bool isC() const { return !header.empty(); }
  bool isWithinBudget() const { return !budget || best().total() <= *budget; }
};

/// The search for ways to run a model on one target, which derived classes measure and write.
class RowShrinker {
 public:
  virtual ~RowShrinker() = default;

 protected:
  explicit RowShrinker(const RowSearchOptions& options) : options_(options) {}

  /// Head, tail and number of operators of a plan.
  virtual RowWay measure(const RowPlan& plan) = 0;
  /// The file of the way that is chosen, and notes; no plan: the file as it is.
  virtual void write(const RowPlan* plan, RowShrink& made) = 0;

  /// Adds a way that is there without a search.
  void addOwn(RowWay way);
  void addPlans(const RowModel& model);
  void addNote(std::string note) { made_.notes.push_back(std::move(note)); }
  /// Chosen is the smallest; with a budget, of those within it the one with the fewest
  /// multiplications. The model must be there still, to which plans refer.
  RowShrink finish();

 private:
  void addPlan(std::string name, const RowPlan& plan, const RowModel& model);

  const RowSearchOptions& options_;
  RowShrink made_;
  std::vector<std::optional<RowPlan>> plans_;  ///< By way; nothing: the file as it is.
};

}  // namespace hw
