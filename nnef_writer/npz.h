// SPDX-License-Identifier: Apache-2.0
// NumPy's .npz archives, as numpy.savez writes them: an uncompressed zip with an .npy per array.
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "nnef_writer/destination.h"
#include "src/nnef/npz.h"

namespace t2n::nnef {

/// Replaces the file atomically; equal arrays give equal bytes. Names must differ. Errors:
/// `unsupported-dtype` (bf16, which NumPy lacks), before anything is written; `cannot-write`.
void write_npz(std::span<const NamedTensor> arrays, const std::filesystem::path& path);
std::string npz_bytes(std::span<const NamedTensor> arrays);
void write_npz(std::span<const NamedTensor> arrays, const Destination& destination);

}  // namespace t2n::nnef
