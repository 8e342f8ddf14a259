// SPDX-License-Identifier: Apache-2.0
// Unpacks the parameters that LibTorch packs for its own kernels.
#pragma once

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "src/frontend/record/module_names.h"

namespace t2n::trace {

/// One packed item: a tensor, a number, a list of numbers or None.
struct PackedPart {
  std::string name;  ///< the argument's name in torch's functions: "weight", "stride"
  c10::IValue value;
};

/// Packed parameters of quantised layers, each unpacked once.
class PackedParameters {
 public:
  /// Whether it is an object of one of LibTorch's classes of packed parameters.
  static bool is_packed(const c10::IValue& value);
  /// The contents of `packed`. Integers of weights are copied if LibTorch stores them in another
  /// order.
  /// Errors: `unsupported-argument` for an unknown class.
  const std::vector<PackedPart>& parts(const c10::IValue& packed);
  /// The same for an operand of `op` that is a tensor in LibTorch's own order (packed_tables.h).
  const std::vector<PackedPart>& parts(const std::string& op, const at::Tensor& packed,
                                       const torch::jit::Stack& inputs);
  /// Indices and values of a sparse tensor of the model.
  const std::vector<PackedPart>& entries(const at::Tensor& sparse);
  /// "layer1.0.conv1.weight" for a tensor that parts() returned for a module; else "".
  std::string tensor_path(const at::Tensor& tensor, const ModuleNames& names) const;

 private:
  const std::vector<PackedPart>& remember(const c10::IValue& packed, std::vector<PackedPart> parts);

  struct Unpacked {
    c10::IValue packed;  ///< keeps the address from being used again
    std::vector<PackedPart> parts;
  };
  std::unordered_map<const void*, Unpacked> unpacked_;
  std::unordered_map<const c10::TensorImpl*, std::pair<c10::IValue, std::string>> tensors_;
};

}  // namespace t2n::trace
