#include "core/shrink/tflm/row_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/base/check.h"
#include "core/exchange/tflm/program.h"

namespace hw {
namespace {

/// The rows of its input that a part hands to a kernel so that it makes rows [first, last): the
/// kernel works its padding out from the height of what it is handed.
struct PartView {
  std::int64_t garbage = 0;  ///< Rows above `first` that come out wrong.
  std::int64_t first = 0;
  std::int64_t rows = 0;
  std::optional<std::pair<std::int64_t, std::int64_t>> padding{};  ///< Rows above and below.
};

/// More rows of garbage are never needed for kernels of up to seven rows.
constexpr std::int64_t kMostGarbage = 3;

std::optional<PartView> windowView(const RowGeometry& rows, std::int64_t height, RowSpan wanted) {
  const std::int64_t top = std::max<std::int64_t>(0, wanted.begin * rows.stride - rows.padTop);
  const std::int64_t bottom =
      std::min(height, (wanted.end - 1) * rows.stride - rows.padTop + rows.kernel);
  for (std::int64_t garbage = 0; garbage <= std::min(kMostGarbage, wanted.begin); ++garbage) {
    const std::int64_t most =
        std::min(height, (wanted.length() + garbage) * rows.stride + rows.kernel + rows.stride);
    for (std::int64_t taken = 1; taken <= most; ++taken) {
      const std::int64_t start =
          (wanted.begin - garbage) * rows.stride - rows.padTop + rows.paddingAbove(taken);
      if (start < 0 || start > top || start + taken < bottom || start + taken > height) continue;
      return PartView{.garbage = garbage, .first = start, .rows = taken};
    }
  }
  return std::nullopt;
}

std::optional<PartView> partView(const RowModel& model, std::size_t op, RowSpan wanted) {
  const RowGeometry& rows = *model.ops[op].geometry;
  const std::int64_t height = model.tensors[model.ops[op].inputs[0]].rows;
  const bool window = rows.kind == RowGeometry::Kind::window;
  if (window && !model.told) return windowView(rows, height, wanted);
  const RowSpan read = model.needed(op, wanted);
  if (read.empty()) return std::nullopt;  // Nothing but padding: there is no view of no rows.
  PartView view{.first = read.begin, .rows = read.length()};
  if (window || rows.kind == RowGeometry::Kind::pad) {
    const std::int64_t top = wanted.begin * rows.stride - rows.padTop;
    const std::int64_t bottom = (wanted.end - 1) * rows.stride - rows.padTop + rows.kernel;
    view.padding.emplace(std::max<std::int64_t>(0, -top),
                         std::max<std::int64_t>(0, bottom - height));
  }
  return view;
}

/// The smallest span that RESIZE_NEAREST_NEIGHBOR can make, which scales by what it is handed.
RowSpan madeSpan(const RowGeometry& rows, RowSpan wanted) {
  if (rows.kind != RowGeometry::Kind::nearest) return wanted;
  return {wanted.begin / rows.stride * rows.stride,
          (wanted.end + rows.stride - 1) / rows.stride * rows.stride};
}

}  // namespace

class RowProgram::Builder {
 public:
  Builder(const RowModel& model, std::vector<RowRun> runs) : model_(model) {
    made_.model_ = &model;
    made_.runs_ = std::move(runs);
    made_.wholes_.resize(model.tensors.size());
  }

  Result<RowProgram> build() {
    std::ranges::sort(made_.runs_, {}, &RowRun::first);
    for (const std::size_t input : model_.inputs) wholeBlock(input);
    auto run = made_.runs_.begin();
    for (std::size_t op = 0; op < model_.ops.size();) {
      if (run == made_.runs_.end() || run->first != op) {
        addWhole(op++);
        continue;
      }
      HW_DO(run->halo == RowHalo::loop ? addLoop(*run) : addRun(*run));
      op = run->last + 1;
      ++run;
    }
    for (const std::size_t output : model_.outputs) wholeBlock(output);
    account();
    return std::move(made_);
  }

 private:
  /// Rows of the output of each operator of a run in one part, by place in the run.
  struct Part {
    std::vector<RowSpan> wanted{};  ///< Read by another operator; empty: none are.
    std::vector<RowSpan> made{};    ///< Of these, without those that are there already.
  };

