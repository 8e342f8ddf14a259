// SPDX-License-Identifier: Apache-2.0
#include "src/limits/limits.h"

#include <fcntl.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <fstream>
#include <limits>
#include <string>

#include "src/diag/error.h"
#include "src/diag/printable.h"

namespace t2n::limits {
namespace {

constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max();
constexpr int64_t kLeast = int64_t{64} << 20;  ///< the minimum to start at all

std::atomic<int64_t> chosen_memory = 0;  ///< 0: not chosen

struct Unit {
  std::string_view name;
  double bytes;
};
constexpr std::array<Unit, 8> kUnits = {{{"k", 1e3},
                                         {"M", 1e6},
                                         {"G", 1e9},
                                         {"T", 1e12},
                                         {"Ki", 0x1p10},
                                         {"Mi", 0x1p20},
                                         {"Gi", 0x1p30},
                                         {"Ti", 0x1p40}}};

/// The number in a file of the kernel; kNoLimit for "max" and for a missing file.
int64_t number_in(const std::string& path) {
  std::ifstream file(path);
  int64_t out = 0;
  return file >> out && out > 0 ? out : kNoLimit;
}

/// The tightest limit of this process's control groups (version 2, then 1).
int64_t group_memory() {
  int64_t out = number_in("/sys/fs/cgroup/memory/memory.limit_in_bytes");
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    if (!line.starts_with("0::/")) continue;
    for (std::string path = line.substr(3); !path.empty(); path.resize(path.rfind('/')))
      out = std::min(out, number_in(cat("/sys/fs/cgroup", path, "/memory.max")));
  }
  return std::min(out, number_in("/sys/fs/cgroup/memory.max"));
}

int64_t machine_memory() {
  struct sysinfo info {};
  if (sysinfo(&info) != 0) return kNoLimit;
  return static_cast<int64_t>(info.totalram) * info.mem_unit;
}

}  // namespace

double read_seconds(int64_t bytes) {
  return kReadSeconds + static_cast<double>(bytes) / kBytesPerSecond;
}

int64_t parse_bytes(std::string_view text, std::string_view option) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  std::string_view unit = text.substr(end - text.data());
  if (unit.ends_with('B')) unit.remove_suffix(1);
  double factor = unit.empty() ? 1 : 0;
  for (const Unit& known : kUnits)
    if (known.name == unit) factor = known.bytes;
  const double bytes = number * factor;
  constexpr double kMost = 0x1p60;
  // False for NaN as well.
  if (error == std::errc() && bytes >= static_cast<double>(kLeast) && bytes <= kMost)
    return static_cast<int64_t>(bytes);
  throw Error("usage", cat(option, " is ", quoted(text), ", not a memory size of at least 64Mi"),
              {}, cat("for example: ", option, " 2G"));
}

std::string bytes_text(int64_t bytes) {
  constexpr std::array<const char*, 5> kNames = {"bytes", "kB", "MB", "GB", "TB"};
  auto value = static_cast<double>(bytes);
  size_t unit = 0;
  for (; value >= 999.95 && unit + 1 < kNames.size(); ++unit) value /= 1000;
  return cat(number_text(unit == 0 ? "%.0f " : "%.1f ", value), kNames.at(unit));
}

int64_t default_memory() {
  static const int64_t memory = [] {
    const int64_t all = std::min(machine_memory(), group_memory());
    constexpr int64_t kMargin = int64_t{256} << 20;
    return std::max(kLeast, all - std::max(kMargin, all / 16));
  }();
  return memory;
}

int64_t max_memory() {
  const int64_t chosen = chosen_memory.load();
  return chosen > 0 ? chosen : default_memory();
}

int64_t chosen_max_memory() { return chosen_memory.load(); }

void set_max_memory(int64_t bytes) { chosen_memory = bytes; }

int64_t memory_in_use() {
  const int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  std::array<char, 128> text{};
  const ssize_t count = read(file, text.data(), text.size() - 1);
  close(file);
  long long size = 0, resident = 0, shared = 0;
  if (count <= 0 || std::sscanf(text.data(), "%lld %lld %lld", &size, &resident, &shared) != 3)
    return 0;
  return (resident - shared) * sysconf(_SC_PAGESIZE);
}

void require_bytes(int64_t bytes, std::string_view what) {
  // Most allocations are small, and the check costs a system call.
  constexpr int64_t kSmall = int64_t{16} << 20;
  if (bytes >= 0 && bytes <= kSmall) return;
  const int64_t most = max_memory();
  if (bytes >= 0 && bytes <= most - std::min(most, memory_in_use())) return;
  throw Error("memory-limit",
              cat(what, bytes < 0 ? " needs more memory than any machine has"
                                  : cat(" needs ", bytes_text(bytes), " of memory")),
              cat("t2nnef may use ", bytes_text(most), " in total"),
              "raise --max-memory, or use smaller inputs");
}

}  // namespace t2n::limits
