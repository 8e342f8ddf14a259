// SPDX-License-Identifier: Apache-2.0
// NumPy's archives of arrays: zip files, stored or deflated, with one .npy file per array.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/tensor.h"

namespace t2n::nnef {

struct NamedTensor {
  std::string name;
  ir::Tensor value;
};

/// The arrays of a file called `origin`, in its order.   Errors: `input-unreadable`.
std::vector<NamedTensor> read_npz(std::span<const std::byte> bytes, std::string_view origin);

/// Errors: `input-unreadable`, also if the file cannot be opened.
std::vector<NamedTensor> read_npz(const std::filesystem::path& path);

}  // namespace t2n::nnef