  std::size_t addBlock(std::int64_t rowBytes) {
    made_.rowBytes_.push_back(rowBytes);
    return made_.rowBytes_.size() - 1;
  }
  std::size_t wholeBlock(std::size_t tensor) {
    auto& block = made_.wholes_[tensor];
    if (!block) block = addBlock(model_.tensors[tensor].rowBytes);
    return *block;
  }

  void addWhole(std::size_t op) {
    RowStep step{.op = op};
    for (const std::size_t output : model_.ops[op].outputs) {
      wholeBlock(output);
      step.outputs.push_back(made_.whole(output));
    }
    for (const std::size_t input : model_.ops[op].inputs) {
      wholeBlock(input);
      step.inputs.push_back(made_.whole(input));
    }
    made_.steps_.push_back(std::move(step));
  }

  static tl::unexpected<Error> refused(std::string why) {
    return fail(ErrorCode::unsupported, std::move(why));
  }

  Result<void> check(const RowRun& run) const {
    std::string why = model_.whyNoRun(run.first, run.last);
    if (!why.empty()) return refused(std::move(why));
    const std::int64_t height = model_.tensors[model_.ops[run.last].outputs[0]].rows;
    if (run.parts >= 1 && run.parts <= height) return {};
    return refused(fmt::format("{} parts of {} rows", run.parts, height));
  }

  /// The place in the run of the operator that makes a tensor; nothing: it comes from outside.
  std::optional<std::size_t> placeOf(const RowRun& run, std::size_t tensor) const {
    const auto maker = model_.tensors[tensor].maker;
    if (!maker || *maker < run.first || *maker >= run.last) return std::nullopt;
    return *maker - run.first;
  }

  /// From the last operator to the first, each asks those before it for what it needs. `done`: rows
  /// from there on are there already.
  Part partOf(const RowRun& run, RowSpan rows, const std::vector<std::int64_t>& done) const {
    const std::size_t count = run.last - run.first + 1;
    Part part{.wanted = std::vector<RowSpan>(count), .made = std::vector<RowSpan>(count)};
    part.wanted.back() = rows;
    for (std::size_t at = count; at-- > 0;) {
      if (part.wanted[at].empty()) continue;
      const std::size_t op = run.first + at;
      RowSpan made = madeSpan(*model_.ops[op].geometry, part.wanted[at]);
      made.end = std::min(made.end, done[at]);
      part.made[at] = made;
      if (made.empty()) continue;
      const RowSpan needed = model_.needed(op, made);
      for (const std::size_t input : model_.ops[op].inputs) {
        if (const auto from = placeOf(run, input)) part.wanted[*from].cover(needed);
      }
    }
    return part;
  }

  Result<void> addRun(const RowRun& run) {
    HW_DO(check(run));
    const std::size_t output = model_.ops[run.last].outputs[0];
    wholeBlock(output);
    const std::int64_t height = model_.tensors[output].rows;
    const std::size_t count = run.last - run.first + 1;
    std::vector<std::int64_t> done(count, kAllRows);
    std::vector<std::optional<std::size_t>> held(count);  // Blocks of the part below.
    for (std::int64_t number = run.parts; number-- > 0;) {
      const RowSpan rows{number * height / run.parts, (number + 1) * height / run.parts};
      const Part part = partOf(run, rows, done);
      HW_DO(addPart(run, part, held));
      if (run.halo != RowHalo::copy) continue;
      for (std::size_t at = 0; at + 1 < count; ++at) {
        if (!part.made[at].empty()) done[at] = part.made[at].begin;
      }
    }
    return {};
  }

  Result<void> addPart(const RowRun& run, const Part& part,
                       std::vector<std::optional<std::size_t>>& held) {
    std::vector<std::optional<std::size_t>> now(part.made.size());
    for (std::size_t at = 0; at < part.made.size(); ++at) {
      if (part.made[at].empty()) continue;
      const std::size_t op = run.first + at;
      const bool isLast = op == run.last;
      if (!isLast) now[at] = addBlock(model_.tensors[model_.ops[op].outputs[0]].rowBytes);
      const auto blockOf = [&](std::size_t tensor) {
        const auto from = placeOf(run, tensor);
        if (!from) return wholeBlock(tensor);
        return now[*from] ? *now[*from] : *held[*from];
      };
      HW_TRY(step, stepOf(op, part.made[at], blockOf,
                          isLast ? wholeBlock(model_.ops[op].outputs[0]) : *now[at]));
      made_.steps_.push_back(std::move(step));
      if (run.halo == RowHalo::copy && !isLast) addCopy(op, part, at, held, *now[at]);
    }
    for (std::size_t at = 0; at < now.size(); ++at) {
      if (now[at]) held[at] = now[at];
    }
    return {};
  }

