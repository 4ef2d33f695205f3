#include "core/tile/line_pull.h"

#include <algorithm>

#include "core/storage/overlays.h"

namespace hw {
namespace {

constexpr std::size_t kUntouched = static_cast<std::size_t>(-1);
/// The most parts of a run: longer plans are too long to look at, or to run.
constexpr std::size_t kMostRunParts = 60'000;

/// The first row that `row` is made of: Reach::needed, which is asked for each part.
std::int64_t firstNeeded(const Reach& reach, std::int64_t row, std::int64_t count) {
  if (reach.per != 1 || reach.axis == Reach::kWhole)
    return reach.needed({row, row + 1}, count).begin;
  return std::clamp<std::int64_t>(row * reach.step + reach.low, 0, count - 1);
}

bool isSamePlace(const Reach& reach) {
  return reach.axis != Reach::kWhole && reach.step == 1 && reach.per == 1 && reach.low == 0 &&
         reach.high == 0;
}

}  // namespace

LinePull::LinePull(const TileProgram& program)
    : program_(program),
      state_(program.graph().tensors.size()),
      touched_(program.lives().size(), {kUntouched, 0}),
      waiting_(program.lives().size()) {}

LinePull::Role LinePull::roleOf(const TileRun& run, TensorId tensor) const {
  const auto& readers = program_.readers(tensor);
  const auto maker = program_.maker(tensor);
  const bool ends = readers.empty() || readers.back() < run.last;
  if (program_.arrives(tensor)) {
    const bool byRow = !program_.goesByChannels() && ends && readers.front() >= run.first;
    return byRow ? Role::inside : Role::outside;
  }
  if (!maker || *maker < run.first || *maker >= run.last) return Role::outside;
  return ends && !program_.handedOut(tensor) ? Role::inside : Role::leaves;
}

bool LinePull::prepare() {
  for (const TensorId tensor : used_) state_[tensor] = State();
  for (const std::size_t life : touchedLives_) touched_[life] = {kUntouched, 0};
  used_.clear();
  folds_.clear();
  touchedLives_.clear();
  result_ = PulledRun();
  stopped_ = false;
  clock_ = 0;
  own_ = {};
  if (!findBoxes()) return false;
  least_ = others_ = liveAround(run_);
  done_.assign(run_.last - run_.first, 0);
  for (std::size_t at = run_.first; at < run_.last; ++at) {
    const TileOp& op = ofRun(at);
    for (const TileRead& read : op.reads) use(read.tensor);
    for (const TensorId out : op.outputs) use(out);
    for (const TensorId whole : op.wholes) use(whole);
  }
  for (std::size_t at = run_.first; at < run_.last; ++at) joinInPlace(at);
  if (tell_ || run_.apart) {
    for (const TensorId tensor : used_) {
      State& state = state_[tensor];
      if (!isInside(tensor) || state.root != tensor) continue;
      const auto rows = static_cast<std::size_t>(program_.rows(tensor).count);
      state.rings.assign(rows * run_.cells(), kNoRing);
    }
  }
  await();
  pairUp();
  atLeast_ = least_;
  return true;
}

/// Finds the boxes of the run; false where it cannot run in parts. Boxes of an earlier run that
/// ended at the same op are used again, except where outputs overlap inputs: there, those of inputs
/// depend on where a run begins.
bool LinePull::findBoxes() {
  const auto sweep = sweeps_.try_emplace({run_.bands, run_.columns}, program_).first;
  boxes_ = &sweep->second;
  if (tell_ || program_.overlaps() || !boxes_->isOf(run_)) boxes_->begin(run_);
  while (boxes_->first() > run_.first) {
    if (!boxes_->extend()) return false;
  }
  return boxes_->canBegin(run_.first);
}

/// Finds the tensors that may overlap.
void LinePull::pairUp() {
  pairs_.clear();
  slack_ = {};
  if (!program_.overlaps()) return;
  const auto lifeOf = [&](TensorId tensor) { return program_.lives()[program_.lifeOf(tensor)]; };
  std::vector<TensorId> unders = used_;
  std::erase_if(unders, [&](TensorId tensor) {
    if (state_[tensor].role != Role::outside || program_.arrives(tensor)) return true;
    if (!program_.liesInRows(tensor) || lifeOf(tensor).end > run_.last) return true;
    return program_.readers(tensor).size() != program_.rowReaders(tensor).size();
  });
  for (std::size_t at = run_.first; at < run_.last && !unders.empty(); ++at) {
    if (ofRun(at).folds) continue;
    for (const TensorId over : ofRun(at).outputs) {
      if (state_[over].role != Role::leaves || !program_.liesInRows(over)) continue;
      for (const TensorId under : unders) {
        pairs_.push_back({under, over});
        slack_ = std::max(slack_, std::min(lifeOf(under).size, lifeOf(over).size));
      }
    }
  }
}

/// Rows up to `end` of what the op makes are being written; what it reads is there.
void LinePull::keepApart(std::size_t at, std::int64_t end) {
  for (Pair& pair : pairs_) {
    if (program_.maker(pair.over) != at) continue;
    std::int64_t oldest = oldestOf(pair.under).row;
    for (std::size_t cell = cell_ + 1; cell < run_.cells(); ++cell) {
      const TileBox& box = boxes_->boxOf(pair.under, cell);
      if (!box.isEmpty()) oldest = std::min(oldest, box.rows.begin);
    }
    pair.end = std::max(pair.end, Bytes(program_.rows(pair.over).bytes.count() * end));
    pair.up = std::max(pair.up, pair.end - Bytes(program_.rows(pair.under).bytes.count() * oldest));
  }
}

/// Begins the state of a tensor of the run, if that has not been done.
void LinePull::use(TensorId tensor) {
  State& state = state_[tensor];
  if (state.root) return;
  used_.push_back(tensor);
  state.role = roleOf(run_, tensor);
  state.root = tensor;
  if (state.role == Role::leaves) state.host = tensor;
  if (state.role == Role::outside && program_.arrives(tensor)) touch(tensor);
}

/// Counts the readers of tensors from before the run, which are live until their last one is done.
void LinePull::await() {
  for (const std::size_t life : awaited_) waiting_[life] = 0;
  awaited_.clear();
  const auto wait = [&](TensorId tensor) {
    if (state_[tensor].role != Role::outside || !program_.planned(tensor)) return;
    const std::size_t life = program_.lifeOf(tensor);
    const TileProgram::Life& each = program_.lives()[life];
    if (each.begin >= run_.first || each.end > run_.last) return;
    if (waiting_[life]++ > 0) return;
    awaited_.push_back(life);
    least_ += each.size;
    others_ += each.size;
  };
  for (std::size_t at = run_.first; at < run_.last; ++at) {
    for (const TileRead& read : ofRun(at).reads) wait(read.tensor);
    for (const TensorId whole : ofRun(at).wholes) wait(whole);
  }
}

void LinePull::finish(const TileOp& op) {
  const auto done = [&](TensorId tensor) {
    if (state_[tensor].role != Role::outside || !program_.planned(tensor)) return;
    const std::size_t life = program_.lifeOf(tensor);
    if (waiting_[life] == 0 || --waiting_[life] > 0) return;
    least_ -= program_.lives()[life].size;
    others_ -= program_.lives()[life].size;
  };
  for (const TileRead& read : op.reads) done(read.tensor);
  for (const TensorId whole : op.wholes) done(whole);
}

void LinePull::beginCell(std::size_t cell) {
  cell_ = cell;
  for (std::size_t at = run_.first; at < run_.last; ++at) {
    done_[at - run_.first] = boxes_->made(at, cell).rows.begin;
  }
  for (const TensorId tensor : used_) {
    State& state = state_[tensor];
    if (state.role == Role::outside) continue;
    state.made = state.freed = boxes_->boxOf(tensor, cell).rows.begin;
    state.oldest = oldestOf(tensor);
  }
}

/// Releases rings of which some rows were never read.
void LinePull::endCell() {
  for (const TensorId tensor : used_) {
    State& state = state_[tensor];
    if (run_.apart && isInside(tensor) && state.root == tensor && !state.host) {
      freeApart(state, state.made);
    }
    if (state.ring == kNoRing) continue;
    TileRing& ring = result_.rings[std::exchange(state.ring, kNoRing)];
    ring.end = clock_;
    least_ -= Bytes(ring.row.count() * ring.capacity);
  }
}

/// Only a chain that all of its rows go along: each tensor but the last has one reader.
void LinePull::joinInPlace(std::size_t at) {
  const TileOp& op = ofRun(at);
  if (!op.over || !isInside(op.over) || program_.arrives(op.over)) return;
  if (program_.readers(op.over).size() != 1) return;
  const auto read = std::ranges::find(op.reads, op.over, &TileRead::tensor);
  if (run_.columns > 1 && !isSamePlace(read->across)) return;
  const TensorId out = program_.graph().ops[program_.opAt(at)].outputs[0];
  const TensorId root = state_[op.over].root;
  if (isInside(out)) {
    state_[out].root = root;
    state_[op.over].next = out;
    return;
  }
  // The whole chain lies in the tensor that leaves the run.
  for (const TensorId tensor : used_) {
    if (isInside(tensor) && state_[tensor].root == root) state_[tensor].host = out;
  }
}

/// The first row that any tensor of a ring still needs.
std::int64_t LinePull::oldestIn(TensorId root) const {
  std::int64_t oldest = state_[root].oldest.row;
  for (TensorId next = state_[root].next; next; next = state_[next].next) {
    oldest = std::min(oldest, state_[next].oldest.row);
  }
  return oldest;
}

LinePull::Oldest LinePull::oldestOf(TensorId tensor) const {
  const std::int64_t count = program_.rows(tensor).count;
  Oldest oldest{.row = count};
  for (const TileProgram::RowReader& reader : program_.rowReaders(tensor)) {
    if (reader.at < run_.first || reader.at >= run_.last) continue;
    const std::int64_t next = done_[reader.at - run_.first];
    if (next >= boxes_->made(reader.at, cell_).rows.end) continue;
    const std::int64_t row = firstNeeded(reader.reach, next, count);
    if (row < oldest.row) oldest = {row, reader.at};
  }
  return oldest;
}

void LinePull::touch(TensorId tensor) {
  if (!program_.planned(tensor)) return;
  const std::size_t life = program_.lifeOf(tensor);
  auto& [first, last] = touched_[life];
  if (first == kUntouched) {
    first = clock_;
    touchedLives_.push_back(life);
    const TileProgram::Life& each = program_.lives()[life];
    if (each.begin >= run_.first && each.end > run_.last) least_ += each.size;
  }
  last = clock_;
}

/// Rows from `before` on are there now, or are being written.
void LinePull::hold(TensorId tensor, std::int64_t before) {
  State& own = state_[tensor];
  if (own.host) return touch(own.host);
  if (run_.apart) return holdApart(tensor, before);
  State& root = state_[own.root];
  const std::int64_t oldest = std::min(oldestIn(own.root), before);
  if (root.ring == kNoRing) {
    root.ring = result_.rings.size();
    const Bytes row = program_.rows(own.root).bytesOf(boxes_->columnsOf(own.root, cell_));
    result_.rings.push_back({own.root, cell_, row, 0, clock_, 0});
  }
  TileRing& ring = result_.rings[root.ring];
  const std::int64_t more = root.made - oldest - ring.capacity;
  if (more > 0) {
    ring.capacity += more;
    least_ += Bytes(ring.row.count() * more);
  }
  if (!tell_ || own.root != tensor) return;
  const auto first = static_cast<std::int64_t>(cell_) * program_.rows(tensor).count;
  for (std::int64_t row = before; row < own.made; ++row) {
    own.rings[static_cast<std::size_t>(first + row)] = root.ring;
  }
}

/// Rows that are written over others are there already.
void LinePull::holdApart(TensorId tensor, std::int64_t before) {
  State& own = state_[tensor];
  if (own.root != tensor) return;
  const Bytes bytes = program_.rows(tensor).bytesOf(boxes_->columnsOf(tensor, cell_));
  const auto first = static_cast<std::int64_t>(cell_) * program_.rows(tensor).count;
  for (std::int64_t row = before; row < own.made; ++row) {
    own.rings[static_cast<std::size_t>(first + row)] = result_.rings.size();
    result_.rings.push_back({tensor, cell_, bytes, 1, clock_, 0, row});
    least_ += bytes;
  }
}

void LinePull::freeApart(State& root, std::int64_t until) {
  const auto first = static_cast<std::int64_t>(cell_) * program_.rows(root.root).count;
  for (; root.freed < until; ++root.freed) {
    TileRing& ring = result_.rings[root.rings[static_cast<std::size_t>(first + root.freed)]];
    ring.end = clock_;
    least_ -= ring.row;
  }
}

/// After a part that has read, or written, some of it: rows that nobody will read are gone.
void LinePull::release(TensorId tensor) {
  const State& own = state_[tensor];
  if (own.host) return;
  State& root = state_[own.root];
  if (run_.apart) return freeApart(root, std::min(oldestIn(own.root), root.made));
  if (root.ring == kNoRing || root.made > oldestIn(own.root)) return;
  TileRing& ring = result_.rings[root.ring];
  ring.end = clock_;
  least_ -= Bytes(ring.row.count() * ring.capacity);
  root.ring = kNoRing;
}

void LinePull::arrive(TensorId tensor, std::int64_t until) {
  State& state = state_[tensor];
  if (state.made >= until) return;
  const std::int64_t before = std::exchange(state.made, until);
  hold(tensor, before);
  if (tell_) result_.parts.push_back({TilePart::kArrives, tensor, cell_, {before, until}});
  ++clock_;
}

void LinePull::produce(TensorId tensor, std::int64_t until) {
  if (program_.arrives(tensor) && isInside(tensor)) return arrive(tensor, until);
  if (state_[tensor].role != Role::outside) produceRows(*program_.maker(tensor), until);
}

void LinePull::produceRows(std::size_t at, std::int64_t until) {
  const TileOp& op = ofRun(at);
  std::int64_t& done = done_[at - run_.first];
  while (done < until && !stopped_) {
    const std::int64_t end = boxes_->made(at, cell_).rows.end;
    const Interval<std::int64_t> rows{done, done + std::min(run_.rows, end - done)};
    for (const TileRead& read : op.reads) {
      produce(read.tensor, read.reach.needed(rows, program_.rows(read.tensor).count).end);
    }
    if (!stopped_) emit(at, rows);
  }
}

void LinePull::emit(std::size_t at, Interval<std::int64_t> rows) {
  const TileOp& op = ofRun(at);
  for (const TileRead& read : op.reads) {
    if (!isInside(read.tensor)) touch(read.tensor);
    if (state_[read.tensor].host) touch(state_[read.tensor].host);
  }
  for (const TensorId whole : op.wholes) touch(whole);
  keepApart(at, rows.end);
  done_[at - run_.first] = rows.end;
  const bool last = isLast({at, {}, cell_, rows});
  if (op.folds) takeIn(at, last);
  for (const TensorId out : op.outputs) {
    state_[out].made = rows.end;
    if (!op.folds) hold(out, rows.begin);
  }
  atLeast_ = std::max(atLeast_, least_);
  own_ = std::max(own_, least_ - others_);
  // A run that takes too much goes on to its first rows, for what longer runs take.
  const bool tellsMore = !tell_ && !program_.overlaps();
  stopped_ = atLeast_ >= limit_ && (!tellsMore || at + 1 == run_.last || own_ >= limit_);
  if (tell_) result_.parts.push_back({at, {}, cell_, rows});
  ++clock_;
  for (const TileRead& read : op.reads) {
    if (!isInside(read.tensor)) continue;
    // Rows that another op needs are needed as before.
    Oldest& oldest = state_[read.tensor].oldest;
    if (oldest.reader == at) oldest = oldestOf(read.tensor);
    release(read.tensor);
  }
  for (const TensorId out : op.outputs) {
    if (isInside(out)) release(out);
  }
  if (last && folds_.contains(at)) least_ -= op.soFar;
  if (last) finish(op);
  if (clock_ <= kMostRunParts || stopped_) return;
  stopped_ = true;
  atLeast_ = kMaxBytes;
}

/// Partial results of a fold are live from its first part to its last, which makes the output.
void LinePull::takeIn(std::size_t at, bool last) {
  const TileOp& op = ofRun(at);
  const TensorId out = op.outputs.front();
  if (op.soFar == Bytes() || last) touch(out);
  // A fold of one part keeps nothing.
  if (op.soFar == Bytes() || (last && !folds_.contains(at))) return;
  const auto [ring, isNew] = folds_.try_emplace(at, result_.rings.size());
  if (isNew) {
    result_.rings.push_back({out, cell_, op.soFar, 1, clock_, 0, -1, true});
    least_ += op.soFar;
  }
  result_.rings[ring->second].end = clock_ + 1;
}

Bytes LinePull::liveAround(const TileRun& run) {
  if (std::exchange(acrossLast_, run.last) != run.last) {
    across_.clear();
    for (const TileProgram::Life& life : program_.lives()) {
      if (life.begin < run.last && life.end > run.last) across_.emplace_back(life.begin, life.size);
    }
  }
  Bytes around;
  for (const auto& [begin, size] : across_) {
    if (begin < run.first) around += size;
  }
  return around;
}

/// The pair that saves most, and what it saves.
std::pair<Bytes, const LinePull::Pair*> LinePull::bestPair() const {
  std::pair<Bytes, const Pair*> best;
  for (const Pair& pair : pairs_) {
    const Bytes in = program_.lives()[program_.lifeOf(pair.under)].size;
    const Bytes out = program_.lives()[program_.lifeOf(pair.over)].size;
    const Bytes saved = mostShared(in, out, program_.aligned(pair.up), in);
    if (saved > best.first) best = {saved, &pair};
  }
  return best;
}

/// The most bytes live during one part.
void LinePull::addUp() {
  const std::size_t parts = clock_;
  std::vector<std::int64_t> change(parts + 1);
  const auto live = [&](std::size_t begin, std::size_t end, Bytes size) {
    change[begin] += size.count();
    change[std::min(end, parts)] -= size.count();
  };
  for (const TileRing& ring : result_.rings) {
    live(ring.begin, ring.end, program_.aligned(Bytes(ring.row.count() * ring.capacity)));
  }
  for (std::size_t life = 0; life < program_.lives().size(); ++life) {
    const TileProgram::Life& each = program_.lives()[life];
    if (each.begin >= run_.last || each.end <= run_.first) continue;
    const auto [first, last] = touched_[life];
    const bool here = first != kUntouched;
    if (each.begin < run_.first) {
      live(0, each.end > run_.last ? parts : here ? last + 1 : 0, each.size);
    } else if (here) {
      live(first, each.end > run_.last ? parts : last + 1, each.size);
    }
  }
  if (const auto [saved, pair] = bestPair(); pair != nullptr) {
    const std::size_t first = touched_[program_.lifeOf(pair->over)].first;
    const std::size_t last = touched_[program_.lifeOf(pair->under)].second;
    if (first <= last) live(first, last + 1, Bytes() - saved);
  }
  std::int64_t now = 0;
  std::int64_t most = 0;
  for (std::size_t part = 0; part < parts; ++part) most = std::max(most, now += change[part]);
  result_.peak = Bytes(most);
}

bool LinePull::pull(const TileRun& run, Bytes limit, bool tell) {
  run_ = run;
  limit_ = limit;
  tell_ = tell;
  possible_ = prepare();
  if (!possible_) return false;
  if (limit_ < kMaxBytes - slack_) limit_ += slack_;
  stopped_ = least_ >= limit_;
  for (std::size_t cell = 0; cell < run.cells() && !stopped_; ++cell) {
    beginCell(cell);
    for (std::size_t at = run.last; at-- > run.first && !stopped_;) {
      const auto& outputs = ofRun(at).outputs;
      const bool leaves = std::ranges::any_of(
          outputs, [&](TensorId out) { return state_[out].role == Role::leaves; });
      if (leaves) produceRows(at, boxes_->made(at, cell).rows.end);
    }
    endCell();
  }
  if (stopped_) {
    if (atLeast_ != kMaxBytes) atLeast_ = std::max(Bytes(), atLeast_ - slack_);
    return false;
  }
  addUp();
  atLeast_ = result_.peak;
  return result_.peak < limit;
}

std::size_t LinePull::ringOf(TensorId tensor, std::size_t cell, std::int64_t row) const {
  const State& root = state_[state_[tensor].root];
  const auto count = static_cast<std::size_t>(program_.rows(state_[tensor].root).count);
  return root.rings[cell * count + static_cast<std::size_t>(row)];
}

}  // namespace hw
