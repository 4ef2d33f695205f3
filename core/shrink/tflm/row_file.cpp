#include "core/shrink/tflm/row_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "core/exchange/tflm/arena.h"
#include "core/exchange/tflm/program.h"
#include "core/exchange/tflm/tflite_rewrite.h"
#include "core/import/formats.h"
#include "core/import/tflite/own_plan.h"
#include "core/shrink/tflm/int8_input.h"

namespace hw {
namespace {

// Numbers of the schema.
constexpr std::int32_t kInt32 = 2, kBool = 6;
constexpr std::uint8_t kAddOptions = 11, kLessOptions = 41, kSliceOptions = 48,
                       kReshapeOptions = 17;
constexpr std::uint8_t kWhileOptions = 93, kUpdateOptions = 117;

std::string bytesOf(const std::vector<std::int32_t>& numbers) {
  std::string bytes(numbers.size() * sizeof(std::int32_t), '\0');
  std::memcpy(bytes.data(), numbers.data(), bytes.size());
  return bytes;
}

class RowFileWriter {
 public:
  RowFileWriter(const TfliteFile& file, std::string_view bytes, const RowPlan& plan)
      : file_(file),
        stored_(file.subgraph(0)),
        plan_(plan),
        program_(*plan.program),
        rewrite_(bytes) {}

  std::string write() {
    Graph main;
    for (const RowStep& step : program_.steps()) add(main, step);
    for (const std::int32_t input : stored_.inputs)
      main.made.inputs.push_back(endpoint(main, input));
    for (const std::int32_t output : stored_.outputs)
      main.made.outputs.push_back(endpoint(main, output));
    graphs_.insert(graphs_.begin(), std::move(main));
    std::vector<NewSubgraph> subgraphs;
    for (Graph& graph : graphs_) {
      offsets_.insert(offsets_.end(), graph.offsets.begin(), graph.offsets.end());
      subgraphs.push_back(std::move(graph.made));
    }
    rewrite_.setSubgraphs(std::move(subgraphs));
    rewrite_.setPlan(offsets_);
    return rewrite_.write();
  }

  /// Of all tensors of the file that was written.
  const std::vector<std::int32_t>& offsets() const { return offsets_; }

 private:
  struct Graph {
    NewSubgraph made{};
    std::vector<std::int32_t> offsets{};
    std::map<RowView, std::int32_t> views{};
    std::map<std::int32_t, std::int32_t> weights{};   ///< By tensor of the old file.
    std::map<std::uint32_t, std::int32_t> numbers{};  ///< By buffer of the new one.
  };

  static std::int32_t addTensor(Graph& graph, NewTensor tensor, std::int64_t offset) {
    graph.made.tensors.push_back(std::move(tensor));
    graph.offsets.push_back(static_cast<std::int32_t>(offset));
    return static_cast<std::int32_t>(graph.made.tensors.size()) - 1;
  }

  NewTensor like(std::size_t tensor) const {
    const TfliteTensor& old = stored_.tensors[tensor];
    NewTensor made{.like = static_cast<std::int32_t>(tensor), .type = old.type};
    for (const std::int64_t size : old.shape) made.shape.push_back(static_cast<std::int32_t>(size));
    return made;
  }

  /// Of a tensor that is cut into rows.
  std::size_t rowAxis(std::size_t tensor) const {
    return *tfliteRowAxis(stored_.tensors[tensor].shape);
  }
  std::int32_t axesOf(std::size_t tensor) const {
    return static_cast<std::int32_t>(stored_.tensors[tensor].shape.size());
  }

  std::int32_t view(Graph& graph, const RowView& view) const {
    const auto [known, added] = graph.views.try_emplace(view, 0);
    if (!added) return known->second;
    NewTensor tensor = like(view.tensor);
    if (view.rows != program_.model().tensors[view.tensor].rows) {
      tensor.shape[rowAxis(view.tensor)] = static_cast<std::int32_t>(view.rows);
    }
    const std::int64_t offset =
        plan_.placement.offsets[view.block] + view.first * program_.rowBytes(view.block);
    return known->second = addTensor(graph, std::move(tensor), offset);
  }