  /// Rows that the part below has made are copied behind those of this one.
  void addCopy(std::size_t op, const Part& part, std::size_t at,
               const std::vector<std::optional<std::size_t>>& held, std::size_t block) {
    const std::int64_t rows = part.wanted[at].end - part.made[at].end;
    if (rows <= 0 || !held[at]) return;
    const RowView from{model_.ops[op].outputs[0], *held[at], part.made[at].end, rows};
    RowView to = from;
    to.block = block;
    made_.steps_.push_back(
        {.kind = RowStep::Kind::copy, .op = op, .inputs = {from}, .outputs = {to}});
  }

  template <class BlockOf>
  Result<RowStep> stepOf(std::size_t op, RowSpan rows, const BlockOf& blockOf,
                         std::size_t outBlock) {
    const auto view = partView(model_, op, rows);
    if (!view) {
      return refused(fmt::format("operator {} ({}): no rows of its input make rows {} to {} alone",
                                 op, model_.ops[op].type, rows.begin, rows.end - 1));
    }
    RowStep step{.op = op, .garbage = view->garbage, .padding = view->padding};
    for (const std::size_t input : model_.ops[op].inputs) {
      step.inputs.push_back({input, blockOf(input), view->first, view->rows});
    }
    step.outputs.push_back({model_.ops[op].outputs[0], outBlock, rows.begin - view->garbage,
                            rows.length() + view->garbage});
    return step;
  }

  Result<void> addLoop(const RowRun& run);
  struct LoopPart;
  Result<LoopPart> loopPart(const RowRun& run, std::size_t input, std::int64_t number,
                            std::int64_t rows);
  void addBody(const RowRun& run, std::size_t input, const std::vector<LoopPart>& parts,
               std::size_t first, std::size_t last, std::int64_t rows);

  /// Macs, weights and the tail of what was built.
  void account() {
    std::set<RowView> views;
    std::set<std::pair<std::size_t, std::pair<std::int64_t, std::int64_t>>> paddings;
    made_.tail_ = model_.ownTail + model_.weightTensors * model_.tensorTail;
    const auto add = [&](const RowStep& step, std::int64_t times) {
      views.insert(step.inputs.begin(), step.inputs.end());
      views.insert(step.outputs.begin(), step.outputs.end());
      if (step.kind == RowStep::Kind::loop) return;
      if (step.padding) paddings.insert({step.op, *step.padding});
      const RowOp& op = model_.ops[step.op];
      if (step.kind == RowStep::Kind::copy) {
        made_.tail_ += model_.copyTail;
        return;
      }
      made_.tail_ += op.tail;
      const bool inRows = op.geometry.has_value();
      made_.macs_ += times * op.rowMacs * (inRows ? step.outputs[0].rows : 1);
      made_.weights_ += times * op.weights;
    };
    for (const RowStep& step : made_.steps_) add(step, 1);
    if (made_.loop_) {
      for (const RowStep& step : made_.loop_->body) add(step, made_.loop_->turns);
      made_.tail_ += model_.loopTail;
    }
    made_.tail_ += static_cast<std::int64_t>(views.size() + paddings.size()) * model_.tensorTail;
  }

  static constexpr std::int64_t kAllRows = std::int64_t{1} << 40;

  const RowModel& model_;
  RowProgram made_;
};

/// One block of rows of a run that loops, from row 0 of each of its tensors.
struct RowProgram::Builder::LoopPart {
  std::vector<RowStep> steps{};
  std::vector<std::int64_t> rows{};  ///< Of each step, the first row that it makes.
  std::int64_t in = 0;               ///< First row of the input from outside that it reads,
  std::int64_t inRows = 0;           ///< and how many.
  std::int64_t outSkip = 0;          ///< Rows that it makes above its block of the output.

