#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <iostream>
#include <map>
#include <sstream>

#include "app/cli/commands.h"
#include "app/cli/output.h"
#include "core/base/csv.h"
#include "core/base/text.h"
#include "core/files/file.h"
#include "core/plan/validate.h"
#include "core/plan_file/plan_writer.h"
#include "core/report/plan/plan_text.h"
#include "core/run/run.h"

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

/// What the flags say.
struct MinimallocFlags {
  Bytes capacity{};
  std::string input{};
  std::string output{};
  double timeout = 0;  ///< Seconds; 0: none.
  bool validate = false;
  bool minimise = false;
  bool print = false;
};

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
  // Less than the program can count with is no time, and none is said by 0.
  return seconds > 0 ? std::max(seconds, 1e-3) : 1e-3;
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

Result<MinimallocFlags> flagsOf(int argc, char** argv) {
  HW_TRY(values, FlagReader(std::vector<std::string>(argv + 1, argv + argc)).read());
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

/// A problem with columns under their older names, as our reader has them: "end" is the last step.
std::string modernised(const std::string& csv) {
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

Result<std::shared_ptr<const Run>> planned(const std::shared_ptr<const Model>& model,
                                           const MinimallocFlags& flags) {
  RunRequest request = planningRequest();
  request.model = flags.input;
  const bool unbounded = flags.minimise && flags.capacity == Bytes(0);
  request.l2 = unbounded ? PoolSize{.kind = PoolSize::Kind::unbounded}
                         : PoolSize{.kind = PoolSize::Kind::bytes, .bytes = flags.capacity};
  request.timeLimit = flags.timeout;
  HW_TRY(first, execute(model, request, {.simulate = false}));
  const bool open =
      first->plan.status == PlanStatus::overBudget || first->plan.status == PlanStatus::stopped;
  if (fits(*first) || !open || flags.timeout > 0) return first;
  // Nobody limits the time, so the search may go on until it knows.
  HW_TRY(patient, AllocatorChoice::parse("exact:nodes=1000000000"));
  request.allocator = patient;
  return execute(model, request, {.simulate = false});
}

/// The plan as a picture for LaTeX, 17 by 8.5 centimetres.
std::string tikz(const Run& run, Bytes capacity) {
  Step first = run.problem.steps;
  for (const Stay& stay : run.problem.stays) first = std::min(first, stay.steps.begin);
  const double length = static_cast<double>((run.problem.steps - first).count());
  const double x = 17.0 / std::max(1.0, length);
  const double y = 8.5 / static_cast<double>(std::max<std::int64_t>(1, capacity.count()));
  std::string text =
      "\n\\documentclass[tikz]{standalone}\n\\begin{document}\n\\begin{tikzpicture}\n";
  for (const StayId id : run.problem.stays.keys()) {
    const Stay& stay = run.problem.stays[id];
    const double bottom = y * static_cast<double>(run.plan.flatOffset(id)->count());
    const double top = bottom + y * static_cast<double>(stay.size.count());
    for (const Interval<Step>& steps : run.problem.liveSteps(id)) {
      text += fmt::format(
          "\\filldraw[fill=lightgray, draw=darkgray] ({:g},{:g}) rectangle ({:g},{:g});  % {}\n",
          x * static_cast<double>((steps.begin - first).count()), bottom,
          x * static_cast<double>((steps.end - first).count()), top,
          printable(run.stayName(id), 200));
    }
  }
  return text +
         fmt::format("\\draw[thick] (0,0) rectangle ({:g},{:g});\n", x * length,
                     y * static_cast<double>(capacity.count())) +
         "\\end{tikzpicture}\n\\end{document}\n";
}

Outcome<void> solve(const MinimallocFlags& flags) {
  const auto bytes = readFile(flags.input);
  if (!bytes) return failure(bytes.error(), flags.input);
  auto model = importModel(modernised(*bytes), flags.input, {});
  if (!model) return failure(model.error(), flags.input);
  if (!model->problem) return failure(ExitCode::badInput, flags.input, "not a planning problem");
  const auto shared = std::make_shared<const Model>(std::move(*model));
  const auto begun = std::chrono::steady_clock::now();
  const auto run = planned(shared, flags);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
  std::cerr << fmt::format("{:.3f}", took.count());
  if (flags.validate && run && fits(**run)) {
    std::cerr << (validate((*run)->problem, (*run)->plan).empty() ? "PASS" : "FAIL");
  }
  std::cerr << '\n';
  if (!run) return failure(run.error(), flags.input);
  if (!fits(**run)) {
    return failure(ExitCode::answerIsNo, flags.input,
                   planFailure(**run).value_or("no plan was found"));
  }
  if (flags.print) {
    const Bytes peak = (*run)->metrics.pools[PoolId(0)].peak;
    std::cout << tikz(**run, flags.capacity == Bytes(0) ? peak : flags.capacity) << std::flush;
  }
  return writeOutput(flags.output, [&](std::ostream& out) { writePlanCsv(**run, out); });
}

}  // namespace

ExitCode runAsMinimalloc(int argc, char** argv) {
  const auto flags = flagsOf(argc, argv);
  const auto done = flags ? solve(*flags) : failure(flags.error(), "");
  if (done) return ExitCode::done;
  printFailure(done.error());
  return ExitCode::answerIsNo;  // It has no other.
}

}  // namespace hw::cli
