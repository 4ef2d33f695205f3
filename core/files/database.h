#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/columns.h"
#include "core/base/result.h"

namespace hw {

/// A file of SQLite. Errors name the file and say what SQLite says; a file that is no database, or
/// is cut short, is `malformed`.
class Database {
 public:
  enum class Mode : std::uint8_t {
    read,   ///< The file is there; nothing changes it.
    write,  ///< It is made if need be. One process at a time: a second one is refused.
  };

  /// Readers see whole transactions while somebody writes.
  static Result<Database> open(const std::string& path, Mode mode);
  Database(Database&&) noexcept;
  Database& operator=(Database&&) noexcept;
  ~Database();

  /// Statements without results, one or more.
  Result<void> execute(const std::string& statements);

  /// A statement with `?` for values, to be used again and again. Lives as long as the database.
  class Statement {
   public:
    Statement(Statement&&) noexcept;
    Statement& operator=(Statement&&) = delete;
    ~Statement();

    std::vector<std::string> columns() const;
    /// Changes nothing in the database.
    bool onlyReads() const;
    /// Begins anew with these values, one for each `?`.
    void bind(const std::vector<Value>& values);
    /// The next row; nothing: there is none.
    Result<std::optional<std::vector<Value>>> next();
    /// All rows for these values.
    Result<std::vector<std::vector<Value>>> all(const std::vector<Value>& values = {});
    /// Runs it to its end.
    Result<void> run(const std::vector<Value>& values);

   private:
    friend class Database;
    struct State;
    explicit Statement(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
  };

  Result<Statement> prepare(const std::string& statement);

  /// The rows of one statement, its values bound.
  Result<std::vector<std::vector<Value>>> rows(const std::string& statement,
                                               const std::vector<Value>& values = {});

  const std::string& path() const;

 private:
  struct State;
  explicit Database(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// A name or a text as SQL has them, in quotes.
std::string sqlName(std::string_view name);
std::string sqlNames(const std::vector<std::string>& names);
std::string sqlText(std::string_view text);

}  // namespace hw
