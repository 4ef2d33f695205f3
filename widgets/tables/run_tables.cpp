#include <QCoreApplication>
#include <utility>

#include "core/base/text.h"
#include "widgets/canvas/block_store.h"
#include "widgets/panels/run_text.h"
#include "widgets/tables/table_source.h"

namespace hw {
namespace {

QString tr(const char* text) { return QCoreApplication::translate("TableSource", text); }

using Row = std::size_t;

/// Puts a table together, a column after the other.
class Maker {
 public:
  Maker(std::shared_ptr<const Run> run, std::size_t rows) {
    source_->run = std::move(run);
    source_->rows = rows;
  }

  template <class Number>
  void number(const char* key, const QString& title, Number&& value,
              ColumnKind kind = ColumnKind::number) {
    source_->columns.push_back(
        {title, QString::fromLatin1(key), kind, std::forward<Number>(value), {}});
  }
  template <class Text>
  void text(const char* key, const QString& title, Text&& value) {
    source_->columns.push_back(
        {title, QString::fromLatin1(key), ColumnKind::text, {}, std::forward<Text>(value)});
  }
  TableSource& source() { return *source_; }
  std::shared_ptr<const TableSource> done() { return std::move(source_); }

 private:
  std::shared_ptr<TableSource> source_ = std::make_shared<TableSource>();
};

QString className(TensorClass kind) {
  switch (kind) {
    case TensorClass::input:
      return tr("input");
    case TensorClass::output:
      return tr("output");
    case TensorClass::view:
      return tr("shared");
    case TensorClass::intermediate:
    case TensorClass::problem:
      break;
  }
  return tr("intermediate");
}

/// Flat offset of every stay, `kNone` where it has no place: looked up once, since a pool can have
/// as many regions as stays.
std::shared_ptr<const std::vector<std::int64_t>> flatOffsets(const Run& run) {
  auto offsets =
      std::make_shared<std::vector<std::int64_t>>(run.problem.stays.size(), TableColumn::kNone);
  std::vector<std::vector<Bytes>> starts;
  for (const PoolId pool : run.problem.pools.keys()) starts.push_back(regionStarts(run.plan, pool));
  for (const StayId stay : run.plan.addresses.keys()) {
    const auto& at = run.plan.addresses[stay];
    if (!at || at->region.index() >= starts[at->pool.index()].size()) continue;
    (*offsets)[stay.index()] = (starts[at->pool.index()][at->region.index()] + at->offset).count();
  }
  return offsets;
}

/// The columns that everything about a stay shares; `stayOf` may give none.
template <class StayOf>
void addPlace(Maker& maker, const StayOf& stayOf) {
  const Run* run = maker.source().run.get();
  const auto offsets = flatOffsets(*run);
  maker.text("pool", tr("Pool"), [run, stayOf](Row row) {
    const StayId stay = stayOf(row);
    const auto& at = stay ? run->plan.addresses[stay] : std::optional<Address>();
    return at ? poolText(*run, at->pool) : QString();
  });
  maker.number(
      "address", tr("Address"),
      [offsets, stayOf](Row row) {
        const StayId stay = stayOf(row);
        return stay ? (*offsets)[stay.index()] : TableColumn::kNone;
      },
      ColumnKind::address);
}

template <class StepsOf>
void addSteps(Maker& maker, const StepsOf& stepsOf) {
  maker.source().steps = stepsOf;
  maker.number(
      "first", tr("First step"), [stepsOf](Row row) { return stepsOf(row).begin.count(); },
      ColumnKind::step);
  maker.number(
      "last", tr("Last step"), [stepsOf](Row row) { return stepsOf(row).end.count() - 1; },
      ColumnKind::step);
  maker.number("steps", tr("Steps"), [stepsOf](Row row) { return stepsOf(row).length().count(); });
}

std::shared_ptr<const TableSource> blockTable(const std::shared_ptr<const Run>& shared) {
  Maker maker(shared, shared->problem.stays.size());
  const Run* run = shared.get();
  const auto stayOf = [](Row row) { return StayId(row); };
  maker.source().stay = stayOf;
  maker.text("name", tr("Name"), [run](Row row) { return stayText(*run, StayId(row)); });
  maker.text("class", tr("Class"),
             [run](Row row) { return className(stayClass(*run, StayId(row))); });
  maker.number(
      "size", tr("Size"), [run](Row row) { return run->problem.stays[StayId(row)].size.count(); },
      ColumnKind::bytes);
  addPlace(maker, stayOf);
  addSteps(maker, [run](Row row) { return run->problem.stays[StayId(row)].steps; });
  maker.number("tensors", tr("Tensors"), [run](Row row) {
    const BufferId buffer = run->problem.stays[StayId(row)].buffer;
    if (!buffer || !run->storage.buffers.contains(buffer)) return std::int64_t{1};
    return static_cast<std::int64_t>(run->storage.buffers[buffer].tensors.size());
  });
  return maker.done();
}

QString shapeText(const Tensor& tensor) {
  if (!tensor.shape) return tr("?");
  QStringList dimensions;
  for (const std::int64_t size : *tensor.shape) dimensions << QString::number(size);
  return dimensions.isEmpty() ? tr("scalar") : dimensions.join(QChar(0x00d7));
}

/// The first stay of every tensor, by tensor.
std::shared_ptr<const std::vector<StayId>> staysOfTensors(const Run& run) {
  std::vector<StayId> ofBuffer(run.storage.buffers.size());
  for (const StayId stay : run.problem.stays.keys()) {
    const BufferId buffer = run.problem.stays[stay].buffer;
    if (buffer && run.storage.buffers.contains(buffer) && !ofBuffer[buffer.index()]) {
      ofBuffer[buffer.index()] = stay;
    }
  }
  auto stays = std::make_shared<std::vector<StayId>>(run.graph().tensors.size());
  for (const TensorId tensor : run.storage.slots.keys()) {
    const auto& slot = run.storage.slots[tensor];
    if (slot) (*stays)[tensor.index()] = ofBuffer[slot->buffer.index()];
  }
  return stays;
}

std::shared_ptr<const TableSource> tensorTable(const std::shared_ptr<const Run>& shared) {
  const Run* run = shared.get();
  // Weights are in the model, not in the plan.
  auto ids = std::make_shared<std::vector<TensorId>>();
  for (const TensorId id : run->graph().tensors.keys()) {
    if (!run->graph().tensors[id].constant) ids->push_back(id);
  }
  Maker maker(shared, ids->size());
  const auto tensor = [run, ids](Row row) -> const Tensor& {
    return run->graph().tensors[(*ids)[row]];
  };
  const auto stays = staysOfTensors(*run);
  const auto stayOf = [ids, stays](Row row) { return (*stays)[(*ids)[row].index()]; };
  maker.source().stay = stayOf;
  maker.source().op = [tensor](Row row) { return tensor(row).producer; };
  maker.text("name", tr("Name"), [run, ids](Row row) { return tensorText(*run, (*ids)[row]); });
  maker.number(
      "size", tr("Size"),
      [tensor](Row row) {
        const auto& bytes = tensor(row).bytes;
        return bytes ? bytes->count() : TableColumn::kNone;
      },
      ColumnKind::bytes);
  maker.text("type", tr("Type"), [tensor](Row row) {
    return QString::fromStdString(std::string(dtypeName(tensor(row).dtype)));
  });
  maker.text("shape", tr("Shape"), [tensor](Row row) { return shapeText(tensor(row)); });
  addPlace(maker, stayOf);
  addSteps(maker, [run, ids](Row row) {
    const auto& lifetimes = run->storage.lifetimes;
    return lifetimes.contains((*ids)[row]) ? lifetimes[(*ids)[row]] : Interval<Step>();
  });
  maker.text("producer", tr("Producer"), [run, tensor](Row row) {
    const OpId op = tensor(row).producer;
    return op ? opNameText(*run, op) : tr("graph input");
  });
  maker.number("readers", tr("Readers"), [tensor](Row row) {
    return static_cast<std::int64_t>(tensor(row).consumers.size());
  });
  maker.text("buffer", tr("Shares"), [run, ids](Row row) {
    if (!run->storage.slots.contains((*ids)[row])) return QString();
    const auto& slot = run->storage.slots[(*ids)[row]];
    if (!slot || run->storage.buffers[slot->buffer].root == (*ids)[row]) return QString();
    return tensorText(*run, run->storage.buffers[slot->buffer].root);
  });
  return maker.done();
}

std::shared_ptr<const TableSource> eventTable(const std::shared_ptr<const Run>& shared) {
  Maker maker(shared, shared->timeline.size());
  const Run* run = shared.get();
  const auto entry = [run](Row row) -> const TimelineEntry& { return run->timeline[row]; };
  maker.source().stay = [entry](Row row) { return entry(row).stay; };
  maker.source().steps = [entry](Row row) {
    return Interval<Step>{entry(row).step, entry(row).step + Step(1)};
  };
  maker.number("number", tr("#"), [](Row row) { return static_cast<std::int64_t>(row); });
  maker.number(
      "step", tr("Step"), [entry](Row row) { return entry(row).step.count(); }, ColumnKind::step);
  maker.number(
      "time", tr("Time"),
      [run, entry](Row row) { return run->trace.timeOf(entry(row).firstEvent).count(); },
      ColumnKind::picoseconds);
  maker.text("event", tr("Event"), [entry](Row row) {
    return QString::fromStdString(std::string(happeningName(entry(row).happening)));
  });
  maker.text("name", tr("Name"), [run, entry](Row row) { return stayText(*run, entry(row).stay); });
  maker.text("pool", tr("Pool"), [run, entry](Row row) { return poolText(*run, entry(row).pool); });
  maker.number("region", tr("Region"),
               [entry](Row row) { return static_cast<std::int64_t>(entry(row).region.index()); });
  maker.number(
      "offset", tr("Offset"), [entry](Row row) { return entry(row).offset.count(); },
      ColumnKind::address);
  maker.number(
      "size", tr("Size"), [entry](Row row) { return entry(row).size.count(); }, ColumnKind::bytes);
  maker.text("detail", tr("Detail"),
             [run, entry](Row row) { return reasonText(*run, entry(row)); });
  return maker.done();
}

std::shared_ptr<const TableSource> opTable(const std::shared_ptr<const Run>& shared) {
  Maker maker(shared, shared->schedule.order.size());
  const Run* run = shared.get();
  const auto opOf = [run](Row row) { return run->schedule.order[row]; };
  const auto op = [run, opOf](Row row) -> const Op& { return run->graph().ops[opOf(row)]; };
  const auto live = std::make_shared<const StepFunction>(liveBytes(run->problem));
  maker.source().op = opOf;
  maker.source().steps = [](Row row) {
    const Step step(static_cast<std::int64_t>(row));
    return Interval<Step>{step, step + Step(1)};
  };
  maker.number(
      "step", tr("Step"), [](Row row) { return static_cast<std::int64_t>(row); }, ColumnKind::step);
  maker.text("name", tr("Name"), [run, opOf](Row row) { return opNameText(*run, opOf(row)); });
  maker.text("type", tr("Type"),
             [op](Row row) { return QString::fromStdString(printable(op(row).type)); });
  maker.number(
      "live", tr("Live bytes"),
      [live](Row row) { return live->at(Step(static_cast<std::int64_t>(row))).count(); },
      ColumnKind::bytes);
  maker.number("reads", tr("Reads"), [run, opOf](Row row) {
    return static_cast<std::int64_t>(run->graph().reads(opOf(row)).size());
  });
  maker.number("writes", tr("Writes"),
               [op](Row row) { return static_cast<std::int64_t>(op(row).outputs.size()); });
  if (run->timing.ops.size() == run->schedule.order.size()) {
    const auto timing = [run](Row row) -> const OpTiming& { return run->timing.ops[row]; };
    maker.number(
        "time", tr("Time"), [timing](Row row) { return timing(row).time.length().count(); },
        ColumnKind::picoseconds);
    maker.number("macs", tr("MACs"), [timing](Row row) { return timing(row).macs; });
  }
  maker.text("folded", tr("Ahead of time"),
             [op](Row row) { return op(row).folded ? tr("yes") : QString(); });
  return maker.done();
}

/// A free piece, in the flat address space of its pool.
struct FreePiece {
  PoolId pool{};
  RegionId region{};
  Bytes begin{};
  Bytes size{};
  StayId below{}, above{};
};

std::shared_ptr<const TableSource> freeTable(const std::shared_ptr<const Run>& shared,
                                             std::size_t moment) {
  const Run* run = shared.get();
  auto pieces = std::make_shared<std::vector<FreePiece>>();
  const MemoryState memory = run->trace.stateAfter(std::min(moment, run->trace.size()));
  for (const PoolId pool : memory.keys()) {
    Bytes start;
    for (const RegionId region : IdRange<RegionId>(memory[pool].regionCount())) {
      const auto chunks = memory[pool].chunks(region);
      for (std::size_t i = 0; i < chunks.size(); ++i) {
        if (!chunks[i].isFree()) continue;
        pieces->push_back({pool, region, start + chunks[i].offset, chunks[i].size,
                           i > 0 ? chunks[i - 1].owner : StayId(),
                           i + 1 < chunks.size() ? chunks[i + 1].owner : StayId()});
      }
      start += memory[pool].regionSize(region);
    }
  }
  Maker maker(shared, pieces->size());
  const auto name = [run](StayId stay) { return stay ? stayText(*run, stay) : QString(); };
  maker.source().stay = [pieces](Row row) { return (*pieces)[row].above; };
  maker.text("pool", tr("Pool"),
             [run, pieces](Row row) { return poolText(*run, (*pieces)[row].pool); });
  maker.number("region", tr("Region"), [pieces](Row row) {
    return static_cast<std::int64_t>((*pieces)[row].region.index());
  });
  maker.number(
      "address", tr("Address"), [pieces](Row row) { return (*pieces)[row].begin.count(); },
      ColumnKind::address);
  maker.number(
      "end", tr("End"),
      [pieces](Row row) { return ((*pieces)[row].begin + (*pieces)[row].size).count(); },
      ColumnKind::address);
  maker.number(
      "size", tr("Size"), [pieces](Row row) { return (*pieces)[row].size.count(); },
      ColumnKind::bytes);
  maker.text("below", tr("Below it"),
             [pieces, name](Row row) { return name((*pieces)[row].below); });
  maker.text("above", tr("Above it"),
             [pieces, name](Row row) { return name((*pieces)[row].above); });
  return maker.done();
}

/// A title as filters write it: "first step" is first_step.
std::string keyOf(const std::string& title) {
  std::string key;
  for (const char c : title) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    const bool large = c >= 'A' && c <= 'Z';
    key += plain ? c : large ? static_cast<char>(c - 'A' + 'a') : '_';
  }
  return key;
}

}  // namespace

