#include "tests/core/solver/exact_oracles.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

namespace hw::test {
namespace {

namespace fs = std::filesystem;

/// True if two stays share a step, by asking each step.
bool together(const Problem& problem, StayId a, StayId b) {
  const auto live = [&](StayId id, Step step) {
    bool there = problem.stays[id].steps.contains(step);
    for (const Gap& gap : problem.gaps) there &= gap.stay != id || !gap.steps.contains(step);
    return there;
  };
  for (std::int64_t step = 0; step < problem.steps.count(); ++step) {
    if (live(a, Step(step)) && live(b, Step(step))) return true;
  }
  return false;
}

/// Tries every offset of the stays from `next` on.
bool fits(const Problem& problem, Bytes capacity, std::vector<std::int64_t>& offsets) {
  const StayId next(offsets.size());
  if (offsets.size() == problem.stays.size()) return true;
  const Stay& stay = problem.stays[next];
  for (std::int64_t at = 0; at + stay.size.count() <= capacity.count(); ++at) {
    if (stay.pinned && at != stay.pinned->count()) continue;
    if (at % stay.alignment.count() != 0) continue;
    bool free = true;
    for (std::size_t i = 0; i < offsets.size() && free; ++i) {
      const std::int64_t end = offsets[i] + problem.stays[StayId(i)].size.count();
      const bool apart = end <= at || at + stay.size.count() <= offsets[i];
      free = apart || !together(problem, StayId(i), next);
    }
    if (!free) continue;
    offsets.push_back(at);
    if (fits(problem, capacity, offsets)) return true;
    offsets.pop_back();
  }
  return false;
}

/// Offsets are multiples k of the alignments; for each pair live together, one is above the other.
std::string programOf(const Problem& problem) {
  std::int64_t big = 0;
  for (const Stay& stay : problem.stays) {
    big += stay.size.count() + stay.alignment.count();
    if (stay.pinned) big = std::max(big, 2 * (stay.pinned->count() + stay.size.count()));
  }
  std::string rows;
  std::string binaries;
  std::string integers;
  const std::size_t count = problem.stays.size();
  for (std::size_t i = 0; i < count; ++i) {
    const Stay& a = problem.stays[StayId(i)];
    integers += fmt::format(" k{}\n", i);
    rows += fmt::format(" t{0}: peak - {1} k{0} >= {2}\n", i, a.alignment.count(), a.size.count());
    if (a.pinned) {
      rows += fmt::format(" p{0}: {1} k{0} = {2}\n", i, a.alignment.count(), a.pinned->count());
    }
    for (std::size_t j = i + 1; j < count; ++j) {
      const Stay& b = problem.stays[StayId(j)];
      if (!together(problem, StayId(i), StayId(j))) continue;
      binaries += fmt::format(" y{}_{}\n", i, j);
      rows += fmt::format(" u{0}_{1}: {2} k{1} - {3} k{0} - {4} y{0}_{1} >= {5}\n", i, j,
                          b.alignment.count(), a.alignment.count(), big, a.size.count() - big);
      rows += fmt::format(" v{0}_{1}: {3} k{0} - {2} k{1} + {4} y{0}_{1} >= {5}\n", i, j,
                          b.alignment.count(), a.alignment.count(), big, b.size.count());
    }
  }
  return "Minimize\n cost: peak\nSubject To\n" + rows + "Generals\n" + integers +
         (binaries.empty() ? "" : "Binaries\n" + binaries) + "End\n";
}

/// One binary for each offset of each stay, one row for each byte of each step, and one binary for
/// each stay that is left out: far tighter than one above the other, so it settles more stays.
std::string programOfPlaces(const Problem& problem, Bytes capacity) {
  std::string cost;
  std::string rows;
  std::string binaries;
  std::map<std::pair<std::int64_t, std::int64_t>, std::string> bytes;
  for (const StayId id : problem.stays.keys()) {
    const Stay& stay = problem.stays[id];
    cost += fmt::format(" + z{}", id.index());
    rows += fmt::format(" s{0}: z{0}", id.index());
    binaries += fmt::format(" z{}\n", id.index());
    for (std::int64_t at = 0; at + stay.size.count() <= capacity.count(); ++at) {
      const std::string place = fmt::format("x{}_{}", id.index(), at);
      rows += fmt::format(" + {}\n", place);
      binaries += fmt::format(" {}\n", place);
      for (std::int64_t step = stay.steps.begin.count(); step < stay.steps.end.count(); ++step) {
        for (std::int64_t byte = at; byte < at + stay.size.count(); ++byte) {
          bytes[{step, byte}] += fmt::format(" + {}\n", place);
        }
      }
    }
    rows += " = 1\n";
  }
  for (const auto& [where, sum] : bytes) {
    rows += fmt::format(" b{}_{}:{} <= 1\n", where.first, where.second, sum);
  }
  return "Minimize\n cost:" + cost + "\nSubject To\n" + rows + "Binaries\n" + binaries + "End\n";
}

/// The objective from what the solver wrote, when it says that it is optimal.
std::optional<std::int64_t> readOptimum(const fs::path& file) {
  std::ifstream in(file);
  std::stringstream all;
  all << in.rdbuf();
  const std::string text = all.str();
  const bool optimal = text.find("Optimal") != std::string::npos ||
                       text.find("INTEGER OPTIMAL") != std::string::npos;
  for (const char* word : {"objective value", "cost = "}) {
    const std::size_t at = text.find(word);
    if (!optimal || at == std::string::npos) continue;
    const double value = std::strtod(text.c_str() + at + std::string(word).size(), nullptr);
    return std::llround(value);
  }
  return std::nullopt;
}

}  // namespace

Bytes exhaustivePeak(const Problem& problem) {
  for (std::int64_t capacity = 0;; ++capacity) {
    std::vector<std::int64_t> offsets;
    if (fits(problem, Bytes(capacity), offsets)) return Bytes(capacity);
  }
}

std::optional<std::string> installedMipSolver() {
  for (const char* name : {"cbc", "glpsol"}) {
    const std::string ask = fmt::format("command -v {} > /dev/null 2>&1", name);
    if (std::system(ask.c_str()) == 0) return name;
  }
  return std::nullopt;
}

std::optional<std::int64_t> integerProgramOptimum(const std::string& text) {
  const auto solver = installedMipSolver();
  if (!solver) return std::nullopt;
  const fs::path stem = fs::temp_directory_path() / fmt::format("hw_exact_{}", getpid());
  const std::string program = stem.string() + ".lp";
  const std::string answer = stem.string() + ".txt";
  std::ofstream(program) << text;
  const std::string call =
      *solver == "cbc"
          ? fmt::format("cbc '{}' solve solution '{}' > /dev/null 2>&1", program, answer)
          : fmt::format("glpsol --lp '{}' -o '{}' > /dev/null 2>&1", program, answer);
  const bool ran = std::system(call.c_str()) == 0;
  const auto optimum = ran ? readOptimum(answer) : std::nullopt;
  fs::remove(program);
  fs::remove(answer);
  return optimum;
}

std::optional<bool> integerProgramFits(const Problem& problem, Bytes capacity) {
  const auto leftOut = integerProgramOptimum(programOfPlaces(problem, capacity));
  return leftOut ? std::optional(*leftOut == 0) : std::nullopt;
}

std::optional<Bytes> integerProgramPeak(const Problem& problem) {
  const auto peak = integerProgramOptimum(programOf(problem));
  return peak ? std::optional(Bytes(*peak)) : std::nullopt;
}

}  // namespace hw::test