  /// The steps do the same on rows further up or down.
  bool isLike(const LoopPart& other) const {
    const auto like = [](const RowStep& a, const RowStep& b) {
      return a.op == b.op && a.inputs == b.inputs && a.outputs == b.outputs &&
             a.garbage == b.garbage && a.padding == b.padding;
    };
    return inRows == other.inRows && outSkip == other.outSkip &&
           std::ranges::equal(steps, other.steps, like);
  }
};

/// The part with rows counted from the first one that it needs of each tensor, blocks being places
/// in the run, and behind them the input's.
Result<RowProgram::Builder::LoopPart> RowProgram::Builder::loopPart(const RowRun& run,
                                                                    std::size_t input,
                                                                    std::int64_t number,
                                                                    std::int64_t rows) {
  const std::size_t count = run.last - run.first + 1;
  const Part part =
      partOf(run, {number * rows, (number + 1) * rows}, std::vector<std::int64_t>(count, kAllRows));
  LoopPart made;
  std::int64_t inEnd = 0;
  bool first = true;
  for (std::size_t at = 0; at < count; ++at) {
    if (part.made[at].empty()) continue;
    const auto blockOf = [&](std::size_t tensor) { return placeOf(run, tensor).value_or(count); };
    HW_TRY(step, stepOf(run.first + at, part.made[at], blockOf, at));
    for (const RowView& view : step.inputs) {
      if (view.tensor != input) continue;
      made.in = first ? view.first : std::min(made.in, view.first);
      inEnd = std::max(inEnd, view.first + view.rows);
      first = false;
    }
    made.steps.push_back(std::move(step));
    made.rows.push_back(part.made[at].begin);
  }
  made.inRows = inEnd - made.in;
  made.outSkip = number * rows - part.made.back().begin;
  const auto base = [&](const RowView& view) {
    return view.tensor == input ? made.in : part.made[view.block].begin;
  };
  for (RowStep& step : made.steps) {
    for (RowView& view : step.inputs) view.first -= base(view);
    for (RowView& view : step.outputs) view.first -= base(view);
  }
  return made;
}

Result<void> RowProgram::Builder::addLoop(const RowRun& run) {
  HW_DO(check(run));
  if (made_.loop_) return refused("a second loop");
  const std::size_t output = model_.ops[run.last].outputs[0];
  const std::int64_t height = model_.tensors[output].rows;
  if (height % run.parts != 0 || run.parts < 4) return refused("parts of unequal height");
  std::optional<std::size_t> input;
  for (std::size_t op = run.first; op <= run.last; ++op) {
    for (const std::size_t each : model_.ops[op].inputs) {
      if (placeOf(run, each)) continue;
      if (input && *input != each) return refused("a loop has one input; this run has several");
      input = each;
    }
  }
  if (!input) return refused("a loop has one input; this run has none");
  if (model_.tensors[*input].rows < 2) return refused("a loop reads rows");
  const std::int64_t rows = height / run.parts;
  std::vector<LoopPart> parts;
  for (std::int64_t number = 0; number < run.parts; ++number) {
    HW_TRY(part, loopPart(run, *input, number, rows));
    parts.push_back(std::move(part));
  }
  const std::size_t middle = parts.size() / 2;
  const std::int64_t step = parts[middle].in - parts[middle - 1].in;
  const auto follows = [&](std::size_t lower) {  // Part `lower` goes on from the one above it.
    return parts[lower].isLike(parts[lower - 1]) && parts[lower].in - parts[lower - 1].in == step;
  };
  std::size_t first = middle;
  std::size_t last = middle;
  while (first > 0 && follows(first)) --first;
  while (last + 1 < parts.size() && follows(last + 1)) ++last;
  if (last == first || step < 1) return refused("no two parts are alike");
  wholeBlock(output);
  const auto unrolled = [&](std::size_t number) -> Result<void> {
    const std::vector<std::int64_t> none(run.last - run.first + 1, kAllRows);
    std::vector<std::optional<std::size_t>> held(none.size());
    const auto top = static_cast<std::int64_t>(number) * rows;
    return addPart(run, partOf(run, {top, top + rows}, none), held);
  };
  for (std::size_t number = parts.size(); number-- > last + 1;) HW_DO(unrolled(number));
  addBody(run, *input, parts, first, last, rows);
  for (std::size_t number = first; number-- > 0;) HW_DO(unrolled(number));
  return {};
}

void RowProgram::Builder::addBody(const RowRun& run, std::size_t input,
                                  const std::vector<LoopPart>& parts, std::size_t first,
                                  std::size_t last, std::int64_t rows) {
  const std::size_t count = run.last - run.first + 1;
  std::vector<std::size_t> blocks;
  for (std::size_t at = 0; at < count; ++at) {
    blocks.push_back(addBlock(model_.tensors[model_.ops[run.first + at].outputs[0]].rowBytes));
  }
  blocks.push_back(addBlock(model_.tensors[input].rowBytes));
  const std::size_t output = model_.ops[run.last].outputs[0];
  const LoopPart& part = parts[last];
  RowLoop loop{.body = part.steps,
               .input = input,
               .output = output,
               .slice = {input, blocks[count], 0, part.inRows},
               .update = {output, blocks[count - 1], part.outSkip, rows},
               .inPlace = model_.told,
               .firstIn = part.in,
               .firstOut = static_cast<std::int64_t>(last) * rows,
               .inStep = parts[last].in - parts[last - 1].in,
               .outStep = rows,
               .turns = static_cast<std::int64_t>(last - first + 1),
               .counters = addBlock(1)};
  for (std::size_t i = 0; i < part.rows.size(); ++i) {
    loop.rows.emplace_back(part.rows[i], part.rows[i] - parts[last - 1].rows[i]);
  }
  for (RowStep& step : loop.body) {
    for (RowView& view : step.inputs) view.block = blocks[view.block];
    for (RowView& view : step.outputs) view.block = blocks[view.block];
  }
  made_.loop_ = std::move(loop);
  made_.steps_.push_back({.kind = RowStep::Kind::loop});
}

std::int64_t RowLoop::rowsPerTurn(const RowView& view) const {
  if (view.block == slice.block) return inStep;
  return view.block == update.block ? rows.back().second : 0;
}

RowView RowLoop::placed(const RowView& view, const RowProgram& program, std::int64_t turn) const {
  const bool reads = view.block == slice.block;
  if (!reads && view.block != update.block) return view;
  RowView at = view;
  at.block = program.whole(reads ? input : output).block;
  at.first += (reads ? firstIn : rows.back().first) - turn * rowsPerTurn(view);
  return at;
}

Result<RowProgram> RowProgram::make(const RowModel& model, std::vector<RowRun> runs) {
  return Builder(model, std::move(runs)).build();
}

RowView RowProgram::whole(std::size_t tensor) const {
  hw::check(wholes_[tensor].has_value(), "a tensor that lives as a whole has a block");
  return {tensor, *wholes_[tensor], 0, model_->tensors[tensor].rows};
}

/// Walks a program row by row and notes when the rows of each block are live.
class RowProgram::Lives {
 public:
  Lives(const RowProgram& program, bool ascending, std::vector<std::size_t>* running)
      : program_(program), model_(*program.model_), ascending_(ascending), running_(running) {}

