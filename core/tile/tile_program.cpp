#include "core/tile/tile_program.h"

#include <algorithm>

#include "core/base/check.h"
#include "core/base/load_sweep.h"
#include "core/graph/tiling.h"
#include "core/ops/constant_reads.h"
#include "core/ops/op_table.h"
#include "core/ops/work.h"
#include "core/storage/view_folder.h"

namespace hw {
namespace {

constexpr std::size_t kNoBoxes = static_cast<std::size_t>(-1);

/// True when an op makes each channel, or some channels, of one channel of its input.
bool isByChannel(const Reach& reach, std::int64_t made, std::int64_t read) {
  return reach.step == 1 && reach.low == 0 && reach.high == 0 && reach.per * read == made;
}

/// The input whose rows a part may write its own over: it makes each element of the one at the same
/// place, or only hands it on.
TensorId overwritableInput(const TileProgram& program, const Op& op, const TileOp& tiled) {
  const Graph& graph = program.graph();
  std::vector<TensorId> inputs = overwritable(graph, op);
  if (viewFamilyOf(op) == ViewFamily::reshape) inputs = {dataInput(op)};
  // A part by channels would need a plane of scratch, except where its windows are points.
  const bool depthwise = channelScratch(graph, op).has_value();
  if (depthwise) inputs.clear();
  if (depthwise && !program.goesByChannels()) inputs = {op.inputs[0]};
  for (const TensorId in : inputs) {
    if (!in || graph.tensors[in].constant || !graph.tensors[in].bytes) continue;
    const TensorId out = op.outputs[0];
    const auto times = std::ranges::count(op.inputs, in);
    const bool same = graph.tensors[in].shape == graph.tensors[out].shape &&
                      graph.tensors[in].bytes == graph.tensors[out].bytes;
    const bool byRow = std::ranges::any_of(tiled.reads, [&](const TileRead& read) {
      const Reach& reach = read.reach;
      return read.tensor == in && reach.step == 1 && reach.per == 1 && reach.low == 0 &&
             reach.high == 0;
    });
    if (same && byRow && times == 1) return in;
  }
  return {};
}

void joinIntervals(Interval<std::int64_t>& own, const Interval<std::int64_t>& other) {
  own = {std::min(own.begin, other.begin), std::max(own.end, other.end)};
}

/// Share number `at` of [0, size) cut into `of` shares, as equal as they can be.
Interval<std::int64_t> equalShare(std::int64_t size, std::int64_t at, std::int64_t of) {
  return {size * at / of, size * (at + 1) / of};
}

}  // namespace

bool isIdleOutput(const Graph& graph, TensorId id) {
  if (!id) return false;
  const Tensor& tensor = graph.tensors[id];
  if (!tensor.producer || !tensor.consumers.empty() || tensor.graphOutput) return false;
  const Op& op = graph.ops[tensor.producer];
  const OpInfo* info = findOp(op);
  if (info == nullptr || op.outputs[0] == id) return false;
  const std::string_view type = info->standard.empty() ? info->type : info->standard;
  return type == "Dropout" || type == "MaxPool" || type.ends_with("Normalization");
}

TileProgram::TileProgram(const Graph& graph, const Schedule& schedule,
                         const StorageOptions& options, bool arriving,
                         std::span<const std::int64_t> groups, const std::stop_token& stop,
                         const OverlapFinder& overlaps)
    : graph_(graph),
      options_(options),
      arriving_(arriving),
      rows_(graph.tensors.size()),
      readers_(graph.tensors.size()),
      rowReaders_(graph.tensors.size()),
      makers_(graph.tensors.size()),
      arrives_(graph.tensors.size()) {
  findOrder(schedule);
  readOps();
  findArrivals();
  findLives(schedule, options, overlaps);
  byChannels_.reserve(groups.size());
  for (const std::int64_t number : groups) {
    if (stop.stop_requested()) return;
    byChannels_.push_back(inGroups(number));
  }
}

/// A copy for runs by `groups` of channels; what is live outside of runs stays the same.
TileProgram TileProgram::inGroups(std::int64_t groups) const {
  TileProgram program(*this);
  program.byChannels_.clear();
  program.groups_ = groups;
  program.rows_ = IdMap<TensorId, TileRows>(graph_.tensors.size());
  program.rowReaders_ = IdMap<TensorId, std::vector<RowReader>>(graph_.tensors.size());
  program.ops_.clear();
  program.readOps();
  return program;
}

const TileProgram& TileProgram::along(std::int64_t groups) const {
  if (groups == groups_) return *this;
  const auto found = std::ranges::find(byChannels_, groups, &TileProgram::groups_);
  check(found != byChannels_.end(), "a program is asked for in groups that it was not made in");
  return *found;
}

const TileOp& TileProgram::opUntil(std::size_t at, std::size_t last) const {
  const auto sum = sums_.find(at);
  if (sum == sums_.end()) return ops_[at];
  const auto& readers = readers_[sum->second.outputs.front()];
  return readers.empty() || readers.front() >= last ? sum->second : ops_[at];
}

void TileProgram::findOrder(const Schedule& schedule) {
  for (const OpId op : schedule.order) {
    placeOfStep_.push_back(order_.size());
    if (!graph_.ops[op].folded) order_.push_back(op);
  }
  placeOfStep_.push_back(order_.size());
  for (std::size_t at = 0; at < order_.size(); ++at) {
    for (const TensorId in : graph_.reads(order_[at])) readers_[in].push_back(at);
    for (const TensorId out : graph_.ops[order_[at]].outputs) {
      if (out) makers_[out] = at;
    }
  }
}

void TileProgram::readOps() {
  work_ = 0;
  ops_.resize(order_.size());
  for (std::size_t at = 0; at < order_.size(); ++at) readOp(at);
}

void TileProgram::findArrivals() {
  for (const TensorId input : graph_.inputs) {
    const auto readsAll = [&](std::size_t at) {
      return std::ranges::count(ops_[at].wholes, input) > 0;
    };
    arrives_[input] = arriving_ && rows_[input].axis >= 0 && !readers_[input].empty() &&
                      !graph_.tensors[input].graphOutput &&
                      std::ranges::none_of(readers_[input], readsAll);
  }
}

/// The axis that images have their rows along, or their channels, where nothing else tells.
int TileProgram::firstAxis(const Op& op, std::size_t rank) const {
  const bool last = channelsAreLast(op);
  if (goesByChannels()) return last ? static_cast<int>(rank) - 1 : rank > 1 ? 1 : -1;
  const int axis = last ? 1 : 2;
  return static_cast<std::size_t>(axis) < rank ? axis : -1;
}

/// The reach of an op into an input by rows; by channels, only where each group needs the group of
/// the same number. Null: all of the input.
const Reach* TileProgram::reachOf(const Op& op, const Regions& regions, std::size_t input, int axis,
                                  std::size_t& along) const {
  static constexpr Reach kSame{.axis = 0};
  const Reach* reach = regions.along(input, axis, along);
  if (reach == nullptr || !goesByChannels()) return reach;
  const Shape& made = *graph_.tensors[op.outputs[0]].shape;
  const Shape& read = *graph_.tensors[op.inputs[input]].shape;
  return isByChannel(*reach, made[static_cast<std::size_t>(axis)], read[along]) ? &kSame : nullptr;
}

/// The axis of the outputs that belongs to the `known` one of an input which has one already.
int TileProgram::axisFor(const Op& op, const Regions& regions, int TileRows::*known,
                         int fallback) const {
  for (std::size_t input = 0; input < op.inputs.size(); ++input) {
    const TensorId in = op.inputs[input];
    if (!in || graph_.tensors[in].constant || rows_[in].*known < 0) continue;
    const auto axis = static_cast<std::size_t>(rows_[in].*known);
    if (axis < regions.inputs[input].size() && regions.inputs[input][axis].axis >= 0) {
      return regions.inputs[input][axis].axis;
    }
  }
  return fallback;
}

/// False when it has no rows along `axis`.
bool TileProgram::setRows(TensorId id, int axis) {
  TileRows& rows = rows_[id];
  if (rows.axis >= 0) return rows.axis == axis;
  const Tensor& tensor = graph_.tensors[id];
  const auto element = elementSize(tensor);
  if (!element || tensor.persistent || axis < 0) return false;
  const std::int64_t size = (*tensor.shape)[static_cast<std::size_t>(axis)];
  const std::int64_t count = goesByChannels() ? groups_ : size;
  if (size % count != 0) return false;
  rows = {axis, count, Bytes(tensor.bytes->count() / count), size / count};
  return true;
}

bool TileProgram::setColumns(TensorId id, int axis) {
  TileRows& rows = rows_[id];
  if (rows.across >= 0) return rows.across == axis;
  const Shape& shape = *graph_.tensors[id].shape;
  if (axis < 0 || axis == rows.axis || static_cast<std::size_t>(axis) >= shape.size()) return false;
  rows.across = axis;
  rows.width = shape[static_cast<std::size_t>(axis)];
  return true;
}

/// False when its rows cannot be cut into columns.
bool TileProgram::divide(std::size_t at, const Regions& regions) {
  const Op& op = graph_.ops[order_[at]];
  TileOp& tiled = ops_[at];
  // Columns follow rows, with channels first and last.
  tiled.across = axisFor(op, regions, &TileRows::across, tiled.axis + 1);
  for (const TensorId out : tiled.outputs) {
    if (!setColumns(out, tiled.across)) return false;
    tiled.width = rows_[tiled.outputs.front()].width;
    if (rows_[out].width != tiled.width) return false;
  }
  for (TileRead& read : tiled.reads) {
    std::size_t along = 0;
    const Reach* reach = regions.along(read.input, tiled.across, along);
    if (reach == nullptr || !setColumns(read.tensor, static_cast<int>(along))) return false;
    read.across = *reach;
  }
  return true;
}

void TileProgram::readOp(std::size_t at) {
  const Op& op = graph_.ops[order_[at]];
  TileOp& tiled = ops_[at];
  const Work work = workOf(graph_, order_[at]);
  tiled.work = std::max<std::int64_t>(work.macs > 0 ? work.macs : work.touched, 0);
  work_ = checkedAdd(work_, tiled.work).value_or(work_);
  if (readFold(at, foldOf(graph_, order_[at]), tiled)) return;
  if (goesByChannels()) readSum(at);
  const auto regions = regionsOf(graph_, order_[at]);
  if (!regions || op.outputs.empty() || !op.outputs[0]) return;
  const std::size_t rank = graph_.tensors[op.outputs[0]].shape->size();
  tiled.axis = axisFor(op, *regions, &TileRows::axis, firstAxis(op, rank));
  for (const TensorId out : op.outputs) {
    if (!out || (readers_[out].empty() && !graph_.tensors[out].graphOutput)) continue;
    if (!setRows(out, tiled.axis)) return;
    const TileRows& made = rows_[out];
    if (tiled.rows != 0 && (tiled.rows != made.count || tiled.each != made.each)) return;
    tiled.rows = made.count;
    tiled.each = made.each;
    tiled.outputs.push_back(out);
  }
  for (std::size_t input = 0; input < op.inputs.size(); ++input) {
    const TensorId in = op.inputs[input];
    if (!in) continue;
    const Tensor& tensor = graph_.tensors[in];
    if (tensor.constant) {
      const bool share = readsShare(graph_, order_[at], input, tiled.axis);
      if (!share) tiled.weights += tensor.bytes.value_or(Bytes());
      continue;
    }
    if (tensor.persistent || !tensor.bytes) return;
    std::size_t along = 0;
    const Reach* reach = reachOf(op, *regions, input, tiled.axis, along);
    if (reach != nullptr && setRows(in, static_cast<int>(along))) {
      tiled.reads.push_back({in, input, *reach});
    } else {
      tiled.wholes.push_back(in);
    }
  }
  // A dense convolution makes some channels of all of its input: it can begin a run.
  const bool dense = goesByChannels() && work.macs > 0;
  tiled.able = !tiled.outputs.empty() && (!tiled.reads.empty() || dense) && tiled.rows > 1;
  if (tiled.able) tiled.over = overwritableInput(*this, op, tiled);
  if (tiled.able) addRowReader(at, tiled);
  if (tiled.able && !goesByChannels()) tiled.divides = divide(at, *regions);
}

/// The op as one that adds up its channels, where it can.
void TileProgram::readSum(std::size_t at) {
  TileOp sum{.work = ops_[at].work};
  const bool sums = readFold(at, channelSumOf(graph_, order_[at]), sum);
  if (sums && sum.able) sums_.emplace(at, std::move(sum));
}

void TileProgram::addRowReader(std::size_t at, const TileOp& op) {
  for (const TileRead& read : op.reads) rowReaders_[read.tensor].push_back({at, read.reach});
}

/// False for an op that does not fold the rows of its input.
bool TileProgram::readFold(std::size_t at, const std::optional<Fold>& fold, TileOp& tiled) {
  constexpr std::int64_t kWideBytes = 4;
  if (!fold) return false;
  const Op& op = graph_.ops[order_[at]];
  const TensorId in = op.inputs[fold->input];
  const TensorId out = op.outputs[0];
  const Tensor& input = graph_.tensors[in];
  if (input.constant || input.persistent || graph_.tensors[out].persistent) return false;
  const int axis = rows_[in].axis >= 0 ? rows_[in].axis : firstAxis(op, fold->axes.size());
  if (axis < 0 || !fold->axes[static_cast<std::size_t>(axis)]) return false;
  const bool read = !readers_[out].empty() || graph_.tensors[out].graphOutput;
  if (!read || !elementSize(graph_.tensors[out]) || !setRows(in, axis)) return false;
  for (std::size_t i = 0; i < op.inputs.size(); ++i) {
    const TensorId each = op.inputs[i];
    if (!each || i == fold->input) continue;
    if (!graph_.tensors[each].constant) return false;
    if (!fold->ownConstants) tiled.weights += graph_.tensors[each].bytes.value_or(Bytes());
  }
  const Reach same{.axis = axis};
  tiled.folds = true;
  tiled.rows = rows_[in].count;
  tiled.each = rows_[in].each;
  tiled.outputs = {out};
  tiled.reads = {{in, fold->input, same, same}};
  if (fold->wide) tiled.soFar = Bytes(*elementCount(*graph_.tensors[out].shape) * kWideBytes);
  const int across = rows_[in].across >= 0 ? rows_[in].across : axis + 1;
  tiled.divides = !goesByChannels() && setColumns(in, across);
  if (tiled.divides) tiled.width = rows_[in].width;
  tiled.able = tiled.rows > 1;
  if (tiled.able) addRowReader(at, tiled);
  return true;
}

std::size_t TileProgram::firstReader(TensorId tensor) const {
  return readers_[tensor].empty() ? 0 : readers_[tensor].front();
}

bool TileProgram::liesInRows(TensorId tensor) const {
  const BufferId buffer = storage_.bufferOf(tensor);
  const TileRows& rows = rows_[tensor];
  if (!buffer || rows.axis < 0 || storage_.tensorsOf(buffer).size() > 1) return false;
  const Shape& shape = *graph_.tensors[tensor].shape;
  return std::all_of(shape.begin(), shape.begin() + rows.axis,
                     [](std::int64_t size) { return size == 1; });
}

void TileProgram::findLives(const Schedule& schedule, const StorageOptions& options,
                            const OverlapFinder& overlaps) {
  StorageOptions sharing = options;
  sharing.alias.inPlace = true;
  liveInPlace_ = liveIn(shareStorage(graph_, schedule, sharing), schedule);
  sharing.alias.inPlace = false;
  storage_ = shareStorage(graph_, schedule, sharing);
  live_ = liveIn(storage_, schedule);
  // A life is there at the cuts behind its first op and before the one it does not see any more.
  LoadSweep across(order_.size() + 2);
  for (const BufferId id : storage_.buffers.keys()) {
    const Life& life = lives_.emplace_back(lifeIn(storage_, id, schedule));
    const std::size_t begin = std::min(life.begin, order_.size()) + 1;
    across.add(begin, std::max(begin, std::min(life.end, order_.size() + 1)), life.size);
  }
  across_.assign(order_.size() + 3, Bytes());
  across.eachPlace([&](std::size_t cut, Bytes bytes) { across_[cut] = bytes; });
  if (overlaps) shareLives(schedule, overlaps(graph_, schedule, storage_).saved);
}

TileProgram::Life TileProgram::lifeIn(const Storage& storage, BufferId id,
                                      const Schedule& schedule) const {
  const Buffer& buffer = storage.buffers[id];
  const auto place = [&](Step step) {
    // A graph without operators still has one step.
    return placeOfStep_[std::min(static_cast<std::size_t>(step.count()), schedule.order.size())];
  };
  Life life{place(buffer.steps.begin), place(buffer.steps.end), aligned(buffer.size)};
  if (arrives_[buffer.root]) life.begin = firstReader(buffer.root);
  // Holds nothing but what runs ahead of time, between two steps that count.
  life.end = std::max(life.end, life.begin + 1);
  if (buffer.graphOutput) life.end = order_.size() + 1;
  if (buffer.tensors.size() == 1 && isIdleOutput(graph_, buffer.root)) life.size = Bytes();
  return life;
}

/// Bytes live while each op runs whole.
std::vector<Bytes> TileProgram::liveIn(const Storage& storage, const Schedule& schedule) const {
  LoadSweep load(order_.size() + 1);
  for (const BufferId id : storage.buffers.keys()) {
    const Life life = lifeIn(storage, id, schedule);
    load.add(std::min(life.begin, order_.size()), std::min(life.end, order_.size()), life.size);
  }
  std::vector<Bytes> live(order_.size() + 1);
  load.eachPlace([&](std::size_t at, Bytes bytes) { live[at] = bytes; });
  return live;
}

/// What is live while ops run whole gets less by what overlaps save.
void TileProgram::shareLives(const Schedule& schedule, const std::vector<Bytes>& saved) {
  overlaps_ = true;
  LoadSweep apartLoad(order_.size() + 1);
  for (const Life& life : lives_) {
    apartLoad.add(std::min(life.begin, order_.size()), std::min(life.end, order_.size()),
                  life.size);
  }
  apartLoad.eachPlace([&](std::size_t at, Bytes bytes) {
    if (at == order_.size()) return;
    const auto step = static_cast<std::size_t>(schedule.stepOf[order_[at]].count());
    for (auto* live : {&live_, &liveInPlace_}) {
      (*live)[at] = std::min((*live)[at], bytes - saved[step]);
    }
  });
}

void TileBox::join(const TileBox& other) {
  if (other.isEmpty()) return;
  if (isEmpty()) {
    *this = other;
    return;
  }
  joinIntervals(rows, other.rows);
  joinIntervals(columns, other.columns);
}

RunPrice& RunPrice::operator+=(const RunPrice& other) {
  extra += other.extra;
  again += other.again;
  parts += other.parts;
  return *this;
}

BoxSweep::BoxSweep(const TileProgram& program)
    : program_(program), placeOf_(program.graph().tensors.size(), kNoBoxes) {}

void BoxSweep::begin(const TileRun& run) {
  run_ = run;
  first_ = run.last;
  earliest_ = 0;
  price_ = {};
  for (const TensorId tensor : used_) placeOf_[tensor] = kNoBoxes;
  used_.clear();
  boxes_.clear();
  folds_.clear();
  made_.clear();
  canBegin_.clear();
}

TileBox& BoxSweep::box(TensorId tensor, std::size_t cell) {
  std::size_t& place = placeOf_[tensor];
  if (place == kNoBoxes) {
    place = boxes_.size();
    boxes_.resize(place + run_.cells());
    used_.push_back(tensor);
  }
  return boxes_[place + cell];
}

bool BoxSweep::leaves(TensorId tensor) const {
  const auto& readers = program_.readers(tensor);
  return program_.handedOut(tensor) || readers.empty() || readers.back() >= run_.last;
}

TileBox BoxSweep::shareOf(const TileOp& op, std::size_t cell) const {
  const auto number = static_cast<std::int64_t>(cell);
  return {equalShare(op.rows, number / run_.columns, run_.bands),
          equalShare(cutsColumns() ? op.width : 1, number % run_.columns, run_.columns)};
}

Interval<std::int64_t> BoxSweep::columnsOf(TensorId tensor, std::size_t cell) const {
  if (cutsColumns()) return boxOf(tensor, cell).columns;
  return {0, program_.rows(tensor).width};
}

bool BoxSweep::extend() {
  if (first_ == 0 || first_ <= earliest_) return false;
  const std::size_t at = first_ - 1;
  const TileOp& op = ofRun(at);
  if (!op.able || (cutsColumns() && !op.divides)) return false;
  const std::size_t before = made_.size();
  made_.resize(before + run_.cells());
  for (std::size_t cell = 0; cell < run_.cells(); ++cell) {
    if (make(at, cell, made_[before + cell])) continue;
    made_.resize(before);
    return false;
  }
  for (std::size_t cell = 0; cell < run_.cells(); ++cell) read(at, cell, made_[before + cell]);
  for (const TensorId whole : op.wholes) {
    if (const auto maker = program_.maker(whole)) earliest_ = std::max(earliest_, *maker + 1);
  }
  first_ = at;
  if (op.folds) folds_.push_back(at);
  canBegin_.push_back(foldsOwn());
  pay(at);
  return true;
}

/// Each element of the input once, in whichever cell. What comes of it is there when all cells are
/// done, so nobody in the run may read it.
bool BoxSweep::makeFold(const TileOp& op, std::size_t cell, TileBox& made) {
  const TensorId out = op.outputs.front();
  const auto& readers = program_.readers(out);
  made = shareOf(op, cell);
  if (made.isEmpty() || made.columns.empty()) return false;
  if (!readers.empty() && readers.front() < run_.last) return false;
  box(out, cell) = made;
  return true;
}

/// False when a cell would make an element that belongs to another, or nothing at all.
bool BoxSweep::make(std::size_t at, std::size_t cell, TileBox& made) {
  const TileOp& op = ofRun(at);
  if (op.folds) return makeFold(op, cell, made);
  for (const TensorId out : op.outputs) {
    if (leaves(out)) made.join(shareOf(op, cell));
    made.join(box(out, cell));
  }
  if (made.isEmpty() || made.columns.empty()) return false;
  for (const TensorId out : op.outputs) {
    if (leaves(out) && shareOf(op, cell) != made) return false;
    box(out, cell) = made;
  }
  return true;
}

bool BoxSweep::foldsOwn() const {
  if (!cutsColumns()) return true;
  return std::ranges::all_of(folds_, [&](std::size_t at) {
    const TensorId in = ofRun(at).reads.front().tensor;
    for (std::size_t cell = 0; cell < run_.cells(); ++cell) {
      if (boxOf(in, cell).columns != made(at, cell).columns) return false;
    }
    return true;
  });
}

void BoxSweep::read(std::size_t at, std::size_t cell, const TileBox& made) {
  const TileOp& op = ofRun(at);
  for (const TileRead& read : op.reads) {
    const TileRows& rows = program_.rows(read.tensor);
    TileBox needed{read.reach.needed(made.rows, rows.count), {0, 1}};
    if (cutsColumns()) needed.columns = read.across.needed(made.columns, rows.width);
    box(read.tensor, cell).join(needed);
  }
}

void BoxSweep::pay(std::size_t at) {
  const TileOp& op = ofRun(at);
  std::int64_t area = 0;
  std::int64_t parts = 0;
  for (const TileBox& made : std::span(made_).last(run_.cells())) {
    area += made.area();
    parts += (made.rows.length() - 1) / run_.rows + 1;
  }
  const std::int64_t whole = op.rows * (cutsColumns() ? op.width : 1);
  // Work is shared out among rows, so that the product stays in 64 bits.
  if (area > whole) {
    const std::int64_t each = op.work / whole;
    price_.extra += each * (area - whole) + op.work % whole * (area - whole) / whole;
  }
  price_.again += Bytes(op.weights.count() * (parts - 1));
  price_.parts += static_cast<std::size_t>(parts);
}

}  // namespace hw
