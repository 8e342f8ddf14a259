// SPDX-License-Identifier: Apache-2.0
#include "src/model/torch_module.h"

#include <dlfcn.h>
#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <utility>

#include "src/diag/environment.h"
#include "src/diag/error.h"
#include "src/model/find_torch.h"

namespace t2n {
namespace {

namespace fs = std::filesystem;

/// The folder of the library that contains this function.
std::string library_folder() {
  Dl_info info = {};
  ::dladdr(reinterpret_cast<const void*>(&torch_module), &info);
  const fs::path here = info.dli_fname == nullptr ? "" : info.dli_fname;
  return fs::absolute(here).parent_path().string();
}

/// Reports the missing resource if the system cannot load an existing library.
void refuse_out_of_memory(std::string_view reason) {
  for (const std::string_view symptom :
       {"failed to map", "cannot allocate", "cannot map", "Too many open files", "cannot create"})
    if (reason.find(symptom) != std::string_view::npos)
      throw Error("memory-limit",
                  "too little memory, address space or descriptors to load LibTorch",
                  std::string(reason), "raise the limits that `ulimit -a` shows");
}

/// Otherwise glibc keeps the memory of freed large tensors on the heap, where small objects prevent
/// its release.
void give_memory_back() {
  constexpr int kLarge = 1 << 20;  // bytes; larger blocks are returned to the system
#ifdef __GLIBC__
  ::mallopt(M_MMAP_THRESHOLD, kLarge);
#endif
}

/// PREFIX of an installed PREFIX/lib/t2nnef; "" for any other folder, above which may lie anything.
std::string prefix_of(const fs::path& folder) {
  const fs::path lib = folder.parent_path();
  return folder.filename() == "t2nnef" && lib.filename() == "lib" ? lib.parent_path().string() : "";
}

std::string load_error() {
  const char* const reason = ::dlerror();
  refuse_out_of_memory(reason == nullptr ? "" : reason);
  return reason == nullptr ? "it cannot be loaded" : reason;
}

/// The version of the loaded LibTorch as it says itself: "2.13"; "" before 2.10.
std::string loaded_version() {
  using Version = uint64_t (*)();
  const auto version = reinterpret_cast<Version>(::dlsym(RTLD_DEFAULT, "aoti_torch_abi_version"));
  if (version == nullptr) return "";
  constexpr int kMajor = 56, kMinor = 48;
  const uint64_t number = version();
  return cat(number >> kMajor, ".", (number >> kMinor) & 0xff);
}

/// `torch` first, so that ours, which names it without a path, is bound to it. Nothing is closed
/// again: torch's registries do not support unloading.
struct ModuleLoader {
  void* library = nullptr;

  std::optional<std::string> load(const TorchLibrary& ours, const LibTorch& torch) {
    if (!torch.folder.empty()) {
      const std::string path = torch.folder + "/lib/libtorch_cpu.so";
      if (::dlopen(path.c_str(), RTLD_LAZY | RTLD_GLOBAL) == nullptr) return load_error();
    }
    library = ::dlopen(ours.path.c_str(), RTLD_LAZY | RTLD_GLOBAL);
    if (library == nullptr) return load_error();
    const std::string version = loaded_version();
    if (version.empty() || version == ours.version) return std::nullopt;
    library = nullptr;
    return cat("it is LibTorch ", version, ", and ", ours.path, " is for ", ours.version);
  }
};

[[noreturn]] void refuse_missing(const std::vector<TorchLibrary>& libraries,
                                 const std::vector<std::string>& problems) {
  if (libraries.empty())
    throw Error("torch-not-found", "t2nnef's module for LibTorch is missing",
                cat("there is no libt2nnef_torch*.so in ", library_folder()),
                "install t2nnef again, or run `make`");
  Diagnostic diagnostic{
      .id = "torch-not-found",
      .message = "no LibTorch found that t2nnef can use",
      .where = {},
      .details = problems,
      .why = "looked at T2NNEF_TORCH, else at t2nnef's folder, VIRTUAL_ENV, python3 and the system",
      .help = cat("run `pip install torch==", libraries.front().version,
                  ".*`, or set T2NNEF_TORCH to its folder")};
  throw Error(std::move(diagnostic));
}

struct TorchModuleLibrary {
  void* library = nullptr;
  LibTorch torch;
};

TorchModuleLibrary open_module() {
  give_memory_back();
  // Spinning threads do not pay off in a single forward. libgomp reads this when it is loaded.
  ::setenv("OMP_WAIT_POLICY", "passive", 0);
  const std::vector<TorchLibrary> libraries =
      torch_libraries(library_folder(), T2NNEF_LIBTORCH_VERSION);
  ModuleLoader loader;
  TorchFound found;
  if (!libraries.empty())
    found = find_torch({.environment = environment_value("T2NNEF_TORCH"),
                        .own_folder = library_folder(),
                        .prefix = prefix_of(library_folder()),
                        .virtual_env = environment_value("VIRTUAL_ENV")},
                       libraries, [&](const TorchLibrary& ours, const LibTorch& torch) {
                         return loader.load(ours, torch);
                       });
  if (!found.torch) refuse_missing(libraries, found.problems);
  return {loader.library, *found.torch};
}

std::atomic<bool> is_open = false;

const TorchModuleLibrary& opened_module() {
  static const TorchModuleLibrary module = open_module();
  is_open = true;
  return module;
}

}  // namespace

void* torch_module_symbol(const char* name) {
  void* const out = ::dlsym(opened_module().library, name);
  T2N_ASSERT(out != nullptr, "libt2nnef_torch.so does not export ", name);
  return out;
}

const LibTorch& loaded_torch() { return opened_module().torch; }

std::string version_if_loaded() { return is_open ? torch_module().torch_version : std::string(); }

const trace::TorchModule& torch_module() {
  using Entry = const trace::TorchModule* (*)();
  static const trace::TorchModule* const module =
      reinterpret_cast<Entry>(torch_module_symbol(trace::kTorchModuleSymbol))();
  return *module;
}

}  // namespace t2n
