// SPDX-License-Identifier: Apache-2.0
// Tensor files: a 128-byte header, then the values in row-major order (NNEF 1.0.5 §5.3).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "src/nnef/blob.h"

namespace t2n::nnef {

using ByteSink = std::function<void(std::span<const std::byte>)>;

/// Checks that the format can store the blob, before anything is written.
/// Errors: `unsupported-dtype` (bf16, complex), `unsupported-output` (4 GiB or more, rank above 8).
void check_dat(const Blob& blob);

/// The size of the file.
int64_t dat_size(const Blob& blob);

/// Streams the file in pieces of about a MiB, without copying entire weights. Errors: those of
/// check_dat; `unsupported-dtype` for a number that its integer dtype cannot hold.
void write_dat(const Blob& blob, const ByteSink& sink);

}  // namespace t2n::nnef