  std::int32_t weight(Graph& graph, std::int32_t tensor) const {
    const auto [known, added] = graph.weights.try_emplace(tensor, 0);
    if (!added) return known->second;
    NewTensor made = like(static_cast<std::size_t>(tensor));
    made.buffer = stored_.tensors[static_cast<std::size_t>(tensor)].buffer;
    return known->second = addTensor(graph, std::move(made), -1);
  }

  /// A weight of whole numbers that the file does not have.
  std::int32_t numbers(Graph& graph, const std::vector<std::int32_t>& values,
                       std::vector<std::int32_t> shape) {
    NewTensor made{
        .shape = std::move(shape), .type = kInt32, .buffer = rewrite_.addBuffer(bytesOf(values))};
    const auto [known, added] = graph.numbers.try_emplace(made.buffer, 0);
    if (added) known->second = addTensor(graph, std::move(made), -1);
    return known->second;
  }

  /// An input or output of the model; outputs may be weights.
  std::int32_t endpoint(Graph& graph, std::int32_t tensor) {
    if (file_.isStored(stored_.tensors[static_cast<std::size_t>(tensor)].buffer))
      return weight(graph, tensor);
    return view(graph, program_.whole(static_cast<std::size_t>(tensor)));
  }

  void add(Graph& graph, const RowStep& step) {
    switch (step.kind) {
      case RowStep::Kind::op:
        return addOp(graph, step);
      case RowStep::Kind::copy:
        graph.made.ops.push_back({.code = TfliteOpCode::reshape,
                                  .inputs = {view(graph, step.inputs[0])},
                                  .outputs = {view(graph, step.outputs[0])},
                                  .optionsType = kReshapeOptions});
        return;
      case RowStep::Kind::loop:
        return addLoop(graph, *program_.loop());
    }
  }

  void addOp(Graph& graph, const RowStep& step) {
    const TfliteOp& old = stored_.ops[step.op];
    NewOp op{.like = static_cast<std::int32_t>(step.op)};
    for (const std::int32_t input : old.inputs) {
      if (input < 0) {
        op.inputs.push_back(-1);
        continue;
      }
      const auto own =
          std::ranges::find(step.inputs, static_cast<std::size_t>(input), &RowView::tensor);
      op.inputs.push_back(own == step.inputs.end() ? weight(graph, input) : view(graph, *own));
    }
    if (step.padding) op.inputs[1] = paddings(graph, old.inputs[1], *step.padding);
    if (old.is(TfliteOpCode::resizeNearest)) {
      const auto& shape = stored_.tensors[step.outputs[0].tensor].shape;
      op.inputs[1] = numbers(
          graph,
          {static_cast<std::int32_t>(step.outputs[0].rows), static_cast<std::int32_t>(shape[2])},
          {2});
    }
    for (const RowView& output : step.outputs) op.outputs.push_back(view(graph, output));
    graph.made.ops.push_back(std::move(op));
  }

  std::int32_t paddings(Graph& graph, std::int32_t tensor,
                        const std::pair<std::int64_t, std::int64_t>& rows) {
    const std::string_view old =
        file_.bufferBytes(stored_.tensors[static_cast<std::size_t>(tensor)].buffer);
    std::vector<std::int32_t> sides(8);
    std::memcpy(sides.data(), old.data(), sides.size() * sizeof(std::int32_t));
    sides[2] = static_cast<std::int32_t>(rows.first);
    sides[3] = static_cast<std::int32_t>(rows.second);
    return numbers(graph, sides, {4, 2});
  }

