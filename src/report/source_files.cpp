// SPDX-License-Identifier: Apache-2.0
#include "src/report/source_files.h"

#include <filesystem>
#include <nlohmann/json.hpp>

namespace t2n::report {
namespace {

namespace fs = std::filesystem;

constexpr int kDeepest = 12;
constexpr size_t kMostFiles = 100'000;

bool is_skipped(const fs::directory_entry& entry) {
  const std::string name = entry.path().filename().string();
  return name.starts_with('.') || name == "node_modules" || name == "site-packages" ||
         name == "__pycache__";
}

}  // namespace

SourceFiles::SourceFiles() {
  std::error_code error;
  size_t count = 0;
  fs::recursive_directory_iterator entry(".", fs::directory_options::skip_permission_denied, error);
  for (const fs::recursive_directory_iterator end; !error && entry != end && count < kMostFiles;
       entry.increment(error), ++count) {
    if (is_skipped(*entry) || entry.depth() >= kDeepest) entry.disable_recursion_pending();
    if (entry->path().extension() != ".py") continue;
    paths_[entry->path().filename().string()].push_back(
        entry->path().lexically_normal().generic_string());
  }
}

std::string SourceFiles::path_of(const std::string& name) const {
  const auto found = paths_.find(name);
  return found == paths_.end() || found->second.size() != 1 ? name : found->second.front();
}

std::vector<SourceLine> SourceFiles::lines_of(const nlohmann::ordered_json& locations) const {
  std::vector<SourceLine> out;
  for (const nlohmann::ordered_json& where : locations) {
    const nlohmann::ordered_json& frames = where.at("frames");
    if (frames.empty() || frames.front().at("file").get<std::string>().empty()) continue;
    out.push_back({path_of(frames.front().at("file")), frames.front().at("line"),
                   frames.front().at("column")});
  }
  return out;
}

}  // namespace t2n::report
