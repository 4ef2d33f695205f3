#include "widgets/tables/table_source.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QSaveFile>

#include "core/base/text.h"
#include "core/picture/block_store.h"
#include "core/plan_file/plan_document.h"
#include "core/report/run/simulation_report.h"
#include "core/report/text/text_table.h"
#include "core/run/uses.h"
#include "widgets/text/run_text.h"

namespace hw {

namespace {

constexpr std::size_t kLongest = 1000;  ///< Bytes of a text.

}  // namespace

QString TableSource::shown(std::size_t row, std::size_t column) const {
  const ColumnKind kind = columns[column].kind;
  const Value value = columns[column].value(row);
  if (value.isNone()) return none;
  if (value.text() != nullptr) return exact(row, column);
  switch (kind) {
    case ColumnKind::bytes:
      return exactBytes ? exactText(Bytes(*value.whole())) : sizeText(Bytes(*value.whole()));
    case ColumnKind::amount:
      return sizeText(Bytes(*value.whole()));
    case ColumnKind::address:
      return addressText(Bytes(*value.whole()));
    default:
      return QString::fromStdString(cellText(value, kind));
  }
}

QString TableSource::exact(std::size_t row, std::size_t column) const {
  return QString::fromStdString(printable(columns[column].value(row).exact(), kLongest));
}

namespace {

using Row = std::size_t;

std::shared_ptr<TableSource> emptyTable(std::shared_ptr<const Run> run, std::size_t rows) {
  auto table = std::make_shared<TableSource>();
  table->run = std::move(run);
  table->rows = rows;
  return table;
}

Interval<Step> atStep(Step step) { return {step, step + Step(1)}; }

/// A column of a tensor or buffer, called as plan files call it.
Column<Row> placed(const char* key, std::function<Value(const Row&)> value) {
  return like<Row>(placementColumns(), key, std::move(value));
}

void addLife(TableSource& table) {
  using enum ColumnKind;
  const auto steps = table.steps;
  table.columns.push_back(placed("first", [steps](Row row) { return steps(row).begin; }));
  table.columns.push_back(placed("last", [steps](Row row) { return steps(row).end - Step(1); }));
  table.columns.push_back({"length", "steps", count,
                           [steps](Row row) { return steps(row).length(); },
                           "How many steps it lives"});
}

/// Pool and offset of the stay of a row, if it has one.
void addPlace(TableSource& table) {
  const auto place = columnsVia<Row>(pick(bufferColumns(*table.run), {"pool", "offset"}),
                                     [stayOf = table.stay](Row row) {
                                       const StayId stay = stayOf(row);
                                       return stay ? std::optional(stay) : std::nullopt;
                                     });
  table.columns.insert(table.columns.end(), place.begin(), place.end());
}

std::shared_ptr<const TableSource> blockTable(const std::shared_ptr<const Run>& shared) {
  using enum ColumnKind;
  const auto table = emptyTable(shared, shared->problem.stays.size());
  const Run* run = shared.get();
  table->stay = [](Row row) { return StayId(row); };
  table->steps = [run](Row row) { return run->problem.stays[StayId(row)].steps; };
  table->columns = {
      placed("tensor", [run](Row row) { return run->stayName(StayId(row)); }),
      {"class", "class", text,
       [run](Row row) { return std::string(className(stayClass(*run, StayId(row)))); }},
      placed("size", [run](Row row) { return run->problem.stays[StayId(row)].size; })};
  addPlace(*table);
  addLife(*table);
  table->columns.push_back({"tensors", "tensors", count,
                            [run](Row row) -> Value {
                              const BufferId buffer = run->problem.stays[StayId(row)].buffer;
                              if (!buffer || !run->storage.buffers.contains(buffer)) return 1;
                              return run->storage.buffers[buffer].tensors.size();
                            },
                            "How many share it"});
  return table;
}

/// Buffers that are held longer than anybody needs them.
std::shared_ptr<const TableSource> lateTable(const std::shared_ptr<const Run>& shared) {
  using enum ColumnKind;
  const Run* run = shared.get();
  const auto late = std::make_shared<const std::vector<LateFree>>(lateFrees(*run));
  const auto table = emptyTable(shared, late->size());
  table->stay = [late](Row row) { return (*late)[row].stay; };
  table->steps = [run, late](Row row) { return run->problem.stays[(*late)[row].stay].steps; };
  table->columns = {
      placed("tensor", [run, late](Row row) { return run->stayName((*late)[row].stay); }),
      placed("size", [run, late](Row row) { return run->problem.stays[(*late)[row].stay].size; }),
      {"last_use", "last used", count, [late](Row row) { return (*late)[row].lastUse; },
       "The last step at which an operator writes or reads it"},
      placed("last", [steps = table->steps](Row row) { return steps(row).end - Step(1); }),
      {"late", "steps late", count, [late](Row row) { return (*late)[row].steps; },
       "How many steps it is held after that"}};
  addPlace(*table);
  return table;
}

std::string dimensionsText(const Tensor& tensor) {
  if (!tensor.shape) return "?";
  std::string text;
  for (const std::int64_t size : *tensor.shape) {
    text += (text.empty() ? "" : "\u00d7") + std::to_string(size);
  }
  return text.empty() ? "scalar" : text;
}

/// The first stay of every tensor, by tensor.
std::vector<StayId> staysOfTensors(const Run& run) {
  std::vector<StayId> ofBuffer(run.storage.buffers.size());
  for (const StayId stay : run.problem.stays.keys()) {
    const BufferId buffer = run.problem.stays[stay].buffer;
    if (buffer && run.storage.buffers.contains(buffer) && !ofBuffer[buffer.index()]) {
      ofBuffer[buffer.index()] = stay;
    }
  }
  std::vector<StayId> stays(run.graph().tensors.size());
  for (const TensorId tensor : run.storage.slots.keys()) {
    const auto& slot = run.storage.slots[tensor];
    if (slot) stays[tensor.index()] = ofBuffer[slot->buffer.index()];
  }
  return stays;
}

std::shared_ptr<const TableSource> tensorTable(const std::shared_ptr<const Run>& shared) {
  using enum ColumnKind;
  const Run* run = shared.get();
  // Without weights: they come with the model and no planner places them.
  auto ids = std::make_shared<std::vector<TensorId>>();
  for (const TensorId id : run->graph().tensors.keys()) {
    if (!run->graph().tensors[id].constant) ids->push_back(id);
  }
  const auto table = emptyTable(shared, ids->size());
  const auto id = [ids](Row row) { return (*ids)[row]; };
  const auto tensor = [run, id](Row row) -> const Tensor& { return run->graph().tensors[id(row)]; };
  const auto name = [run](TensorId of) { return displayName(run->graph(), of); };
  table->stay = [id, stays = staysOfTensors(*run)](Row row) { return stays[id(row).index()]; };
  table->op = [tensor](Row row) { return tensor(row).producer; };
  table->steps = [run, id](Row row) {
    const auto& lifetimes = run->storage.lifetimes;
    return lifetimes.contains(id(row)) ? lifetimes[id(row)] : Interval<Step>();
  };
  table->columns = {
      placed("tensor", [name, id](Row row) { return name(id(row)); }),
      placed("size", [tensor](Row row) { return tensor(row).bytes; }),
      {"type", "type", text, [tensor](Row row) { return dtypeName(tensor(row).dtype); }},
      {"shape", "shape", text, [tensor](Row row) { return dimensionsText(tensor(row)); }}};
  addPlace(*table);
  addLife(*table);
  table->columns.push_back({"producer", "producer", text, [run, tensor](Row row) {
                              const OpId op = tensor(row).producer;
                              return op ? displayName(run->graph(), op) : "graph input";
                            }});
  table->columns.push_back({"readers", "readers", count,
                            [tensor](Row row) { return tensor(row).consumers.size(); },
                            "How many ops read it"});
  table->columns.push_back(placed("alias_of", [run, id, name](Row row) -> Value {
    if (!run->storage.slots.contains(id(row))) return {};
    const auto& slot = run->storage.slots[id(row)];
    if (!slot || run->storage.buffers[slot->buffer].root == id(row)) return {};
    return name(run->storage.buffers[slot->buffer].root);
  }));
  return table;
}

std::shared_ptr<const TableSource> opTable(const std::shared_ptr<const Run>& shared) {
  const auto table = emptyTable(shared, shared->schedule.order.size());
  const Run* run = shared.get();
  table->op = [run](Row row) { return run->schedule.order[row]; };
  table->steps = [](Row row) { return atStep(Step(static_cast<std::int64_t>(row))); };
  const auto all = operatorColumns(*run);
  table->columns =
      pick(all, {"step", "op", "type", "reads", "writes", "time_ps", "macs", "folded"});
  table->columns.insert(table->columns.begin() + 3, liveColumn(*run));
  return table;
}

/// A free piece, in the flat address space of its pool.
struct FreePiece {
  PoolId pool{};
  RegionId region{};
  Interval<Bytes> bytes{};
  StayId below{}, above{};
};

std::vector<FreePiece> freePieces(const Run& run, std::size_t moment) {
  std::vector<FreePiece> pieces;
  const MemoryState memory = run.trace.stateAfter(std::min(moment, run.trace.size()));
  for (const PoolId pool : memory.keys()) {
    Bytes start;
    for (const RegionId region : IdRange<RegionId>(memory[pool].regionCount())) {
      const auto chunks = memory[pool].chunks(region);
      for (std::size_t i = 0; i < chunks.size(); ++i) {
        if (!chunks[i].isFree()) continue;
        const Bytes begin = start + chunks[i].offset;
        pieces.push_back({pool,
                          region,
                          {begin, begin + chunks[i].size},
                          i > 0 ? chunks[i - 1].owner : StayId(),
                          i + 1 < chunks.size() ? chunks[i + 1].owner : StayId()});
      }
      start += memory[pool].regionSize(region);
    }
  }
  return pieces;
}

std::shared_ptr<const TableSource> freeTable(const std::shared_ptr<const Run>& shared,
                                             std::size_t moment) {
  using enum ColumnKind;
  const Run* run = shared.get();
  const auto pieces = std::make_shared<const std::vector<FreePiece>>(freePieces(*run, moment));
  const auto table = emptyTable(shared, pieces->size());
  const auto piece = [pieces](Row row) -> const FreePiece& { return (*pieces)[row]; };
  const auto name = [run](StayId stay) { return stay ? run->stayName(stay) : std::string(); };
  table->stay = [piece](Row row) { return piece(row).above; };
  table->columns = {
      placed("pool", [run, piece](Row row) { return run->problem.pools[piece(row).pool].name; }),
      {"region", "region", count, [piece](Row row) { return piece(row).region.index(); }},
      placed("offset", [piece](Row row) { return piece(row).bytes.begin; }),
      {"last_byte", "last byte", address,
       [piece](Row row) { return piece(row).bytes.end - Bytes(1); },
       "The last byte of the piece: ranges of addresses name their first and their last byte"},
      placed("size", [piece](Row row) { return piece(row).bytes.length(); }),
      {"below", "below it", text, [piece, name](Row row) { return name(piece(row).below); }},
      {"above", "above it", text, [piece, name](Row row) { return name(piece(row).above); }}};
  return table;
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

/// The text of a cell of a method's table.
struct CellValue {
  const Run& run;

  Value operator()(StayId stay) const { return stay ? Value(run.stayName(stay)) : Value(); }
  Value operator()(const StayPart& part) const { return displayName(run.graph(), part.tensor); }
  Value operator()(const auto& value) const { return value; }
};

/// A column is of the kind of its first number; of texts, when it has none.
ColumnKind kindOf(const MethodTable& table, std::size_t column) {
  for (const auto& row : table.rows) {
    if (column >= row.size()) continue;
    if (std::holds_alternative<Bytes>(row[column])) return ColumnKind::bytes;
    if (std::holds_alternative<std::int64_t>(row[column])) return ColumnKind::count;
    if (row[column] != MethodCell(std::string())) break;
  }
  return ColumnKind::text;
}

}  // namespace

std::shared_ptr<const EventList> eventsOf(const Run& run, bool bySteps) {
  return std::make_shared<const EventList>(
      run,
      EventWords{.name = [&run](StayId stay) { return run.stayName(stay); },
                 .size = [](Bytes bytes) { return sizeText(bytes).toStdString(); },
                 .time = formatTime},
      bySteps);
}

std::shared_ptr<const TableSource> eventTable(std::shared_ptr<const Run> run,
                                              std::shared_ptr<const EventList> events) {
  const auto table = emptyTable(std::move(run), events->size());
  table->exactBytes = false;
  table->stay = [events](Row row) { return events->stay(row); };
  table->steps = [events](Row row) { return atStep(events->step(row)); };
  table->columns = columnsVia<Row>(eventColumns(),
                                   [events](Row row) { return std::optional(events->row(row)); });
  // The transport counts events of memory; files number all rows.
  table->columns.front() = {"number", "#", ColumnKind::count,
                            [events](Row row) { return events->number(row); },
                            "Events of memory that have happened by then, as the transport counts"};
  return table;
}

std::shared_ptr<const TableSource> makeTable(std::shared_ptr<const Run> run, TableKind kind,
                                             std::size_t moment, bool bySteps) {
  switch (kind) {
    case TableKind::tensors:
      return run->model->problem ? blockTable(run) : tensorTable(run);
    case TableKind::blocks:
      return blockTable(run);
    case TableKind::events:
      return eventTable(run, eventsOf(*run, bySteps));
    case TableKind::freeList:
      return freeTable(run, moment);
    case TableKind::lateFrees:
      return lateTable(run);
    case TableKind::ops:
      break;
  }
  return opTable(run);
}

std::shared_ptr<const TableSource> methodTable(std::shared_ptr<const Run> run,
                                               std::shared_ptr<const MethodTable> cells) {
  const auto table = emptyTable(std::move(run), cells->rows.size());
  for (std::size_t column = 0; column < cells->columns.size(); ++column) {
    const auto value = [run = table->run.get(), cells, column](Row row) {
      const auto& of = cells->rows[row];
      return column < of.size() ? std::visit(CellValue{*run}, of[column]) : Value();
    };
    const std::string& title = cells->columns[column];
    table->columns.push_back({keyOf(title), title, kindOf(*cells, column), value});
  }
  table->stay = [cells](Row row) {
    for (const MethodCell& cell : cells->rows[row]) {
      if (const StayId stay = stayOfCell(cell)) return stay;
    }
    return StayId();
  };
  return table;
}

QByteArray tableCsv(const TableSource& source, const std::vector<std::uint32_t>& rows) {
  std::string text = csvHeader(source.columns);
  std::vector<std::string> fields(source.columns.size());
  for (const std::uint32_t row : rows) {
    for (std::size_t i = 0; i < fields.size(); ++i) fields[i] = source.exact(row, i).toStdString();
    text += csvLine(fields);
  }
  return QByteArray::fromStdString(text);
}

QByteArray tableJson(const TableSource& source, const std::vector<std::uint32_t>& rows) {
  std::string text = "[";
  for (std::size_t i = 0; i < rows.size(); ++i) {
    text += (i == 0 ? "\n" : ",\n") + jsonLine(jsonRow(source.columns, std::size_t{rows[i]}));
  }
  return QByteArray::fromStdString(text + "\n]\n");
}

Result<void> writeTable(const TableSource& source, const std::vector<std::uint32_t>& rows,
                        const QString& file) {
  const QString ending = QFileInfo(file).suffix().toLower();
  const std::string name = file.toStdString();
  if (ending != QLatin1String("csv") && ending != QLatin1String("json")) {
    return fail(ErrorCode::invalidArgument, name + ": a table's name ends in .csv or .json");
  }
  const QByteArray bytes =
      ending == QLatin1String("csv") ? tableCsv(source, rows) : tableJson(source, rows);
  QSaveFile target(file);
  if (!target.open(QIODevice::WriteOnly) || target.write(bytes) != bytes.size() ||
      !target.commit()) {
    return fail(ErrorCode::unreadable,
                name + ": cannot be written: " + target.errorString().toStdString());
  }
  return {};
}

}  // namespace hw
