// SPDX-License-Identifier: Apache-2.0
// Conversions between torch's tensors and dtypes and those of the IR.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <optional>
#include <string>

#include "ir/graph.h"
#include "src/model_file/mapping.h"

namespace t2n::trace {

/// nullopt for types that the IR does not have (8-bit floats, bit types…), and for quantised types.
std::optional<ir::DType> from_torch(at::ScalarType type);
at::ScalarType to_torch(ir::DType dtype);
/// The same, with the integers' dtype for quantised types. Errors: `unsupported-dtype` with torch's
/// name of the type.
ir::DType require_dtype(at::ScalarType type);

/// A value of the tensor's dtype, shape and quantisation.
ir::Value value_like(std::string name, const at::Tensor& tensor);
/// Nothing for a tensor that is not quantised. Errors: `unsupported-dtype` for scales that are not
/// positive and finite, and for zero points out of the integers' range.
std::optional<ir::QuantInfo> quant_info(const at::Tensor& tensor);

/// Shares memory: the result keeps the tensor alive, with its strides. This function and the next
/// return the integers of a quantised tensor.
ir::Tensor share(const at::Tensor& tensor);
/// A copy in row-major order, for values that may be written later.
ir::Tensor copy(const at::Tensor& tensor);
/// Refers to the read-only pages of the file if the tensor is in its working pages; otherwise a
/// copy. `pages_may_differ`: code that ran during loading (__setstate__) may have written to the
/// pages.
ir::Tensor original(const at::Tensor& tensor,
                    const std::shared_ptr<const model_file::Mapping>& mapping,
                    bool pages_may_differ);

/// Shares memory; torch must not write to it.
at::Tensor to_torch(const ir::Tensor& tensor);
/// A row-major copy that torch may write to; zeros if the tensor has no bytes.
at::Tensor to_torch_copy(const ir::Tensor& tensor);

}  // namespace t2n::trace
