// SPDX-License-Identifier: Apache-2.0
// libFuzzer's way in: the loader of TorchScript files, from a file in memory.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "src/diag/error.h"
#include "src/model/torch_module.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const int file = memfd_create("model.pt", MFD_CLOEXEC);
  if (file < 0 || write(file, data, size) != static_cast<ssize_t>(size)) std::abort();
  try {
    const auto session = t2n::torch_module().load(t2n::cat("/proc/self/fd/", file), "forward");
    t2n::torch_module().describe(*session);
  } catch (const t2n::Error& error) {
    if (error.code() == t2n::ExitCode::bug) {
      std::fprintf(stderr, "%s", error.what());
      std::abort();
    }
  }
  close(file);
  return 0;
}