  std::optional<std::vector<RowShape>> find() {
    logs_.resize(program_.blockCount());
    forAllViews([&](const RowView& view) {
      Log& log = logs_[view.block];
      log.first = std::min(log.first, view.first);
      log.last = std::max(log.last, view.first + view.rows);
      // The runtime rounds the size of each view up.
      const std::int64_t each = program_.rowBytes(view.block);
      const Bytes size = alignUp(Bytes(view.rows * each), kTflmAlignment);
      log.high = std::max(log.high, view.first * each + size.count());
    });
    for (Log& log : logs_) {
      if (log.first <= log.last) log.rows.resize(static_cast<std::size_t>(log.last - log.first));
    }
    for (const std::size_t input : model_.inputs) write(program_.whole(input));
    tick(0);
    for (const RowStep& step : program_.steps_) {
      step.kind == RowStep::Kind::loop ? walkLoop(*program_.loop_) : walk(step);
    }
    for (const std::size_t output : model_.outputs) read(program_.whole(output));
    if (!sound_) return std::nullopt;
    std::vector<RowShape> shapes;
    for (std::size_t block = 0; block < logs_.size(); ++block) {
      shapes.push_back(shapeOf(logs_[block], program_.rowBytes_[block]));
    }
    std::ranges::sort(apart_);
    for (const auto& [block, apart] : apart_) {
      std::vector<RowApart>& all = shapes[block].apart;
      const bool goesOn =
          !all.empty() && all.back().other == apart.other && apart.low < all.back().high;
      if (goesOn) {
        all.back().high = std::max(all.back().high, apart.high);
      } else {
        all.push_back(apart);
      }
    }
    return shapes;
  }

