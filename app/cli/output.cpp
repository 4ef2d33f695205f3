#include "app/cli/output.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <sstream>

#include "app/cli/console.h"
#include "core/base/text.h"
#include "core/files/file.h"

namespace hw::cli {
namespace {

constexpr std::array<std::string_view, 7> kFormatNames = {"text",   "json", "csv",         "tflite",
                                                          "header", "html", "dsa-solution"};
constexpr std::array<std::string_view, 7> kEndings = {".txt", ".json", ".csv",          ".tflite",
                                                      ".h",   ".html", ".solution.json"};

std::string_view nameOf(Format format) { return kFormatNames[static_cast<std::size_t>(format)]; }

std::vector<std::string> namesOf(const std::vector<Format>& formats) {
  std::vector<std::string> names;
  names.reserve(formats.size());
  for (const Format format : formats) names.emplace_back(nameOf(format));
  return names;
}

}  // namespace

OutputOptions::OutputOptions(Arguments& arguments, std::vector<Format> formats)
    : formats_(std::move(formats)) {
  const std::vector<std::string> names = namesOf(formats_);
  arguments.option("--format", format_,
                   {.help = fmt::format("{} (default: as FILE ends, else {})",
                                        fmt::join(names, ", "), names.front()),
                    .type = "NAME",
                    .choices = names});
  arguments.output("-o,--output", path_, OutputRole::result,
                   {.help = "write to FILE instead of standard output (-)", .type = "FILE"});
  arguments.flag("-q,--quiet", quiet_, "no progress, no word about files written");
}

PictureOptions::PictureOptions(Arguments& arguments, std::string help) {
  arguments.output("--picture", file_, OutputRole::beside,
                   {.help = std::move(help), .type = "FILE"});
  arguments.option("--theme", theme_,
                   {.help = "of the picture: light (default) or dark",
                    .type = "NAME",
                    .choices = {"light", "dark"}});
}

const Palette& PictureOptions::palette() const {
  return theme_ == "dark" ? Palette::dark() : Palette::light();
}

Outcome<void> PictureOptions::write(const std::string& svg) const {
  return writeOutput(file_, [&](std::ostream& out) { out << svg; });
}

Outcome<Format> OutputOptions::format() const {
  for (const Format format : formats_) {
    if (nameOf(format) == format_) return format;
  }
  if (!toFile()) return formats_.front();
  std::optional<Format> longest;
  const auto endingOf = [](Format format) { return kEndings[static_cast<std::size_t>(format)]; };
  for (const Format format : formats_) {
    if (!path_.ends_with(endingOf(format))) continue;
    if (!longest || endingOf(format).size() > endingOf(*longest).size()) longest = format;
  }
  if (longest) return *longest;
  std::vector<std::string_view> endings;
  for (const Format format : formats_) endings.push_back(endingOf(format));
  return failure(
      ExitCode::badUsage, path_,
      fmt::format("the ending says no format; expected {}, or --format", fmt::join(endings, ", ")));
}

TextOptions OutputOptions::textOptions(bool all) const {
  TextOptions options{.paint = toFile() ? Paint() : outputPaint(), .width = outputWidth()};
  if (all) options.rows = std::numeric_limits<std::size_t>::max();
  return options;
}

Outcome<void> OutputOptions::write(const std::function<void(std::ostream&)>& writer) const {
  const bool painted = format().value_or(Format::csv) == Format::text;
  return writeOutput(path_.empty() ? "-" : path_, writer, painted);
}

Outcome<void> OutputOptions::write(const std::string& text) const {
  return write([&](std::ostream& out) { out << text; });
}

void OutputOptions::announce(const std::string& line) const {
  const bool forPrograms = !format_.empty() && format_ != nameOf(Format::text);
  if (!toFile() || quiet_ || forPrograms) return;
  static_cast<void>(writeFile("-", printable(path_, 400) + ": " + line + "\n"));
}

Outcome<void> writeOutput(const std::string& path, const std::function<void(std::ostream&)>& writer,
                          bool painted) {
  const std::string subject = path == "-" ? "standard output" : path;
  auto file = OutputFile::open(path);
  if (!file) return failure(file.error(), subject);
  if (path == "-" && ::isatty(STDOUT_FILENO) == 1) {
    std::ostringstream text;
    writer(text);
    file->stream() << terminalText(text.view(), painted);
  } else {
    writer(file->stream());
  }
  if (auto done = file->commit(); !done) {
    // As of `| head`: that is worth no words.
    if (file->readerIsGone()) return failure(ExitCode::badInput, "", "");
    return failure(done.error(), subject);
  }
  return {};
}

}  // namespace hw::cli
