// Opening large models: a whole `highwater info`, its time and its memory.

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "tests/support/large_models.h"

using namespace hw;

namespace {

struct Cost {
  double wall = 0;       ///< Seconds.
  double processor = 0;  ///< Seconds.
  double mebibytes = 0;  ///< Resident at most.
  int status = 0;
};

/// Runs `highwater info` on a file, its output thrown away.
Cost openedBy(const std::filesystem::path& program, const std::filesystem::path& model) {
  const auto start = std::chrono::steady_clock::now();
  std::fflush(stdout);  // Or the child prints it again.
  const pid_t child = fork();
  if (child == 0) {
    if (std::freopen("/dev/null", "w", stdout) == nullptr) _exit(2);
    execl(program.c_str(), "highwater", "info", model.c_str(), nullptr);
    _exit(2);
  }
  Cost cost;
  rusage usage{};
  wait4(child, &cost.status, 0, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  cost.wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  cost.processor = seconds(usage.ru_utime) + seconds(usage.ru_stime);
  cost.mebibytes = static_cast<double>(usage.ru_maxrss) / 1024;
  return cost;
}

void report(const char* what, const std::filesystem::path& program,
            const std::filesystem::path& model) {
  const auto size = static_cast<double>(std::filesystem::file_size(model)) / (1 << 20);
  const Cost cost = openedBy(program, model);
  fmt::print("{}, {:.0f} MiB: {:.2f} s, {:.2f} s of processor time, {:.0f} MiB resident{}\n", what,
             size, cost.wall, cost.processor, cost.mebibytes, cost.status == 0 ? "" : ", FAILED");
}

void write(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

}  // namespace

int main() {
  constexpr int kOperators = 100'000;
  const std::filesystem::path program = HIGHWATER_PROGRAM;
  const auto folder = std::filesystem::temp_directory_path() / "highwater_import_bench";
  std::filesystem::create_directories(folder);
  write(folder / "many.onnx", chainOnnx(kOperators));
  write(folder / "many.tflite", chainTflite(kOperators));
  writeSparseOnnx(folder / "large.onnx");
  writeSparseTflite(folder / "large.tflite");
  report("100,000 operators, ONNX", program, folder / "many.onnx");
  report("100,000 operators, TFLite", program, folder / "many.tflite");
  report("2.4 GiB of weights, ONNX", program, folder / "large.onnx");
  report("2.4 GiB of weights, TFLite", program, folder / "large.tflite");
  std::filesystem::remove_all(folder);
}
