// The fuzz targets without a fuzzer: every seed of tests/fuzz/seeds, whole, cut short and with
// bytes changed. A crash found by the fuzzer becomes a seed and stays mended.

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <random>
#include <sstream>

#include "core/base/text.h"
#include "core/files/file.h"
#include "tests/core/import/onnx/onnx_corpus.h"
#include "tests/fuzz/mutators.h"
#include "tests/fuzz/targets.h"
#include "tests/support/must.h"
#include "tests/support/printers.h"
#include "tests/support/problems.h"

namespace {

std::string contentOf(const std::filesystem::path& path) {
  return hw::test::must(hw::readFile(path.string()));
}

/// A few bytes changed, dropped or doubled.
std::string mutated(hw::test::Dice& dice, std::string bytes) {
  using namespace std::string_view_literals;
  constexpr std::string_view kTelling = "\0\xFF{}[]\",:-0919.eE\n=#\x08\x12\x7F"sv;
  const auto edits = dice.roll(1, 4);
  for (std::int64_t i = 0; i < edits && !bytes.empty(); ++i) {
    const auto at =
        static_cast<std::size_t>(dice.roll(0, static_cast<std::int64_t>(bytes.size()) - 1));
    const auto pick =
        static_cast<std::size_t>(dice.roll(0, static_cast<std::int64_t>(kTelling.size()) - 1));
    switch (dice.roll(0, 3)) {
      case 0:
        bytes[at] = kTelling[pick];
        break;
      case 1:
        bytes.erase(at, static_cast<std::size_t>(dice.roll(1, 8)));
        break;
      case 2:
        bytes.insert(at, bytes.substr(at, static_cast<std::size_t>(dice.roll(1, 30))));
        break;
      default:
        bytes.insert(at, 1, kTelling[pick]);
    }
  }
  return bytes;
}

}  // namespace

// CMake, scripts and CI make their programs of that list.
TEST_CASE("the list of fuzzed readers is that of the targets", "[fuzz]") {
  std::string names;
  for (const hw::fuzz::Target& target : hw::fuzz::targets()) {
    names += std::string(target.name) + "\n";
  }
  CHECK(contentOf(HIGHWATER_SOURCE_DIR "/tests/fuzz/targets.txt") == names);
}

TEST_CASE("readers survive their seeds, cut short and changed", "[fuzz]") {
  const std::filesystem::path seeds = HIGHWATER_SOURCE_DIR "/tests/fuzz/seeds";
  for (const hw::fuzz::Target& target : hw::fuzz::targets()) {
    std::size_t files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(seeds / target.name)) {
      const std::string whole = contentOf(entry.path());
      CAPTURE(entry.path().filename().string());
      ++files;
      target.run(whole);
      const std::size_t stride = std::max<std::size_t>(1, whole.size() / 40);
      for (std::size_t cut = 0; cut < whole.size(); cut += stride) {
        target.run(std::string_view(whole).substr(0, cut));
      }
      hw::test::Dice dice(whole.size());
      for (int i = 0; i < 500; ++i) {
        const std::string bytes = mutated(dice, whole);
        CAPTURE(i, hw::printable(bytes, 400));
        target.run(bytes);
      }
    }
    CAPTURE(target.name);
    CHECK(files >= 2);
  }
}

// HIGHWATER_MUTATE_SECONDS goes on for so long, with another seed each time, which is printed;
// HIGHWATER_MUTATE_AGAIN=SEED:RUN does one run once more. The slowest run is named, not judged.
TEST_CASE("readers survive models of the corpus, changed", "[fuzz][corpus]") {
  const auto folder = hw::corpusFolder();
  if (!folder) return;
  const char* given = std::getenv("HIGHWATER_MUTATE_SECONDS");
  const char* again = std::getenv("HIGHWATER_MUTATE_AGAIN");
  const double seconds = given != nullptr ? std::atof(given) : 0;
  std::uint64_t seed = given != nullptr ? std::random_device()() : 7;
  std::size_t wanted = 0;
  std::size_t least = 400;
  if (again != nullptr) {
    char* colon = nullptr;
    seed = std::strtoull(again, &colon, 10);
    wanted = std::strtoull(colon + (*colon == ':' ? 1 : 0), nullptr, 10);
    least = wanted + 1;
  }
  const std::string format = GENERATE("onnx", "tflite");
  std::vector<std::string> models;
  for (const auto& file : hw::filesIn(*folder / format)) {
    constexpr std::uintmax_t kLargest = 40'000;
    if (std::filesystem::file_size(file) <= kLargest) models.push_back(contentOf(file));
  }
  REQUIRE(!models.empty());
  const auto reader = std::ranges::find(hw::fuzz::targets(), format, &hw::fuzz::Target::name);
  REQUIRE(reader != hw::fuzz::targets().end());
  hw::test::Dice dice(seed);
  const auto start = std::chrono::steady_clock::now();
  const auto elapsed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  std::size_t runs = 0;
  std::pair<double, std::size_t> slowest;
  for (; runs < least || elapsed() < seconds; ++runs) {
    const auto pick = dice.roll(0, static_cast<std::int64_t>(models.size()) - 1);
    const std::string& model = models[static_cast<std::size_t>(pick)];
    const auto number = static_cast<std::uint32_t>(seed + runs);
    std::string bytes = format == "onnx" ? hw::fuzz::mutatedOnnx(model, number)
                                         : hw::fuzz::mutatedFlatbuffer(model, number);
    if (bytes.empty() || runs % 2 == 0) bytes = mutated(dice, model);
    if (runs < wanted) continue;
    CAPTURE(format, seed, runs, pick);
    if (again != nullptr) std::ofstream("again." + format, std::ios::binary) << bytes;
    const double before = elapsed();
    reader->run(bytes);
    slowest = std::max(slowest, {elapsed() - before, runs});
  }
  std::cout << "fuzz: " << runs << " changed " << format << " models, seed " << seed
            << ", the slowest took " << slowest.first << " s: run " << slowest.second << '\n';
}
