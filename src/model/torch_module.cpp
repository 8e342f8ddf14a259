#include "src/model/torch_module.h"

#include <dlfcn.h>
#include <malloc.h>

#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "src/diag/error.h"

namespace t2n {
namespace {

/// libt2nnef_torch.so is in the folder of the library that contains this function.
std::string module_path() {
  Dl_info info = {};
  ::dladdr(reinterpret_cast<const void*>(&torch_module), &info);
  const std::filesystem::path here = info.dli_fname == nullptr ? "" : info.dli_fname;
  return (here.parent_path() / "libt2nnef_torch.so").string();
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

void* open_module() {
  give_memory_back();
  // Spinning threads do not pay off in a single forward. libgomp reads this when it is loaded.
  ::setenv("OMP_WAIT_POLICY", "passive", 0);
  // Never closed: torch's registries do not support unloading.
  void* library = ::dlopen(module_path().c_str(), RTLD_LAZY | RTLD_GLOBAL);
  if (library == nullptr) {
    const char* reason = ::dlerror();
    refuse_out_of_memory(reason == nullptr ? "" : reason);
    throw Error("torch-not-found", "LibTorch cannot be loaded", reason == nullptr ? "" : reason,
                "t2nnef needs the LibTorch it was built with; run `make` again after moving or "
                "removing it");
  }
  return library;
}

}  // namespace

void* torch_module_symbol(const char* name) {
  static void* const library = open_module();
  void* const out = ::dlsym(library, name);
  T2N_ASSERT(out != nullptr, "libt2nnef_torch.so does not export ", name);
  return out;
}

const trace::TorchModule& torch_module() {
  using Entry = const trace::TorchModule* (*)();
  static const trace::TorchModule* const module =
      reinterpret_cast<Entry>(torch_module_symbol(trace::kTorchModuleSymbol))();
  return *module;
}

}  // namespace t2n
