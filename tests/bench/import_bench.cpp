// Opening large models: a whole `highwater info`, its time and its memory. A million operators are
// to take no more than 1.5 GB in any format.

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "tests/bench/whole_process.h"
#include "tests/support/large_documents.h"
#include "tests/support/large_models.h"

using namespace hw;

namespace {

void report(std::string_view what, const std::filesystem::path& model) {
  const auto size = static_cast<double>(std::filesystem::file_size(model)) / (1 << 20);
  const bench::ProcessCost cost = bench::runWhole({"info", model.string()}, "/dev/null");
  fmt::print("{}, {:.0f} MiB: {:.2f} s, {:.2f} s of processor time, {:.0f} MB resident{}\n", what,
             size, cost.wall, cost.cpu, static_cast<double>(cost.resident) / 1e6,
             cost.status == 0 ? "" : ", FAILED");
  std::fflush(stdout);
}

void write(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

}  // namespace

int main() {
  const auto folder = std::filesystem::temp_directory_path() / "highwater_import_bench";
  std::filesystem::create_directories(folder);
  for (const int operators : {100'000, 1'000'000}) {
    const auto path = [&](std::string_view file) { return folder / file; };
    const auto told = [&](std::string_view file) {
      report(fmt::format("{} operators, {}", operators, file), path(file));
      std::filesystem::remove(path(file));
    };
    write(path("onnx"), chainOnnx(operators));
    told("onnx");
    write(path("tflite"), chainTflite(operators));
    told("tflite");
    for (const LargeDocument& document : largeDocuments()) {
      std::ofstream out(path(document.file));
      document.write(out, operators);
      out.close();
      told(document.file);
    }
  }
  writeSparseOnnx(folder / "large.onnx");
  writeSparseTflite(folder / "large.tflite");
  report("2.4 GiB of weights, ONNX", folder / "large.onnx");
  report("2.4 GiB of weights, TFLite", folder / "large.tflite");
  std::filesystem::remove_all(folder);
}