std::shared_ptr<const TableSource> makeTable(std::shared_ptr<const Run> run, TableKind kind,
                                             std::size_t moment) {
  switch (kind) {
    case TableKind::tensors:
      return run->model->problem ? blockTable(run) : tensorTable(run);
    case TableKind::blocks:
      return blockTable(run);
    case TableKind::events:
      return eventTable(run);
    case TableKind::freeList:
      return freeTable(run, moment);
    case TableKind::ops:
      break;
  }
  return opTable(run);
}

std::shared_ptr<const TableSource> methodTable(std::shared_ptr<const Run> shared,
                                               std::size_t index) {
  const Run* run = shared.get();
  const MethodTable* table = &run->plan.tables[index];
  Maker maker(shared, table->rows.size());
  const auto cell = [table](Row row, std::size_t column) -> const MethodCell* {
    return column < table->rows[row].size() ? &table->rows[row][column] : nullptr;
  };
  for (std::size_t column = 0; column < table->columns.size(); ++column) {
    const QString title = QString::fromStdString(printable(table->columns[column]));
    const std::string key = keyOf(table->columns[column]);
    const MethodCell* first = table->rows.empty() ? nullptr : cell(0, column);
    const bool bytes = first && std::holds_alternative<Bytes>(*first);
    if (bytes || (first && std::holds_alternative<std::int64_t>(*first))) {
      maker.number(
          key.c_str(), title,
          [cell, column](Row row) {
            const MethodCell* value = cell(row, column);
            if (const auto* size = value ? std::get_if<Bytes>(value) : nullptr)
              return size->count();
            const auto* number = value ? std::get_if<std::int64_t>(value) : nullptr;
            return number ? *number : TableColumn::kNone;
          },
          bytes ? ColumnKind::bytes : ColumnKind::number);
      continue;
    }
    maker.text(key.c_str(), title, [run, cell, column](Row row) {
      const MethodCell* value = cell(row, column);
      if (!value) return QString();
      if (const auto* stay = std::get_if<StayId>(value)) {
        return *stay ? stayText(*run, *stay) : QString();
      }
      if (const auto* text = std::get_if<std::string>(value)) {
        return QString::fromStdString(printable(*text));
      }
      if (const auto* size = std::get_if<Bytes>(value)) return exactText(*size);
      return QString::number(std::get<std::int64_t>(*value));
    });
  }
  maker.source().stay = [table](Row row) {
    for (const MethodCell& value : table->rows[row]) {
      if (const auto* stay = std::get_if<StayId>(&value); stay && *stay) return *stay;
    }
    return StayId();
  };
  return maker.done();
}

}  // namespace hw
