// SPDX-License-Identifier: Apache-2.0
// The tensors of a .pt file by name: of a state dictionary, a checkpoint, or a TorchScript model.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ir/tensor.h"
#include "src/model_file/mapping.h"

namespace t2n::model_file {

struct SavedTensor {
  /// "layer1.0.conv.weight": keys, indices and attributes on the way to it; "constants.0" for a
  /// constant of TorchScript code.
  std::string name;
  /// A view into the mapped file. Nothing for a kind that has no plain values.
  std::optional<ir::Tensor> value;
  std::string kind;     ///< without a value: "quantised", "float8_e4m3fn", "sparse"
  ir::Ints shape;       ///< also without a value
  std::string same_as;  ///< the first name of the same tensor; "" for the first one
};

/// In the file's order, without running or importing anything. Errors: those of Mapping::open,
/// sniff_bytes, read_zip_directory and read_pickle; `model-corrupt`.
std::vector<SavedTensor> read_saved_tensors(const std::string& path);
/// The same of a part of a mapped file: an archive within an archive. `name`: for messages. A
/// subclass of Tensor that wraps others consists of these: "qdata", "scale".
std::vector<SavedTensor> read_saved_tensors(const std::shared_ptr<const Mapping>& mapping,
                                            std::span<const std::byte> bytes,
                                            const std::string& name);

}  // namespace t2n::model_file