  /// Where row `row` of a tensor begins, or how far that is from where another one does.
  std::int32_t place(Graph& graph, std::size_t tensor, std::int64_t row) {
    std::vector<std::int32_t> place(stored_.tensors[tensor].shape.size());
    place[rowAxis(tensor)] = static_cast<std::int32_t>(row);
    return numbers(graph, place, {axesOf(tensor)});
  }

  /// A tensor of whole numbers among the counters of the loop.
  std::int32_t counter(Graph& graph, std::int64_t at, std::int32_t count, std::int32_t type) const {
    return addTensor(graph, {.shape = {count}, .type = type},
                     plan_.placement.offsets[program_.loop()->counters] + at);
  }

  static NewOp plainOp(TfliteOpCode code, std::vector<std::int32_t> inputs,
                       std::vector<std::int32_t> outputs, std::uint8_t optionsType,
                       std::vector<NewOption> options = {}) {
    return {.code = code,
            .inputs = std::move(inputs),
            .outputs = std::move(outputs),
            .optionsType = optionsType,
            .options = std::move(options)};
  }

  /// WHILE carries the begin of the slice and that of the update, a number for each axis; it goes
  /// on as long as the slice begins no higher than that of its last time.
  void addLoop(Graph& graph, const RowLoop& loop) {
    const std::int32_t inAxes = axesOf(loop.input);
    const std::int32_t outAxes = axesOf(loop.output);
    graph.made.ops.push_back(
        plainOp(TfliteOpCode::loop,
                {place(graph, loop.input, loop.firstIn), place(graph, loop.output, loop.firstOut)},
                {counter(graph, 0, inAxes, kInt32), counter(graph, 16, outAxes, kInt32)},
                kWhileOptions, {{0, 4, 1}, {1, 4, 2}}));
    Graph condition;
    condition.made.inputs = {counter(condition, 32, inAxes, kInt32),
                             counter(condition, 48, outAxes, kInt32)};
    const auto axis = static_cast<std::int64_t>(rowAxis(loop.input));
    const std::int32_t begin = counter(condition, 32 + 4 * axis, 1, kInt32);
    const auto last = static_cast<std::int32_t>(loop.firstIn - (loop.turns - 1) * loop.inStep);
    const std::int32_t bound = numbers(condition, {last - 1}, {1});
    condition.made.outputs = {counter(condition, 64, 1, kBool)};
    condition.made.ops.push_back(
        plainOp(TfliteOpCode::less, {bound, begin}, condition.made.outputs, kLessOptions));
    graphs_.push_back(std::move(condition));
    addBody(loop);
  }

  void addBody(const RowLoop& loop) {
    Graph body;
    const std::int32_t inAxes = axesOf(loop.input);
    const std::int32_t outAxes = axesOf(loop.output);
    const std::int32_t in = counter(body, 80, inAxes, kInt32);
    const std::int32_t out = counter(body, 96, outAxes, kInt32);
    body.made.inputs = {in, out};
    std::vector<std::int32_t> size = like(loop.input).shape;
    size[rowAxis(loop.input)] = static_cast<std::int32_t>(loop.slice.rows);
    const RowView whole = program_.whole(loop.output);
    body.made.ops.push_back(
        plainOp(TfliteOpCode::slice,
                {view(body, program_.whole(loop.input)), in, numbers(body, size, {inAxes})},
                {view(body, loop.slice)}, kSliceOptions));
    for (const RowStep& step : loop.body) add(body, step);
    // A tensor of its own for what comes out, at the address of what goes in: nothing is copied.
    const std::int32_t updated =
        addTensor(body, like(loop.output), plan_.placement.offsets[whole.block]);
    body.made.ops.push_back(plainOp(TfliteOpCode::dynamicUpdateSlice,
                                    {view(body, whole), view(body, loop.update), out}, {updated},
                                    kUpdateOptions));
    const std::int32_t nextIn = counter(body, 112, inAxes, kInt32);
    const std::int32_t nextOut = counter(body, 128, outAxes, kInt32);
    body.made.outputs = {nextIn, nextOut};
    body.made.ops.push_back(plainOp(TfliteOpCode::add, {in, place(body, loop.input, -loop.inStep)},
                                    {nextIn}, kAddOptions));
    body.made.ops.push_back(plainOp(
        TfliteOpCode::add, {out, place(body, loop.output, -loop.outStep)}, {nextOut}, kAddOptions));
    graphs_.push_back(std::move(body));
  }