 private:
  struct Row {
    std::int64_t begin = -1;  ///< When it was written; -1: never.
    std::int64_t last = -1;   ///< When it was used last.
  };
  struct Life {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    std::int64_t row = 0;
  };
  struct Log {
    std::int64_t first = INT64_MAX;
    std::int64_t last = INT64_MIN;
    std::int64_t high = INT64_MIN;  ///< In bytes.
    std::vector<Row> rows{};
    std::vector<Life> lives{};
  };

  template <class Visit>
  void forAllViews(const Visit& visit) const {
    const auto step = [&](const RowStep& each) {
      for (const RowView& view : each.inputs) visit(view);
      for (const RowView& view : each.outputs) visit(view);
    };
    for (const RowStep& each : program_.steps_) step(each);
    for (const std::size_t tensor : model_.inputs) visit(program_.whole(tensor));
    for (const std::size_t tensor : model_.outputs) visit(program_.whole(tensor));
    if (!program_.loop_) return;
    const RowLoop& loop = *program_.loop_;
    const auto placed = [&](const RowStep& each) { step(turned(each, loop, 0)); };
    for (const RowStep& each : loop.body) loop.inPlace ? placed(each) : step(each);
    const RowView ends[] = {program_.whole(loop.input), program_.whole(loop.output)};
    const RowView copies[] = {loop.slice, loop.update, counters(loop)};
    for (const RowView& view : ends) visit(view);
    for (const RowView& view : copies) {
      if (!loop.inPlace) visit(view);
    }
  }

  /// A step of a body in place, where it is in a turn.
  RowStep turned(RowStep step, const RowLoop& loop, std::int64_t turn) const {
    for (RowView& view : step.inputs) view = loop.placed(view, program_, turn);
    for (RowView& view : step.outputs) view = loop.placed(view, program_, turn);
    return step;
  }

  static RowView counters(const RowLoop& loop) { return {0, loop.counters, 0, kRowLoopBytes}; }

  void tick(std::size_t op) {
    ++now_;
    if (running_ != nullptr) running_->push_back(op);
  }
  void writeRow(std::size_t block, std::int64_t row) {
    Log& log = logs_[block];
    Row& each = log.rows[static_cast<std::size_t>(row - log.first)];
    if (each.begin >= 0) log.lives.push_back({each.begin, each.last + 1, row});
    each = {now_, now_};
  }
  void readRow(std::size_t block, std::int64_t row) {
    Log& log = logs_[block];
    Row& each = log.rows[static_cast<std::size_t>(row - log.first)];
    if (each.begin < 0) sound_ = false;
    each.last = now_;
  }
  void write(const RowView& view) {
    for (std::int64_t row = 0; row < view.rows; ++row) writeRow(view.block, view.first + row);
  }
  void read(const RowView& view) {
    for (std::int64_t row = 0; row < view.rows; ++row) readRow(view.block, view.first + row);
  }

  static std::int64_t paddingAbove(const RowStep& step, const RowGeometry& geometry) {
    if (step.padding) return step.padding->first;
    if (geometry.kind == RowGeometry::Kind::pad) return geometry.padTop;
    return geometry.paddingAbove(step.inputs[0].rows);
  }

  void walk(const RowStep& step) {
    const auto& geometry = model_.ops[step.op].geometry;
    if (step.kind == RowStep::Kind::copy || !geometry) {
      for (const RowView& view : step.inputs) read(view);
      for (const RowView& view : step.outputs) write(view);
      tick(step.op);
      return;
    }
    const RowView& out = step.outputs[0];
    const std::int64_t padTop = paddingAbove(step, *geometry);
    const bool byPoints = ascending_ && geometry->below;
    for (std::int64_t row = 0; row < out.rows; ++row) {
      std::int64_t first = row * geometry->stride - padTop;
      if (geometry->kind == RowGeometry::Kind::nearest) first = row / geometry->stride;
      const bool isLast = row + 1 == out.rows;
      for (const RowView& view : step.inputs) {
        if (row < step.garbage) break;
        const std::int64_t begin = std::max<std::int64_t>(0, first);
        const std::int64_t end = std::min(view.rows, first + geometry->kernel);
        for (std::int64_t at = begin; at < end; ++at) readRow(view.block, view.first + at);
        // Rows that the next one does not read end before this one begins.
        const std::int64_t kept = isLast ? end : std::min(end, first + geometry->stride);
        for (std::int64_t at = begin; byPoints && at < kept; ++at) {
          keepApart(view, view.first + at, out, out.first + row, *geometry->below);
        }
      }
      if (byPoints && row >= step.garbage) tick(step.op);
      writeRow(out.block, out.first + row);
      if (isLast || (ascending_ && !byPoints)) tick(step.op);
    }
  }

