// Between torch's tensors and dtypes and the IR's.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <optional>

#include "ir/tensor.h"
#include "src/model_file/mapping.h"

namespace t2n::trace {

/// nullopt for types the IR does not have (quantised, 8-bit floats, bit types…).
std::optional<ir::DType> from_torch(at::ScalarType type);
at::ScalarType to_torch(ir::DType dtype);
/// The same, or `unsupported-dtype` naming torch's type.
ir::DType require_dtype(at::ScalarType type);

/// Shares memory: the result keeps the tensor alive. Strides are kept.
ir::Tensor share(const at::Tensor& tensor);
/// Owns its bytes, row-major: for values that may be written later.
ir::Tensor copy(const at::Tensor& tensor);
/// Points into the read-only pages of the file where the tensor lies in its working pages, else
/// copies. `pages_may_differ`: code ran while loading (__setstate__) and may have written to the
/// pages.
ir::Tensor original(const at::Tensor& tensor,
                    const std::shared_ptr<const model_file::Mapping>& mapping,
                    bool pages_may_differ);

/// Shares memory; torch must not write to it.
at::Tensor to_torch(const ir::Tensor& tensor);
/// A row-major copy that torch may write to; zeros where the tensor has no bytes.
at::Tensor to_torch_copy(const ir::Tensor& tensor);

}  // namespace t2n::trace
