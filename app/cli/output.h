#pragma once

#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "app/cli/arguments.h"
#include "app/cli/console.h"
#include "core/picture/palette.h"
#include "core/report/text/text_table.h"

namespace hw::cli {

enum class Format { text, json, csv, tflite, header, html, dsaSolution };

/// --format, -o and --quiet: in what form a result leaves, and where to.
class OutputOptions {
 public:
  /// `formats` are those the command can write; the first is the default.
  OutputOptions(Arguments& arguments, std::vector<Format> formats);

  /// The format that --format names; else the ending of the file; else the first.
  Outcome<Format> format() const;

  /// Writes a result to the file, whole or not at all, or to standard output.
  Outcome<void> write(const std::function<void(std::ostream&)>& writer) const;
  Outcome<void> write(const std::string& text) const;

  /// Form of text for people there; `all`: long lists in full.
  TextOptions textOptions(bool all = false) const;

  bool toFile() const { return !path_.empty() && path_ != "-"; }
  const std::string& path() const { return path_; }
  bool quiet() const { return quiet_; }

  /// Says in one line on standard output what a file now holds, unless told to be quiet or to
  /// speak a format for programs.
  void announce(const std::string& line) const;

 private:
  std::vector<Format> formats_;
  std::string format_;
  std::string path_;
  bool quiet_ = false;
};

/// --picture and --theme: a drawing beside the result, as SVG.
class PictureOptions {
 public:
  PictureOptions(Arguments& arguments, std::string help);

  bool wanted() const { return !file_.empty(); }
  /// Its colours.
  const Palette& palette() const;
  Outcome<void> write(const std::string& svg) const;

 private:
  std::string file_;
  std::string theme_;
};

/// Writes to `path` ("-" for standard output); errors name it. What a terminal shows is made safe
/// for it (console.h); `painted`: but for colours.
Outcome<void> writeOutput(const std::string& path, const std::function<void(std::ostream&)>& writer,
                          bool painted = false);

}  // namespace hw::cli
