// SPDX-License-Identifier: Apache-2.0
// libFuzzer's way in, past the checksums of tar.
#include <cstdint>

#include "tests/fuzz/entries.h"

extern "C" {
size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  t2n::nnef::fuzz_artefact(std::as_bytes(std::span(data, size)));
  return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned seed) {
  const size_t mutated = LLVMFuzzerMutate(data, size, max_size);
  if (seed % 8 != 0) t2n::nnef::mend_checksums(std::as_writable_bytes(std::span(data, mutated)));
  return mutated;
}
}