  const TfliteFile& file_;
  const TfliteSubgraph& stored_;
  const RowPlan& plan_;
  const RowProgram& program_;
  TfliteRewrite rewrite_;
  std::vector<Graph> graphs_;
  std::vector<std::int32_t> offsets_;
};

/// What the runtime makes of a file with these offsets; with none it plans itself.
RuntimeWay wayOf(std::string_view bytes, std::int64_t pointer,
                 const std::vector<std::int32_t>& offsets) {
  const TfliteFile file(bytes);
  const auto program = tflmProgram(file);
  if (!program) throw Refusal{program.error()};
  RuntimeWay way{.head = tflmArena(*program, offsets).head,
                 .tail = tflmTail(file, *program, pointer)};
  for (std::size_t i = 0; i < file.subgraphCount(); ++i) {
    way.operators += file.subgraph(i).ops.size();
  }
  return way;
}

class TflmShrinker : public RowShrinker {
 public:
  TflmShrinker(std::string_view bytes, std::int64_t pointer, const RuntimeSearchOptions& options)
      : RowShrinker(RuntimeKind::tflm, options), bytes_(bytes), file_(bytes), pointer_(pointer) {}

  Result<RuntimeShrink> find() {
    if (readsViews(file_, readOfflinePlan(file_, 0).offsets)) {
      return fail(ErrorCode::unsupported,
                  "its operators run in parts already; expected the model that it was made from");
    }
    RuntimeWay own = wayOf(bytes_, pointer_, {});
    own.name = "its own plan";
    addOwn(std::move(own));
    const auto model = rowModel(file_, {.pointer = pointer_});
    if (model) {
      addPlans(*model);
    } else {
      addNote("no operator goes in parts: " + model.error().text());
    }
    return finish();
  }

 private:
  RuntimeWay measure(const RowPlan& plan) override {
    RowFileWriter writer(file_, bytes_, plan);
    const std::string written = writer.write();
    return wayOf(written, pointer_, writer.offsets());
  }

  void write(const RowPlan* plan, RuntimeShrink& made) override {
    made.file = plan != nullptr ? RowFileWriter(file_, bytes_, *plan).write() : std::string(bytes_);
    if (made.best().loops) {
      made.notes.emplace_back(
          "the operator resolver of the firmware needs WHILE, LESS, SLICE, DYNAMIC_UPDATE_SLICE "
          "and ADD, too");
    }
    if (plan != nullptr) {
      made.notes.emplace_back(
          "the file is right with its metadata OfflineMemoryAllocation only: tools that drop "
          "metadata break it");
    }
  }

  std::string_view bytes_;
  TfliteFile file_;
  std::int64_t pointer_;
};

}  // namespace

std::string rowFile(std::string_view file, const RowPlan& plan) {
  const TfliteFile model(file);
  return RowFileWriter(model, file, plan).write();
}

Result<RuntimeShrink> shrinkForTflm(std::string_view file, std::int64_t pointer,
                                    const RuntimeSearchOptions& options) {
  if (!acceptsTflite(file)) {
    return fail(ErrorCode::invalidArgument,
                "a file for tflite-micro is made of a TFLite file; this is none, or a bundle");
  }
  return unlessRefused([&] {
    return searchInputs(file, options,
                        [&](std::string_view bytes, const RuntimeSearchOptions& wanted) {
                          return TflmShrinker(bytes, pointer, wanted).find();
                        });
  });
}

}  // namespace hw
