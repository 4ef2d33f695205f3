#include "core/files/database.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <mutex>
#include <optional>
#include <set>

#include "core/base/text.h"

namespace hw {
namespace {

std::string quoted(std::string_view text, char quote) {
  std::string result(1, quote);
  for (const char letter : text) {
    result += letter;
    if (letter == quote) result += quote;
  }
  return result + quote;
}

}  // namespace

struct SqliteCloser {
  void operator()(sqlite3* database) const { sqlite3_close(database); }
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};

namespace {

/// The files that this process writes. Closing any descriptor of a file ends all locks of fcntl(2)
/// that the process has on it, SQLite's among them: of these no other is opened.
class WrittenFiles {
 public:
  using Id = std::pair<dev_t, ino_t>;

  bool contains(const Id& file) {
    const std::lock_guard lock(mutex_);
    return files_.contains(file);
  }
  void add(const Id& file) {
    const std::lock_guard lock(mutex_);
    files_.insert(file);
  }
  void remove(const Id& file) {
    const std::lock_guard lock(mutex_);
    files_.erase(file);
  }

 private:
  std::mutex mutex_;
  std::set<Id> files_;
};

WrittenFiles& writtenFiles() {
  static WrittenFiles files;
  return files;
}

}  // namespace

/// A descriptor with the lock of the one that writes a file.
class WriterLock {
 public:
  WriterLock() = default;
  WriterLock(const WriterLock&) = delete;
  WriterLock& operator=(const WriterLock&) = delete;
  ~WriterLock() {
    if (descriptor_ < 0) return;
    close(descriptor_);
    if (file_) writtenFiles().remove(*file_);
  }

  Result<void> take(const std::string& path) {
    struct stat about {};
    const bool there = stat(path.c_str(), &about) == 0;
    const auto busy = [&] {
      return fail(ErrorCode::unreadable, path + ": another program writes this file");
    };
    if (there && writtenFiles().contains({about.st_dev, about.st_ino})) return busy();
    descriptor_ = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);
    if (descriptor_ < 0 || fstat(descriptor_, &about) != 0) return cannotOpen(path);
    HW_DO(checkFile(path, about));
    if (flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
      if (errno == EWOULDBLOCK) return busy();
      return fail(ErrorCode::unreadable,
                  path + ": the file system has no locks: " + std::strerror(errno));
    }
    file_ = std::pair(about.st_dev, about.st_ino);
    writtenFiles().add(*file_);
    return {};
  }

  /// SQLite does not say why a file cannot be read, and would wait for a pipe.
  static Result<void> checkReadable(const std::string& path) {
    struct stat about {};
    if (stat(path.c_str(), &about) != 0 || access(path.c_str(), R_OK) != 0) return cannotOpen(path);
    return checkFile(path, about);
  }

 private:
  static tl::unexpected<Error> cannotOpen(const std::string& path) {
    return fail(ErrorCode::unreadable, path + ": cannot be opened: " + std::strerror(errno));
  }
  static Result<void> checkFile(const std::string& path, const struct stat& about) {
    if (S_ISREG(about.st_mode)) return {};
    return fail(ErrorCode::unreadable, path + ": a database is a file, no folder, pipe or device");
  }

  int descriptor_ = -1;
  std::optional<std::pair<dev_t, ino_t>> file_;
};

struct Database::State {
  std::string path;
  WriterLock lock;  ///< Of the one that writes; given back after the handle is closed.
  std::unique_ptr<sqlite3, SqliteCloser> handle{};

  tl::unexpected<Error> failure() const {
    const int code = sqlite3_errcode(handle.get());
    const bool broken = code == SQLITE_NOTADB || code == SQLITE_CORRUPT || code == SQLITE_ERROR;
    return fail(broken ? ErrorCode::malformed : ErrorCode::unreadable,
                fmt::format("{}: {}", path, sqlite3_errmsg(handle.get())));
  }
};

struct Database::Statement::State {
  const Database::State& database;
  std::unique_ptr<sqlite3_stmt, SqliteCloser> handle{};
};

Database::Database(std::unique_ptr<State> state) : state_(std::move(state)) {}
Database::Database(Database&&) noexcept = default;
Database& Database::operator=(Database&&) noexcept = default;
Database::~Database() = default;

Result<Database> Database::open(const std::string& path, Mode mode) {
  const bool writes = mode == Mode::write;
  auto state = std::make_unique<State>();
  state->path = path;
  if (writes) {
    HW_DO(state->lock.take(path));
  } else {
    HW_DO(WriterLock::checkReadable(path));
  }
  sqlite3* handle = nullptr;
  const int flags = writes ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY;
  const int opened = sqlite3_open_v2(path.c_str(), &handle, flags, nullptr);
  state->handle.reset(handle);
  if (opened != SQLITE_OK) return state->failure();
  constexpr int kPatience = 10'000;  // Milliseconds, while others read.
  sqlite3_busy_timeout(handle, kPatience);
  sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0);  // No statement opens another file.
  // Files may come from anybody: what their schemas say is not carried out, and cells are checked.
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_exec(handle, "PRAGMA cell_size_check = ON", nullptr, nullptr, nullptr);
  Database database(std::move(state));
  // Without the second, a power cut may cost the last transactions, but breaks nothing.
  if (writes) HW_DO(database.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL"));
  return database;
}

