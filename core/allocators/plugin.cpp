#include "core/allocators/plugin.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "core/base/text.h"
#include "core/files/process.h"
#include "core/plan/validate.h"

namespace hw {
namespace {

/// For a plugin when the user sets no time limit.
constexpr double kDefaultSeconds = 30;

constexpr ParamSpec kFile{
    .name = "file", .type = ParamType::text, .summary = "the shared library", .fallback = ""};
constexpr ParamSpec kParams[] = {kFile};

/// Beside the program, or where the environment says; never where somebody happens to work. Empty:
/// it is not there.
std::string hostProgram() {
  const char* const told = std::getenv("HIGHWATER_PLUGIN_HOST");
  if (told != nullptr && *told != '\0') return told;
  const std::string folder = programFolder();
  if (folder.empty()) return {};
  for (const char* place : {"highwater-plugin-host", "../cli/highwater-plugin-host",
                            "../app/cli/highwater-plugin-host"}) {
    std::string path = folder + place;
    if (access(path.c_str(), X_OK) == 0) return path;
  }
  return {};
}

void append(std::string& bytes, std::int64_t word) {
  char raw[sizeof word];
  std::memcpy(raw, &word, sizeof word);
  bytes.append(raw, sizeof raw);
}

class Plugin final : public Allocator {
 public:
  explicit Plugin(std::string file) : file_(std::move(file)) {}

 private:
  Result<Plan> solve(const Problem& problem, const PlanContext& context) const override {
    if (!problem.gaps.empty()) return complain("lifetimes with gaps are not part of the interface");
    if (!problem.overlaps.empty()) {
      return complain(
          "outputs that overlap inputs are not part of the interface; say --overlap none");
    }
    Plan plan;
    plan.addresses.resize(problem.stays.size());
    plan.regions.resize(problem.pools.size());
    for (const PoolId pool : problem.pools.keys()) HW_DO(solvePool(problem, pool, context, plan));
    const auto wrong = validate(problem, plan, 1);
    if (!wrong.empty()) return complain("its plan is wrong: " + wrong[0].message);
    return plan;
  }

  Result<void> solvePool(const Problem& problem, PoolId pool, const PlanContext& context,
                         Plan& plan) const {
    std::vector<StayId> stays;
    std::string input;
    for (const StayId id : problem.stays.keys()) {
      if (problem.poolOf(id) == pool) stays.push_back(id);
    }
    if (stays.empty()) return {};
    append(input, static_cast<std::int64_t>(stays.size()));
    append(input, problem.pools[pool].capacity.value_or(Bytes(-1)).count());
    append(input, static_cast<std::int64_t>(context.seed));
    for (const StayId id : stays) {
      const Stay& stay = problem.stays[id];
      append(input, stay.steps.begin.count());
      append(input, stay.steps.end.count());
      append(input, stay.size.count());
      append(input, stay.alignment.count());
      append(input, stay.pinned.value_or(Bytes(-1)).count());
    }
    HW_TRY(answer, ask(input, context));
    if (answer.size() != stays.size() * sizeof(std::int64_t)) {
      return complain("its answer is cut short");
    }
    for (std::size_t i = 0; i < stays.size(); ++i) {
      std::int64_t offset = 0;
      std::memcpy(&offset, answer.data() + i * sizeof offset, sizeof offset);
      if (offset < 0 || Bytes(offset) > kMaxBytes) {
        return complain(fmt::format("buffer {} has offset {}", stays[i].index(), offset));
      }
      const Address at{pool, RegionId(0), Bytes(offset)};
      plan.addresses[stays[i]] = at;
      if (plan.regions[pool].empty()) plan.regions[pool].resize(1);
      Bytes& size = plan.regions[pool][RegionId(0)];
      size = std::max(size, at.offset + problem.stays[stays[i]].size);
    }
    return {};
  }

  Result<std::string> ask(const std::string& input, const PlanContext& context) const {
    const double seconds = context.timeLimit > 0 ? context.timeLimit : kDefaultSeconds;
    const std::string host = hostProgram();
    if (host.empty()) {
      return complain(
          "the program highwater-plugin-host, which runs plug-ins, is not beside this one");
    }
    // The host ends with the process it is told of, and takes no more seconds of a processor.
    const auto cpuSeconds = static_cast<std::int64_t>(std::min(seconds, 1e6)) + 1;
    HW_TRY(done, runProgram({host, file_, std::to_string(getpid()), std::to_string(cpuSeconds)},
                            input, seconds, context.stop));
    if (context.stop.stop_requested()) return fail(ErrorCode::stopped, "planning was stopped");
    if (done.timedOut) return complain(fmt::format("no answer within {} s", seconds));
    if (done.signal != 0) return complain(fmt::format("it crashed: {}", strsignal(done.signal)));
    if (done.exitCode != 0) return complain(printable(trimText(done.errors)));
    return std::move(done.output);
  }

  tl::unexpected<Error> complain(const std::string& why) const {
    return fail(ErrorCode::unsupported, fmt::format("plugin '{}': {}", printable(file_), why));
  }

  std::string file_;
};

std::unique_ptr<Allocator> makePlugin(const Params& params) {
  return std::make_unique<Plugin>(params.text(kFile));
}

const AllocatorInfo kInfo = {.name = "plugin",
                             .summary = "an allocator from a shared library",
                             .source = "include/highwater/allocator_plugin.h",
                             .complexity = "whatever it takes",
                             .overlaps = true,  // `solve` refuses them and says why.
                             .params = kParams,
                             .make = makePlugin};

}  // namespace

Result<AllocatorChoice> pluginChoice(const std::string& file) {
  std::error_code failure;
  const auto path = std::filesystem::absolute(file, failure);
  if (failure || !std::filesystem::is_regular_file(path, failure)) {
    return fail(ErrorCode::unreadable, fmt::format("there is no plugin '{}'", printable(file)));
  }
  AllocatorChoice choice{.info = &kInfo};
  HW_DO(choice.params.set(kFile, path.string()));
  return choice;
}

Result<void> checkPlugins(std::string_view list, Plugins plugins) {
  if (plugins == Plugins::allow) return {};
  for (const std::string_view part : splitText(list, ',')) {
    if (trimText(part.substr(0, part.find(':'))) != "plugin") continue;
    return fail(ErrorCode::invalidArgument,
                fmt::format("'{}' is a plug-in, whose code would run; it is refused unless the "
                            "command line says --plugins allow",
                            printable(trimText(part), 80)));
  }
  return {};
}

}  // namespace hw
