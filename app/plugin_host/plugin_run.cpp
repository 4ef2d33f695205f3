#include "app/plugin_host/plugin_run.h"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <thread>
#include <vector>

#include "highwater/allocator_plugin.h"

namespace {

/// What a plugin may allocate.
[[maybe_unused]] constexpr rlim_t kMemoryLimit = rlim_t{8} << 30;
/// What it may write into one file, beside its answer.
constexpr rlim_t kFileLimit = rlim_t{16} << 20;

bool readAll(void* data, std::size_t size) { return std::fread(data, 1, size, stdin) == size; }

int refuse(const char* why) {
  std::fprintf(stderr, "%s\n", why);
  return 3;
}

void limit(int resource, rlim_t most) {
  const rlimit both{most, most};
  setrlimit(static_cast<__rlimit_resource_t>(resource), &both);
}

void limitAll(rlim_t seconds, std::size_t answer) {
#ifndef HW_SANITIZED  // Its shadow memory alone is larger.
  limit(RLIMIT_AS, kMemoryLimit);
#endif
  limit(RLIMIT_FSIZE, kFileLimit + answer);
  limit(RLIMIT_CPU, seconds * std::max(1U, std::thread::hardware_concurrency()));
}

/// The plugin in `file`; null with `why`.
const highwater_allocator_v1* load(const char* file, const char*& why) {
  void* library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  why = library == nullptr ? dlerror() : nullptr;
  if (library == nullptr) return nullptr;
  void* symbol = dlsym(library, "highwater_allocator");
  why = "it does not export highwater_allocator";
  if (symbol == nullptr) return nullptr;
  decltype(&highwater_allocator) entry = nullptr;
  std::memcpy(&entry, &symbol, sizeof entry);
  const highwater_allocator_v1* allocator = entry();
  why = "it does not speak version 1 of the interface";
  const bool speaks = allocator != nullptr && allocator->abi == HIGHWATER_ALLOCATOR_ABI &&
                      allocator->plan != nullptr;
  return speaks ? allocator : nullptr;
}

}  // namespace

int runPlugin(const char* file, rlim_t seconds) {
  std::int64_t header[3];
  if (!readAll(header, sizeof header)) return refuse("the problem is cut short");
  std::vector<highwater_stay_v1> stays(static_cast<std::size_t>(header[0]));
  if (!readAll(stays.data(), stays.size() * sizeof(highwater_stay_v1))) {
    return refuse("the problem is cut short");
  }
  std::vector<std::int64_t> offsets(stays.size(), -1);
  // What the plugin prints must not get into the answer.
  std::FILE* answer = fdopen(dup(STDOUT_FILENO), "wb");
  dup2(STDERR_FILENO, STDOUT_FILENO);
  limitAll(seconds, offsets.size() * sizeof(std::int64_t));

  const char* why = nullptr;
  const highwater_allocator_v1* allocator = load(file, why);
  if (allocator == nullptr) return refuse(why);
  const highwater_problem_v1 problem{header[0], stays.data(), header[1],
                                     static_cast<std::uint64_t>(header[2])};
  if (allocator->plan(&problem, offsets.data()) != 0) return refuse("it found no plan");
  const std::size_t written =
      std::fwrite(offsets.data(), sizeof(std::int64_t), offsets.size(), answer);
  return written == offsets.size() && std::fclose(answer) == 0 ? 0 : 4;
}