  /// Row `made` of `out` begins `below` bytes below row `read` of `in`, or above it.
  void keepApart(const RowView& in, std::int64_t read, const RowView& out, std::int64_t made,
                 std::int64_t below) {
    const std::int64_t bytes = program_.rowBytes(in.block);
    const std::int64_t same = read * bytes - made * program_.rowBytes(out.block);
    apart_.push_back({out.block, {in.block, same - below, same + bytes}});
  }

  void walkLoop(const RowLoop& loop) {
    if (loop.inPlace) {
      for (std::int64_t turn = 0; turn < loop.turns; ++turn) {
        for (const RowStep& step : loop.body) walk(turned(step, loop, turn));
      }
      return;
    }
    const std::size_t anyOp = loop.body.front().op;
    write(counters(loop));
    for (std::int64_t turn = 0; turn < loop.turns; ++turn) {
      RowView in = program_.whole(loop.input);
      in.first = loop.firstIn - turn * loop.inStep;
      in.rows = loop.slice.rows;
      read(in);
      write(loop.slice);
      tick(anyOp);
      for (const RowStep& step : loop.body) walk(step);
      RowView out = program_.whole(loop.output);
      out.first = loop.firstOut - turn * loop.outStep;
      out.rows = loop.update.rows;
      read(loop.update);
      write(out);
      tick(anyOp);
    }
    read(counters(loop));
    tick(anyOp);
  }

  /// At each moment the live bytes from the lowest to the highest.
  static RowShape shapeOf(Log& log, std::int64_t rowBytes) {
    if (log.first > log.last) return {};
    RowShape shape{.low = log.first * rowBytes, .high = log.high};
    for (std::size_t row = 0; row < log.rows.size(); ++row) {
      const Row& each = log.rows[row];
      if (each.begin < 0) continue;
      log.lives.push_back({each.begin, each.last + 1, log.first + static_cast<std::int64_t>(row)});
    }
    std::vector<std::int64_t> moments;
    for (const Life& life : log.lives) {
      moments.push_back(life.begin);
      moments.push_back(life.end);
    }
    std::ranges::sort(moments);
    moments.erase(std::unique(moments.begin(), moments.end()), moments.end());
    std::vector<RowRect> rects(moments.size());
    for (std::size_t i = 0; i < rects.size(); ++i) rects[i] = {moments[i], 0, INT64_MAX, INT64_MIN};
    for (const Life& life : log.lives) {
      auto at =
          static_cast<std::size_t>(std::ranges::lower_bound(moments, life.begin) - moments.begin());
      for (; moments[at] < life.end; ++at) {
        rects[at].end = moments[at + 1];
        rects[at].low = std::min(rects[at].low, life.row * rowBytes);
        rects[at].high = std::max(rects[at].high, (life.row + 1) * rowBytes);
      }
    }
    for (const RowRect& rect : rects) {
      if (rect.low > rect.high) continue;
      RowRect* before = shape.rects.empty() ? nullptr : &shape.rects.back();
      const bool same = before != nullptr && before->end == rect.begin && before->low == rect.low &&
                        before->high == rect.high;
      if (same) {
        before->end = rect.end;
      } else {
        shape.rects.push_back(rect);
      }
    }
    return shape;
  }

  const RowProgram& program_;
  const RowModel& model_;
  bool ascending_;
  std::vector<std::size_t>* running_;
  std::vector<Log> logs_;
  std::vector<std::pair<std::size_t, RowApart>> apart_;  ///< With the block that is made.
  std::int64_t now_ = 0;
  bool sound_ = true;
};

std::optional<std::vector<RowShape>> RowProgram::shapes(bool ascending,
                                                        std::vector<std::size_t>* running) const {
  return Lives(*this, ascending, running).find();
}

}  // namespace hw
