// The checksum of zip archives, fast enough to be taken of every weight.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace t2n::model_file {

/// As zlib's crc32, at the speed of memory where the processor multiplies polynomials.
uint32_t crc32_of(std::span<const std::byte> data);

}  // namespace t2n::model_file
