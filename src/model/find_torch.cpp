// SPDX-License-Identifier: Apache-2.0
#include "src/model/find_torch.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>

#include "src/diag/error.h"
#include "src/tract/python_package.h"
#include "src/tract/version.h"

namespace t2n {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "libt2nnef_torch-", kSuffix = ".so";

std::string beginning_of(const fs::path& path) {
  std::ifstream file(path);
  std::string text(size_t{1} << 12, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(std::max<std::streamsize>(0, file.gcount())));
  return text;
}

/// The word that follows `key` in a text, without quotes.
std::string word_after(const std::string& text, std::string_view key) {
  const size_t at = text.find(key);
  if (at == std::string::npos) return "";
  std::istringstream rest(text.substr(at + key.size()));
  std::string out;
  rest >> out;
  std::erase(out, '\'');
  return out;
}

/// "2.13" of "2.13.0+cpu".
std::string minor_of(const std::string& version) {
  const size_t dot = version.find('.');
  const size_t end = dot == std::string::npos ? dot : version.find('.', dot + 1);
  return version.substr(0, end);
}

bool is_newer(const TorchLibrary& a, const TorchLibrary& b) {
  return tract::parse_version(a.version + ".0") > tract::parse_version(b.version + ".0");
}

std::string described(const LibTorch& torch) {
  const std::string version = torch.version.empty() ? "" : " " + torch.version;
  return torch.folder.empty()
             ? cat("LibTorch of ", torch.origin)
             : cat("LibTorch", version, ", from ", torch.origin, ": ", torch.folder);
}

std::string served_versions(const std::vector<TorchLibrary>& libraries) {
  std::vector<std::string> versions;
  for (const TorchLibrary& library : libraries) versions.push_back(library.version);
  return joined(versions, ", ");
}

class Finder {
 public:
  Finder(const std::vector<TorchLibrary>& libraries, const LoadTorch& load)
      : libraries_(libraries), load_(load) {}

  /// Whether it has been found. A folder without a LibTorch is a problem only if the user named it.
  bool offer(const std::string& folder, std::string_view origin, bool is_named = false) {
    std::error_code error;
    const bool is_torch = fs::exists(fs::path(folder) / "lib/libtorch_cpu.so", error);
    if (is_torch) return use({folder, version_of_torch(folder), std::string(origin)});
    if (is_named)
      found_.problems.push_back(
          cat(origin, " is ", folder, ", which holds no lib/libtorch_cpu.so"));
    return false;
  }

  bool use(const LibTorch& torch) {
    bool is_served = false;
    for (const TorchLibrary& library : libraries_) {
      if (!torch.version.empty() && library.version != minor_of(torch.version)) continue;
      is_served = true;
      const auto problem = load_(library, torch);
      if (!problem) {
        found_.torch = torch;
        return true;
      }
      found_.problems.push_back(cat(described(torch), ": ", *problem));
    }
    if (!is_served)
      found_.problems.push_back(
          cat(described(torch), ": this t2nnef is for LibTorch ", served_versions(libraries_)));
    return false;
  }

  const TorchFound& found() const { return found_; }

 private:
  const std::vector<TorchLibrary>& libraries_;
  const LoadTorch& load_;
  TorchFound found_;
};

}  // namespace

std::vector<TorchLibrary> torch_libraries(const std::string& folder, const std::string& built_for) {
  std::vector<TorchLibrary> out;
  for (const std::string& path : tract::sorted_entries(folder)) {
    std::string name = fs::path(path).filename().string();
    if (!name.starts_with(kPrefix) || !name.ends_with(kSuffix)) continue;
    name = name.substr(kPrefix.size(), name.size() - kPrefix.size() - kSuffix.size());
    if (tract::parse_version(name + ".0")) out.push_back({path, name});
  }
  std::stable_sort(out.begin(), out.end(), is_newer);
  std::error_code error;
  const fs::path plain = fs::path(folder) / "libt2nnef_torch.so";
  if (fs::exists(plain, error)) out.push_back({plain.string(), built_for});
  return out;
}

std::string version_of_torch(const std::string& folder) {
  const fs::path root = folder;
  if (std::string version = word_after(beginning_of(root / "version.py"), "__version__ =");
      !version.empty())
    return version;
  if (std::string version = word_after(beginning_of(root / "build-version"), ""); !version.empty())
    return version;
  for (const char* header :
       {"include/torch/headeronly/version.h", "include/torch/csrc/api/include/torch/version.h"}) {
    const std::string text = beginning_of(root / header);
    const std::string major = word_after(text, "#define TORCH_VERSION_MAJOR"),
                      minor = word_after(text, "#define TORCH_VERSION_MINOR"),
                      patch = word_after(text, "#define TORCH_VERSION_PATCH");
    if (!major.empty() && !minor.empty()) return cat(major, ".", minor, ".", patch);
  }
  return "";
}

TorchFound find_torch(const TorchSearch& search, const std::vector<TorchLibrary>& libraries,
                      const LoadTorch& load) {
  Finder finder(libraries, load);
  if (!search.environment.empty()) {
    finder.offer(search.environment, "T2NNEF_TORCH", true);
    return finder.found();
  }
  if (finder.offer(search.own_folder + "/torch", "t2nnef's folder")) return finder.found();
  for (const std::string& folder : tract::packages_below(search.prefix, "torch"))
    if (finder.offer(folder, "the same prefix")) return finder.found();
  for (const std::string& folder : tract::packages_below(search.virtual_env, "torch"))
    if (finder.offer(folder, "VIRTUAL_ENV")) return finder.found();
  for (const std::string& python : search.pythons)
    if (const auto folder = tract::package_of(python, "torch"))
      if (finder.offer(*folder, python)) return finder.found();
  // Last, as a wrong version that is loaded once cannot be exchanged.
  finder.use({"", "", "the system"});
  return finder.found();
}

}  // namespace t2n
