// SPDX-License-Identifier: Apache-2.0
// The tensors of a .pt2 file by name, without LibTorch.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/model_file/saved_tensors.h"

namespace t2n::pt2 {

/// The records with the tensors of a file of PyTorch 2.7 and older, as torch.save writes them.
inline constexpr const char* kOldTensors[] = {"serialized_state_dict.pt",
                                              "serialized_constants.pt"};

/// The bytes from the beginning of a storage to the end of the last element; nullopt if that is no
/// number of 64 bits. `offset` and `strides`: in elements of `item` bytes.
std::optional<size_t> extent(const std::vector<int64_t>& sizes, const std::vector<int64_t>& strides,
                             int64_t offset, size_t item);

/// nullopt for a file that is no .pt2 file. "layer.weight", or "NAME.layer.weight" if it holds
/// several programs. Errors: those of Mapping::open, read_zip_directory and read_payloads;
/// `model-corrupt`.
std::optional<std::vector<model_file::SavedTensor>> read_stored_tensors(const std::string& path);

}  // namespace t2n::pt2
