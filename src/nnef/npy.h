// SPDX-License-Identifier: Apache-2.0
// Reads NumPy's array files; everything in a file is checked before it is used.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include "ir/tensor.h"

namespace t2n::nnef {

/// Reads a file called `origin`: format versions 1 to 3, little endian, in C or Fortran order; the
/// result is row-major.   Errors: `input-unreadable`.
ir::Tensor read_npy(std::span<const std::byte> bytes, std::string_view origin);

/// Errors: `input-unreadable`, also if the file cannot be opened.
ir::Tensor read_npy(const std::filesystem::path& path);

/// All bytes of a file.   Errors: `input-unreadable`.
std::vector<std::byte> read_input_file(const std::filesystem::path& path);

/// Throws Error `input-unreadable` about the file `origin`.
[[noreturn]] void refuse_input(std::string_view origin, std::string why, std::string help = {});

}  // namespace t2n::nnef
