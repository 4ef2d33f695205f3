// Runs one allocator plugin in a process of its own, so that what it does stays here:
//
//   highwater-plugin-host FILE < problem > answer
//
// Problem and answer are plain 64-bit words in the machine's byte order; see core/allocators/
// plugin.cpp, the only one to call this.
#include <dlfcn.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include "highwater/allocator_plugin.h"

namespace {

/// What a plugin may allocate.
[[maybe_unused]] constexpr rlim_t kMemoryLimit = rlim_t{8} << 30;

bool readAll(void* data, std::size_t size) { return std::fread(data, 1, size, stdin) == size; }

int refuse(const char* why) {
  std::fprintf(stderr, "%s\n", why);
  return 3;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return refuse("usage: highwater-plugin-host FILE < problem > answer");
#ifndef HW_SANITIZED  // Its shadow memory alone is larger.
  const rlimit memory{kMemoryLimit, kMemoryLimit};
  setrlimit(RLIMIT_AS, &memory);
#endif
  const rlimit noCore{0, 0};
  setrlimit(RLIMIT_CORE, &noCore);

  std::int64_t header[3];
  if (!readAll(header, sizeof header)) return refuse("the problem is cut short");
  std::vector<highwater_stay_v1> stays(static_cast<std::size_t>(header[0]));
  if (!readAll(stays.data(), stays.size() * sizeof(highwater_stay_v1))) {
    return refuse("the problem is cut short");
  }
  // What the plugin prints must not get into the answer.
  std::FILE* answer = fdopen(dup(STDOUT_FILENO), "wb");
  dup2(STDERR_FILENO, STDOUT_FILENO);

  void* library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return refuse(dlerror());
  void* symbol = dlsym(library, "highwater_allocator");
  if (symbol == nullptr) return refuse("it does not export highwater_allocator");
  decltype(&highwater_allocator) entry = nullptr;
  std::memcpy(&entry, &symbol, sizeof entry);
  const highwater_allocator_v1* allocator = entry();
  if (allocator == nullptr || allocator->abi != HIGHWATER_ALLOCATOR_ABI ||
      allocator->plan == nullptr) {
    return refuse("it does not speak version 1 of the interface");
  }
  std::vector<std::int64_t> offsets(stays.size(), -1);
  const highwater_problem_v1 problem{header[0], stays.data(), header[1],
                                     static_cast<std::uint64_t>(header[2])};
  if (allocator->plan(&problem, offsets.data()) != 0) return refuse("it found no plan");
  const std::size_t written =
      std::fwrite(offsets.data(), sizeof(std::int64_t), offsets.size(), answer);
  return written == offsets.size() && std::fclose(answer) == 0 ? 0 : 4;
}
