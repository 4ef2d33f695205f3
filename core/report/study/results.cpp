#include "core/report/study/results.h"

#include <fmt/format.h>

#include <filesystem>

#include "core/base/text.h"
#include "core/files/mapped_file.h"
#include "core/files/sha256.h"
#include "core/machine/platforms.h"
#include "core/report/compare/compare_report.h"

namespace hw {
namespace {

constexpr std::int64_t kVersion = 1;

/// A digest of what a model or a platform is read from. What the program brings along changes with
/// its version only.
std::string printOf(const std::string& path) {
  const auto file = MappedFile::open(path);
  return file ? sha256(file->bytes().substr(0, kHashedWhole)) : "missing";
}

std::string modelPrint(const std::filesystem::path& folder, const std::string& model) {
  return model.starts_with("samples:") ? "" : printOf((folder / model).string());
}

std::string platformPrint(const std::filesystem::path& folder, const std::string& platform) {
  const std::string file = platformFile(platform);
  return file.empty() ? "" : printOf((folder / file).string());
}

/// The type that SQLite is to keep the values of a column in.
std::string_view typeOf(ColumnKind kind) {
  if (!isNumber(kind)) return "TEXT";
  const bool fraction =
      kind == ColumnKind::ratio || kind == ColumnKind::excess || kind == ColumnKind::seconds;
  return fraction ? "REAL" : "INTEGER";
}

/// The columns before those of the axes, and between these and the figures.
constexpr std::string_view kRunColumns[] = {"identity", "model", "allocator"};
constexpr std::string_view kInputColumns[] = {"model_sha256", "platform_sha256", "program",
                                              "state",        "error",           "seconds"};

Result<std::int64_t> versionOf(Database& database) {
  const auto found = database.rows("SELECT value FROM meta WHERE key = 'version'");
  const bool broken = !found && found.error().message.find("no such table") == std::string::npos;
  if (broken) return tl::unexpected(found.error());
  const auto version = found && !found->empty() ? (*found)[0][0].whole() : std::nullopt;
  if (!version) {
    return fail(ErrorCode::malformed,
                database.path() + ": this is no file of results of highwater sweep");
  }
  if (*version > kVersion) {
    return fail(ErrorCode::unsupported,
                fmt::format("{}: it was written by a newer highwater (version {} of its tables; "
                            "this one knows {})",
                            database.path(), *version, kVersion));
  }
  return *version;
}

/// A statement that puts a row into these columns.
std::string insertInto(const std::vector<std::string>& columns) {
  std::string marks;
  for (std::size_t i = 0; i < columns.size(); ++i) marks += i == 0 ? "?" : ", ?";
  return "INSERT OR REPLACE INTO runs(" + sqlNames(columns) + ") VALUES (" + marks + ")";
}

/// True for a file whose writer has not made its tables yet, was killed before, or had no room.
Result<bool> isEmpty(Database& database) {
  HW_TRY(tables, database.rows("SELECT count(*) FROM sqlite_master"));
  return tables[0][0].whole() == 0;
}

Result<std::vector<std::string>> columnsOf(Database& database) {
  HW_TRY(statement, database.prepare("SELECT * FROM runs LIMIT 0"));
  return statement.columns();
}

}  // namespace

const Columns<ComparisonRow>& studyFigures() {
  static const Columns<ComparisonRow> kFigures = [] {
    Columns<ComparisonRow> figures =
        pick(comparisonColumns(),
             {"status", "capacity_l2", "peak", "peak_l2", "peak_l3", "lower_bound",
              "inputs_outside", "gap", "fragmentation_at_peak", "fragmentation", "reuse",
              "spilled_bytes", "latency_ps", "latency_bound_ps", "reuse_waits_ps", "energy_pj",
              "moved_bytes", "plan_seconds", "reason"});
    figures.insert(figures.begin() + 1,
                   {.key = "fits",
                    .title = "fits",
                    .kind = ColumnKind::count,
                    .value = [](const ComparisonRow& row) -> Value { return row.fits() ? 1 : 0; },
                    .meaning = "All has a place within the capacities"});
    return figures;
  }();
  return kFigures;
}

StudyResults::StudyResults(Database database, const StudyRuns& runs, StudyRules rules)
    : database_(std::move(database)), runs_(runs), rules_(std::move(rules)) {}

Result<StudyResults> StudyResults::write(const std::string& path, const StudyRuns& runs,
                                         const std::string& study, bool resume) {
  HW_TRY(rules, StudyRules::of(runs.study()));
  HW_TRY(database, Database::open(path, Database::Mode::write));
  HW_TRY(isNew, isEmpty(database));
  StudyResults results(std::move(database), runs, std::move(rules));
  if (!isNew) HW_DO(results.check(resume));
  HW_DO(results.database_.execute("BEGIN"));
  if (isNew) HW_DO(results.make());
  HW_DO(results.describe(study));
  HW_DO(results.database_.execute("COMMIT"));
  return results;
}

Result<void> StudyResults::check(bool resume) {
  HW_DO(versionOf(database_));
  if (!resume) {
    return fail(ErrorCode::invalidArgument,
                database_.path() + ": there are results already; --resume goes on with them");
  }
  HW_TRY(known, columnsOf(database_));
  std::vector<std::string> axes = runs_.axes();
  for (const std::string& axis : axes) {
    if (std::ranges::find(known, axis) != known.end()) continue;
    return fail(ErrorCode::invalidArgument,
                fmt::format("{}: these are results of another study, or of a program that did not "
                            "know '{}' yet: there is no such column",
                            database_.path(), axis));
  }
  return checkRecorded(database_);
}

Result<void> StudyResults::checkRecorded(Database& database) const {
  HW_TRY(there, StudyRules::of(database));
  for (const auto& figure : studyFigures()) {
    if (there.keeps(figure.key) || !rules_.keeps(figure.key)) continue;
    return fail(ErrorCode::invalidArgument,
                fmt::format("{}: its rows were recorded without {}, which the study records",
                            database.path(), figure.key));
  }
  return {};
}

Result<void> StudyResults::make() {
  std::string columns = "identity TEXT PRIMARY KEY, model TEXT NOT NULL, allocator TEXT NOT NULL";
  for (const std::string& axis : runs_.axes()) columns += ", " + sqlName(axis) + " TEXT";
  columns +=
      ", model_sha256 TEXT, platform_sha256 TEXT, program TEXT NOT NULL, state TEXT NOT NULL, "
      "error TEXT, seconds REAL";
  for (const auto& figure : studyFigures()) {
    columns += fmt::format(", {} {}", sqlName(figure.key), typeOf(figure.kind));
  }
  return database_.execute(
      fmt::format("CREATE TABLE meta(key TEXT PRIMARY KEY, value) WITHOUT ROWID; "
                  "INSERT INTO meta VALUES ('format', 'highwater-results'), ('version', {}); "
                  "CREATE TABLE runs({}); CREATE INDEX runs_model ON runs(model, allocator); "
                  "CREATE INDEX runs_front ON runs(state, fits, model, peak, latency_ps)",
                  kVersion, columns));
}

Result<void> StudyResults::describe(const std::string& study) {
  const std::string folder =
      std::filesystem::absolute(runs_.folder().empty() ? "." : runs_.folder()).string();
  return database_.execute(fmt::format(
      "INSERT OR REPLACE INTO meta VALUES ('study', {}), ('folder', {}), ('constraints', {}), "
      "('record', {})",
      sqlText(study), sqlText(folder), sqlText(rules_.condition()), sqlText(rules_.recordText())));
}

std::vector<Value> StudyResults::rowOf(const StudyResult& result) {
  const StudyRun run = runs_.named(result.number);
  const auto print = [&](const std::string& name, auto* printOfName) {
    const auto [known, isNew] = prints_.try_emplace(name);
    if (isNew) known->second = printOfName(runs_.folder(), name);
    return known->second;
  };
  std::vector<Value> row = {run.identity(), run.model, run.allocator.text()};
  std::string platform;
  for (const auto& [axis, value] : run.setting.axes) {
    row.emplace_back(value);
    if (axis == "platform") platform = value;
  }
  row.emplace_back(print(run.model, &modelPrint));
  row.emplace_back(platform.empty() ? std::string() : print(platform, &platformPrint));
  row.emplace_back(HIGHWATER_VERSION);
  row.emplace_back(kStudyStateNames[static_cast<std::size_t>(result.state)]);
  row.emplace_back(result.error);
  row.emplace_back(result.seconds);
  for (std::size_t i = 0; i < studyFigures().size(); ++i) {
    const bool kept = i < result.figures.size() && rules_.keeps(studyFigures()[i].key);
    row.push_back(kept ? result.figures[i] : Value());
  }
  return row;
}

Result<std::vector<std::size_t>> StudyResults::missing() {
  // The digests and the version that figures depend on.
  const auto inputs = [](const std::vector<Value>& row, std::size_t axes) {
    std::string text;
    for (std::size_t i = 0; i < 3; ++i) {
      text += row[std::size(kRunColumns) + axes + i].exact() + '\n';
    }
    return text;
  };
  HW_TRY(rows, database_.rows("SELECT identity, '', '', model_sha256, platform_sha256, program "
                              "FROM runs WHERE state <> 'crashed'"));
  std::map<std::string, std::string> known;
  for (const auto& row : rows) known.emplace(row[0].exact(), inputs(row, 0));
  std::vector<std::size_t> missing;
  const std::size_t axes = runs_.axes().size();
  for (std::size_t number = 0; number < runs_.size(); ++number) {
    if (known.empty()) {
      missing.push_back(number);
      continue;
    }
    const std::vector<Value> row = rowOf({.number = number});
    const auto found = known.find(row[0].exact());
    if (found == known.end() || found->second != inputs(row, axes)) missing.push_back(number);
  }
  return missing;
}

Result<void> StudyResults::put(const std::vector<StudyResult>& results) {
  if (results.empty()) return {};
  HW_DO(database_.execute("BEGIN"));
  std::vector<std::string> columns(std::begin(kRunColumns), std::end(kRunColumns));
  for (const std::string& axis : runs_.axes()) columns.push_back(axis);
  columns.insert(columns.end(), std::begin(kInputColumns), std::end(kInputColumns));
  for (const auto& figure : studyFigures()) columns.push_back(figure.key);
  HW_TRY(statement, database_.prepare(insertInto(columns)));
  for (const StudyResult& result : results) HW_DO(statement.run(rowOf(result)));
  return database_.execute("COMMIT");
}

Result<std::size_t> StudyResults::merge(const std::string& path) {
  HW_TRY(other, Database::open(path, Database::Mode::read));
  HW_TRY(begun, isEmpty(other));
  if (begun) return 0;
  HW_DO(versionOf(other));
  HW_DO(checkRecorded(other));
  HW_TRY(columns, columnsOf(other));
  HW_TRY(statement, other.prepare("SELECT * FROM runs"));
  HW_TRY(put, database_.prepare(insertInto(columns)));
  HW_DO(database_.execute("BEGIN"));
  std::size_t count = 0;
  for (;; ++count) {
    auto row = statement.next();
    const bool more = row && row->has_value();
    auto done = more ? put.run(**row) : Result<void>();
    if (!row || !done) {
      HW_DO(database_.execute("ROLLBACK"));
      return tl::unexpected(row ? done.error() : row.error());
    }
    if (!more) break;
  }
  HW_DO(database_.execute("COMMIT"));
  return count;
}

Result<Database> openResults(const std::string& path) {
  HW_TRY(database, Database::open(path, Database::Mode::read));
  HW_DO(versionOf(database));
  return std::move(database);
}

Result<std::string> metaOf(Database& results, const std::string& key) {
  HW_TRY(rows, results.rows("SELECT value FROM meta WHERE key = ?", {key}));
  return rows.empty() ? std::string() : rows[0][0].exact();
}

std::size_t StudyCounts::rows() const {
  std::size_t rows = 0;
  for (const auto& [state, count] : states) rows += count;
  return rows;
}

Result<StudyCounts> countsOf(Database& results) {
  StudyCounts counts;
  HW_TRY(states, results.rows("SELECT state, count(*), sum(seconds) FROM runs GROUP BY state"));
  for (const auto& row : states) {
    counts.states[row[0].exact()] = static_cast<std::size_t>(row[1].whole().value_or(0));
    counts.seconds += row[2].number().value_or(0);
  }
  return counts;
}

Result<std::size_t> unmetRows(Database& results) {
  HW_TRY(rules, StudyRules::of(results));
  if (rules.constraints.empty()) return 0;
  HW_TRY(unmet, results.rows("SELECT count(*) FROM runs WHERE state = 'done' AND fits = 1 AND (" +
                             rules.condition() + ") IS NOT TRUE"));
  return static_cast<std::size_t>(unmet[0][0].whole().value_or(0));
}

Result<StudyStatus> statusOf(Database& results) {
  HW_TRY(counts, countsOf(results));
  StudyStatus status{counts};
  HW_TRY(folderText, metaOf(results, "folder"));
  const std::filesystem::path folder = folderText;
  const auto compare = [&](const std::string& column, auto* print) -> Result<void> {
    HW_TRY(rows, results.rows(fmt::format(
                     "SELECT {0}, {0}_sha256, count(*) FROM runs GROUP BY 1, 2", column)));
    for (const auto& row : rows) {
      const std::string name = row[0].exact();
      if (name.empty() || row[1].exact() == print(folder, name)) continue;
      status.stale[fmt::format("{} {} has changed", column, printable(name))] +=
          static_cast<std::size_t>(row[2].whole().value_or(0));
    }
    return {};
  };
  HW_DO(compare("model", &modelPrint));
  HW_DO(compare("platform", &platformPrint));
  HW_TRY(programs, results.rows("SELECT program, count(*) FROM runs GROUP BY 1"));
  for (const auto& row : programs) {
    if (row[0].exact() == HIGHWATER_VERSION) continue;
    status.stale[fmt::format("program {} is another version", printable(row[0].exact()))] +=
        static_cast<std::size_t>(row[1].whole().value_or(0));
  }
  HW_TRY(rules, StudyRules::of(results));
  status.constraints = rules.condition();
  HW_TRY(unmet, unmetRows(results));
  status.unmet = unmet;
  return status;
}

}  // namespace hw
