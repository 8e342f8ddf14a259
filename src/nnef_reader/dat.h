// Tensor files of NNEF into tensors; nothing in a file is believed before it is checked.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>

#include "ir/tensor.h"

namespace t2n::nnef {

// Items of vendor 0 only: floats, integers (quantised ones as they are stored), booleans.

/// The content of a file called `origin`.   Errors: `nnef-syntax`.
ir::Tensor read_dat(std::span<const std::byte> bytes, std::string_view origin);

/// Errors: `nnef-syntax`, also where the file cannot be read.
ir::Tensor read_dat(const std::filesystem::path& path);

}  // namespace t2n::nnef
