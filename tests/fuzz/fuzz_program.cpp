// SPDX-License-Identifier: Apache-2.0
// libFuzzer's way in.
#include <cstdint>

#include "tests/fuzz/entries.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  t2n::nnef::fuzz_program(std::as_bytes(std::span(data, size)));
  return 0;
}