Result<void> Database::execute(const std::string& statements) {
  if (sqlite3_exec(state_->handle.get(), statements.c_str(), nullptr, nullptr, nullptr) !=
      SQLITE_OK) {
    return state_->failure();
  }
  return {};
}

Result<Database::Statement> Database::prepare(const std::string& statement) {
  sqlite3_stmt* handle = nullptr;
  const char* rest = nullptr;
  const int prepared = sqlite3_prepare_v2(state_->handle.get(), statement.c_str(),
                                          static_cast<int>(statement.size()) + 1, &handle, &rest);
  auto made = std::make_unique<Statement::State>(Statement::State{*state_, {}});
  made->handle.reset(handle);
  if (prepared != SQLITE_OK) return state_->failure();
  if (handle == nullptr || !trimText(rest).empty()) {
    return fail(ErrorCode::invalidArgument, "expected one statement of SQL");
  }
  return Statement(std::move(made));
}

Result<std::vector<std::vector<Value>>> Database::rows(const std::string& statement,
                                                       const std::vector<Value>& values) {
  HW_TRY(prepared, prepare(statement));
  return prepared.all(values);
}

const std::string& Database::path() const { return state_->path; }

Database::Statement::Statement(std::unique_ptr<State> state) : state_(std::move(state)) {}
Database::Statement::Statement(Statement&&) noexcept = default;
Database::Statement::~Statement() = default;

std::vector<std::string> Database::Statement::columns() const {
  std::vector<std::string> names;
  const int count = sqlite3_column_count(state_->handle.get());
  names.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) names.emplace_back(sqlite3_column_name(state_->handle.get(), i));
  return names;
}

bool Database::Statement::onlyReads() const {
  return sqlite3_stmt_readonly(state_->handle.get()) != 0;
}

void Database::Statement::bind(const std::vector<Value>& values) {
  sqlite3_stmt* statement = state_->handle.get();
  sqlite3_reset(statement);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const int place = static_cast<int>(i) + 1;
    const auto& held = values[i].held;
    if (const auto* text = std::get_if<std::string>(&held)) {
      sqlite3_bind_text64(statement, place, text->data(), text->size(), SQLITE_TRANSIENT,
                          SQLITE_UTF8);
    } else if (const auto* whole = std::get_if<std::int64_t>(&held)) {
      sqlite3_bind_int64(statement, place, *whole);
    } else if (const auto* number = std::get_if<double>(&held)) {
      sqlite3_bind_double(statement, place, *number);
    } else if (const auto* flag = std::get_if<bool>(&held)) {
      sqlite3_bind_int64(statement, place, *flag ? 1 : 0);
    } else {
      sqlite3_bind_null(statement, place);
    }
  }
}

Result<std::optional<std::vector<Value>>> Database::Statement::next() {
  sqlite3_stmt* statement = state_->handle.get();
  const int stepped = sqlite3_step(statement);
  if (stepped == SQLITE_DONE) return std::nullopt;
  if (stepped != SQLITE_ROW) return state_->database.failure();
  std::vector<Value> row;
  for (int i = 0; i < sqlite3_column_count(statement); ++i) {
    const int type = sqlite3_column_type(statement, i);
    if (type == SQLITE_INTEGER) {
      row.emplace_back(std::int64_t{sqlite3_column_int64(statement, i)});
    } else if (type == SQLITE_FLOAT) {
      row.emplace_back(sqlite3_column_double(statement, i));
    } else if (type == SQLITE_NULL) {
      row.emplace_back();
    } else {
      const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement, i));
      const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement, i));
      row.emplace_back(bytes ? std::string(bytes, size) : std::string());
    }
  }
  return row;
}

Result<std::vector<std::vector<Value>>> Database::Statement::all(const std::vector<Value>& values) {
  bind(values);
  std::vector<std::vector<Value>> rows;
  for (;;) {
    HW_TRY(row, next());
    if (!row) return rows;
    rows.push_back(std::move(*row));
  }
}

Result<void> Database::Statement::run(const std::vector<Value>& values) {
  bind(values);
  for (;;) {
    HW_TRY(row, next());
    if (!row) return {};
  }
}

std::string sqlName(std::string_view name) { return quoted(name, '"'); }
std::string sqlNames(const std::vector<std::string>& names) {
  return joinText(names, ", ", sqlName);
}

std::string sqlText(std::string_view text) { return quoted(text, '\''); }

}  // namespace hw
