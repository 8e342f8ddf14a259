// The checksum of zip archives, fast enough to be computed for every weight.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace t2n::model_file {

/// The same as zlib's crc32, at memory speed if the processor multiplies polynomials.
uint32_t crc32_of(std::span<const std::byte> data);

}  // namespace t2n::model_file
