// SPDX-License-Identifier: Apache-2.0
/// Preloaded into t2nnef, it counts the calls of `operator new` that its own program and libraries
/// make, in the first eight bytes of the file $T2NNEF_ALLOCATIONS. Those of LibTorch depend on its
/// version and on the processor; what a template allocates belongs to the library that instantiates
/// it.

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

namespace {

using Counter = std::atomic<std::uint64_t>;

struct Range {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
};

Counter nobody_reads = 0;
Counter* counter = &nobody_reads;
std::array<Range, 8> ranges;
std::atomic<std::size_t> known = 0;

bool is_own(const char* path) {
  const char* const slash = std::strrchr(path, '/');
  const char* const name = slash == nullptr ? path : slash + 1;
  return *name == '\0' || std::strncmp(name, "libt2nnef", 9) == 0;  // the program has no name
}

int add_range(dl_phdr_info* info, std::size_t, void*) {
  if (!is_own(info->dlpi_name)) {
    return 0;
  }
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = info->dlpi_phdr[i];
    if (part.p_type != PT_LOAD || (part.p_flags & PF_X) == 0 || known == ranges.size()) {
      continue;
    }
    const Range range{info->dlpi_addr + part.p_vaddr,
                      info->dlpi_addr + part.p_vaddr + part.p_memsz};
    for (std::size_t each = 0; each < known; ++each) {
      if (ranges[each].begin == range.begin) {
        return 0;
      }
    }
    ranges[known] = range;
    ++known;
  }
  return 0;
}

__attribute__((constructor)) void start() {
  const char* const path = std::getenv("T2NNEF_ALLOCATIONS");
  const int file = path == nullptr ? -1 : open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) {
    return;
  }
  void* const memory = mmap(nullptr, sizeof(Counter), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (memory != MAP_FAILED) {
    counter = static_cast<Counter*>(memory);
  }
  dl_iterate_phdr(add_range, nullptr);
}

void count(const void* caller) {
  const auto address = reinterpret_cast<std::uintptr_t>(caller);
  for (std::size_t i = 0; i < known; ++i) {
    if (ranges[i].begin <= address && address < ranges[i].end) {
      counter->fetch_add(1, std::memory_order_relaxed);
      return;
    }
  }
}

}  // namespace

/// What it loads may be ours.
extern "C" __attribute__((visibility("default"))) void* dlopen(const char* path, int flags) {
  static auto* const next =
      reinterpret_cast<void* (*)(const char*, int)>(dlsym(RTLD_NEXT, "dlopen"));
  void* const library = next(path, flags);
  dl_iterate_phdr(add_range, nullptr);
  return library;
}

__attribute__((visibility("default"))) void* operator new(std::size_t size) {
  count(__builtin_return_address(0));
  if (void* const memory = std::malloc(size == 0 ? 1 : size)) {
    return memory;
  }
  throw std::bad_alloc();
}

__attribute__((visibility("default"))) void operator delete(void* memory) noexcept {
  std::free(memory);
}
__attribute__((visibility("default"))) void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
