// SPDX-License-Identifier: Apache-2.0
#include "src/tract/python_package.h"

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "src/diag/error.h"
#include "src/tract/process.h"

namespace t2n::tract {
namespace {

namespace fs = std::filesystem;

/// Prints the folder of the package named by its argument. Python runs isolated: it ignores the
/// current folder and the environment, which may contain anything.
constexpr const char* kPythonScript =
    "import sys; sys.path[:] = [p for p in sys.path if p[:1] == '/']\n"
    "import importlib.util, os\n"
    "spec = importlib.util.find_spec(sys.argv[1])\n"
    "print(os.path.dirname(spec.origin) if spec and spec.origin else '')\n";

}  // namespace

std::vector<std::string> sorted_entries(const std::string& folder) {
  std::error_code error;
  std::vector<std::string> entries;
  for (const auto& entry : fs::directory_iterator(folder, error))
    entries.push_back(entry.path().string());
  std::sort(entries.begin(), entries.end());
  return entries;
}

std::vector<std::string> packages_below(const std::string& prefix, std::string_view name) {
  std::vector<std::string> out;
  if (!prefix.starts_with('/')) return out;
  std::error_code error;
  for (const std::string& python : sorted_entries(prefix + "/lib")) {
    if (!fs::path(python).filename().string().starts_with("python")) continue;
    for (const char* packages : {"site-packages", "dist-packages"})
      if (const fs::path folder = fs::path(python) / packages / name;
          fs::is_directory(folder, error))
        out.push_back(folder.string());
  }
  return out;
}

std::optional<std::string> package_of(const std::string& python, std::string_view name) {
  auto folder =
      output_of(python, {"-I", "-c", kPythonScript, std::string(name)}, std::chrono::seconds(10));
  if (!folder) return std::nullopt;
  while (folder->ends_with('\n')) folder->pop_back();
  return folder->empty() ? std::nullopt : folder;
}

}  // namespace t2n::tract
