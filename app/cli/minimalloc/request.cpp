#include "app/cli/minimalloc/request.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "core/base/text.h"

namespace hw::cli {
namespace {

/// Flags that are switches; those but the first three say how MiniMalloc searches, and change
/// nothing here.
constexpr std::array<std::string_view, 12> kSwitches = {
    "validate",           "minimize_capacity",     "print_solution",  "canonical_only",
    "section_inference",  "dynamic_ordering",      "check_dominance", "unallocated_floor",
    "static_preordering", "dynamic_decomposition", "monotonic_floor", "hatless_pruning"};
constexpr std::array<std::string_view, 5> kTexts = {"capacity", "input", "output", "timeout",
                                                    "preordering_heuristics"};

tl::unexpected<Error> badFlag(std::string message) {
  return fail(ErrorCode::invalidArgument, std::move(message));
}

Result<bool> switchOf(std::string_view flag, std::string_view word) {
  for (const std::string_view yes : {"", "true", "t", "1", "yes", "y"}) {
    if (word == yes) return true;
  }
  for (const std::string_view no : {"false", "f", "0", "no", "n"}) {
    if (word == no) return false;
  }
  return badFlag(fmt::format("--{} is '{}'; expected true or false", flag, printable(word, 80)));
}

/// "1.5s", "2m30s", "100ms", "inf": nothing is 0.
Result<double> secondsOf(std::string_view text) {
  const std::map<std::string_view, double> units = {{"h", 3600},  {"m", 60},    {"s", 1},
                                                    {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}};
  if (text == "inf" || text == "+inf" || text == "0") return 0;
  double seconds = 0;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t digits = std::min(rest.find_first_not_of("0123456789."), rest.size());
    const std::size_t end = std::min(rest.find_first_of("0123456789.", digits), rest.size());
    const auto number = parseNumber(rest.substr(0, digits));
    const auto unit = units.find(rest.substr(digits, end - digits));
    if (!number || unit == units.end()) {
      return badFlag(fmt::format("--timeout is '{}'; expected a time such as 30s or 2m30s",
                                 printable(text, 80)));
    }
    seconds += *number * unit->second;
    rest.remove_prefix(end);
  }
  // Less than the program can count with is no time, and none is said by 0; more is for ever.
  return std::clamp(seconds, 1e-3, 1e9);
}

/// Reads one word, or two, from `words`, and says which flag it is.
class FlagReader {
 public:
  explicit FlagReader(std::vector<std::string> words) : words_(std::move(words)) {}

  Result<std::map<std::string, std::string, std::less<>>> read() {
    for (; next_ < words_.size(); ++next_) HW_DO(readFlag(words_[next_]));
    return std::move(values_);
  }

 private:
  Result<void> readFlag(std::string_view word) {
    const std::size_t dashes = word.find_first_not_of('-');
    if (dashes == 0 || dashes > 2) {
      return badFlag(fmt::format("unexpected argument '{}'", printable(word, 80)));
    }
    const std::string_view body = word.substr(dashes);
    const std::size_t equals = body.find('=');
    const std::string_view name = body.substr(0, equals);
    const bool given = equals != std::string_view::npos;
    const auto isSwitch = [](std::string_view flag) {
      return std::ranges::count(kSwitches, flag) > 0;
    };
    if (isSwitch(name)) {
      HW_TRY(on, switchOf(name, given ? body.substr(equals + 1) : ""));
      values_[std::string(name)] = on ? "true" : "false";
    } else if (!given && name.starts_with("no") && isSwitch(name.substr(2))) {
      values_[std::string(name.substr(2))] = "false";
    } else if (std::ranges::count(kTexts, name) == 0) {
      return badFlag(fmt::format("unknown flag '{}'; expected --{}", printable(word, 80),
                                 fmt::join(kTexts, ", --")));
    } else if (given) {
      values_[std::string(name)] = body.substr(equals + 1);
    } else if (next_ + 1 == words_.size()) {
      return badFlag(fmt::format("--{} needs a value", name));
    } else {
      values_[std::string(name)] = words_[++next_];
    }
    return {};
  }

  std::vector<std::string> words_;
  std::size_t next_ = 0;
  std::map<std::string, std::string, std::less<>> values_;
};

}  // namespace

Result<MinimallocFlags> minimallocFlags(std::vector<std::string> words) {
  HW_TRY(values, FlagReader(std::move(words)).read());
  MinimallocFlags flags{.input = values["input"],
                        .output = values["output"],
                        .validate = values["validate"] == "true",
                        .minimise = values["minimize_capacity"] == "true",
                        .print = values["print_solution"] == "true"};
  if (values.contains("capacity")) {
    const auto number = parseInteger(values["capacity"]);
    if (!number || *number < 0 || *number > kMaxBytes.count()) {
      return badFlag(fmt::format("--capacity is '{}'; expected bytes from 0 to {}",
                                 printable(values["capacity"], 80), kMaxBytes.count()));
    }
    flags.capacity = Bytes(*number);
  }
  if (values.contains("timeout")) {
    HW_TRY(seconds, secondsOf(values["timeout"]));
    flags.timeout = seconds;
  }
  if (flags.input.empty()) return badFlag("--input is missing: the CSV file of the problem");
  if (flags.output.empty()) return badFlag("--output is missing: the CSV file for the plan");
  return flags;
}

namespace {

/// One more than `number`, if it is one: where ends are the last step instead of one past it.
std::string afterLast(std::string_view number) {
  const auto read = parseInteger(number);
  return read && *read < kMaxStep.count() ? std::to_string(*read + 1) : std::string(number);
}

std::string gapsAfterLast(std::string_view gaps) {
  std::vector<std::string> words;
  for (const std::string_view gap : splitText(gaps, ' ')) {
    const std::size_t dash = gap.rfind('-');
    words.push_back(dash == std::string_view::npos ? std::string(gap)
                                                   : fmt::format("{}-{}", gap.substr(0, dash),
                                                                 afterLast(gap.substr(dash + 1))));
  }
  return fmt::format("{}", fmt::join(words, " "));
}

}  // namespace

std::string modernProblem(std::string_view csv) {
  const std::map<std::string_view, std::string_view> names = {{"begin", "lower"},
                                                              {"start", "lower"},
                                                              {"end", "upper"},
                                                              {"buffer", "id"},
                                                              {"buffer_id", "id"}};
  std::string text;
  bool inclusive = false;
  std::vector<std::string_view> header;
  for (std::string_view line : splitText(csv, '\n')) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) break;  // Nothing counts behind an empty line.
    auto fields = splitText(line, ',');
    std::vector<std::string> changed(fields.begin(), fields.end());
    if (header.empty()) {
      header = fields;
      for (std::string& field : changed) {
        inclusive |= field == "end";
        const auto known = names.find(field);
        if (known != names.end()) field = known->second;
      }
    } else if (inclusive) {
      for (std::size_t i = 0; i < std::min(changed.size(), header.size()); ++i) {
        if (header[i] == "end") changed[i] = afterLast(changed[i]);
        if (header[i] == "gaps") changed[i] = gapsAfterLast(changed[i]);
      }
    }
    text += fmt::format("{}\n", fmt::join(changed, ","));
  }
  return text;
}

}  // namespace hw::cli
