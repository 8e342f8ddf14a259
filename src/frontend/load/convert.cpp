// SPDX-License-Identifier: Apache-2.0
#include "src/frontend/load/convert.h"

#include <ATen/Functions.h>

#include <cmath>
#include <cstring>

#include "src/diag/error.h"

namespace t2n::trace {
namespace {

struct Pair {
  at::ScalarType torch;
  ir::DType ir;
};

constexpr Pair kPairs[] = {
    {at::kBool, ir::DType::boolean},      {at::kByte, ir::DType::u8},
    {at::kUInt16, ir::DType::u16},        {at::kUInt32, ir::DType::u32},
    {at::kUInt64, ir::DType::u64},        {at::kChar, ir::DType::i8},
    {at::kShort, ir::DType::i16},         {at::kInt, ir::DType::i32},
    {at::kLong, ir::DType::i64},          {at::kHalf, ir::DType::f16},
    {at::kBFloat16, ir::DType::bf16},     {at::kFloat, ir::DType::f32},
    {at::kDouble, ir::DType::f64},        {at::kComplexFloat, ir::DType::c64},
    {at::kComplexDouble, ir::DType::c128}};

/// The dtype of a quantised tensor's integers, one to an element.
std::optional<ir::DType> integers_of(at::ScalarType type) {
  switch (type) {
    case at::kQInt8: return ir::DType::i8;
    case at::kQUInt8: return ir::DType::u8;
    case at::kQInt32: return ir::DType::i32;
    default: return std::nullopt;
  }
}

/// LibTorch's views of per-channel quantised tensors keep the axis where it should change, and all
/// scales where channels are cut off. Such a result is unusable.
void check_channels(const ir::QuantInfo& quant, const at::Tensor& tensor) {
  if (!quant.is_per_channel()) return;
  const bool fits = quant.axis >= 0 && quant.axis < tensor.dim() &&
                    tensor.size(quant.axis) == std::ssize(quant.scales);
  if (!fits)
    throw Error("unsupported-dtype",
                cat("a view of a tensor that is quantised per channel has ", quant.scales.size(),
                    " scales along axis ", quant.axis, ", which does not match its shape"),
                "LibTorch does not dequantise it either",
                "dequantize() the tensor before its axes are joined, or take its int_repr()");
}

void check_quantisation(const ir::QuantInfo& quant) {
  for (const double scale : quant.scales) {
    if (!(scale > 0) || !std::isfinite(scale))
      throw Error("unsupported-dtype", cat("a quantised tensor has the scale ", scale),
                  "a scale is a positive finite number", "calibrate the model again");
    if (std::isinf(1 / static_cast<float>(scale)))
      throw Error("unsupported-dtype", cat("a quantised tensor has the scale ", scale),
                  "one divided by it, which LibTorch multiplies with, is infinite in f32",
                  "calibrate the model again");
  }
  for (const int64_t point : quant.zero_points)
    if (point < quant.lowest() || point > quant.highest())
      throw Error("unsupported-dtype", cat("a quantised tensor has the zero point ", point),
                  cat("its integers are from ", quant.lowest(), " to ", quant.highest()),
                  "calibrate the model again");
}

/// Bytes from the first element to the end of the last one reachable.
size_t span_bytes(const at::Tensor& tensor) {
  if (tensor.numel() == 0) return 0;
  int64_t last = 0;
  for (int64_t d = 0; d < tensor.dim(); ++d) last += (tensor.size(d) - 1) * tensor.stride(d);
  return (last + 1) * tensor.element_size();
}

ir::Tensor geometry(const at::Tensor& tensor) {
  ir::Tensor out;
  out.dtype = require_dtype(tensor.scalar_type());
  out.shape = tensor.sizes().vec();
  out.strides = tensor.strides().vec();
  return out;
}

/// A conjugated or negated view has values that differ from its bytes; a sparse one has no strides.
at::Tensor plain_tensor(const at::Tensor& tensor) {
  if (tensor.layout() != at::kStrided)
    throw Error("unsupported-dtype", "a sparse tensor cannot be exported", {},
                "make it dense with .to_dense()");
  return tensor.detach().resolve_conj().resolve_neg();
}

}  // namespace

std::optional<ir::DType> from_torch(at::ScalarType type) {
  for (const Pair& pair : kPairs)
    if (pair.torch == type) return pair.ir;
  return std::nullopt;
}

at::ScalarType to_torch(ir::DType dtype) {
  for (const Pair& pair : kPairs)
    if (pair.ir == dtype) return pair.torch;
  internal_error(__FILE__, __LINE__, cat("no torch type for ", ir::dtype_name(dtype)));
}

ir::DType require_dtype(at::ScalarType type) {
  if (const auto dtype = from_torch(type)) return *dtype;
  if (const auto dtype = integers_of(type)) return *dtype;
  throw Error("unsupported-dtype",
              cat("tensors of type ", quoted(at::toString(type)), " cannot be exported"),
              "t2nnef has no translation for this element type yet");
}

ir::Value value_like(std::string name, const at::Tensor& tensor) {
  return {std::move(name), require_dtype(tensor.scalar_type()), ir::to_shape(tensor.sizes().vec()),
          quant_info(tensor)};
}

std::optional<ir::QuantInfo> quant_info(const at::Tensor& tensor) {
  if (!tensor.is_quantized()) return std::nullopt;
  ir::QuantInfo out;
  const ir::DType dtype = require_dtype(tensor.scalar_type());
  out.bits = static_cast<int>(8 * ir::dtype_size(dtype));
  out.is_signed = dtype != ir::DType::u8;
  if (tensor.qscheme() == at::kPerTensorAffine || tensor.qscheme() == at::kPerTensorSymmetric) {
    out.scales = {tensor.q_scale()};
    out.zero_points = {tensor.q_zero_point()};
  } else {
    const at::Tensor scales = tensor.q_per_channel_scales().to(at::kDouble).contiguous();
    const at::Tensor points = tensor.q_per_channel_zero_points().contiguous();
    if (points.scalar_type() != at::kLong)
      throw Error("unsupported-dtype",
                  "a quantised tensor with float zero points cannot be exported", {},
                  "quantise it with torch.per_channel_affine");
    out.scales.assign(scales.const_data_ptr<double>(),
                      scales.const_data_ptr<double>() + scales.numel());
    out.zero_points.assign(points.const_data_ptr<int64_t>(),
                           points.const_data_ptr<int64_t>() + points.numel());
    out.axis = static_cast<int>(tensor.q_per_channel_axis());
  }
  check_quantisation(out);
  check_channels(out, tensor);
  return out;
}

ir::Tensor share(const at::Tensor& tensor) {
  const auto owner = std::make_shared<at::Tensor>(plain_tensor(tensor));
  ir::Tensor out = geometry(*owner);
  out.bytes = {static_cast<const std::byte*>(owner->const_data_ptr()), span_bytes(*owner)};
  out.owner = owner;
  return out;
}

ir::Tensor copy(const at::Tensor& tensor) {
  return share(plain_tensor(tensor).clone(at::MemoryFormat::Contiguous));
}

ir::Tensor original(const at::Tensor& tensor,
                    const std::shared_ptr<const model_file::Mapping>& mapping,
                    bool pages_may_differ) {
  const at::Tensor dense = plain_tensor(tensor);
  const std::byte* bytes = mapping ? mapping->original_of(dense.const_data_ptr()) : nullptr;
  if (bytes == nullptr) return copy(tensor);
  if (pages_may_differ && std::memcmp(bytes, dense.const_data_ptr(), span_bytes(dense)) != 0)
    return copy(tensor);
  ir::Tensor out = geometry(dense);
  out.bytes = {bytes, span_bytes(dense)};
  out.owner = mapping;
  return out;
}

at::Tensor to_torch(const ir::Tensor& tensor) {
  const auto options = at::TensorOptions().dtype(to_torch(tensor.dtype));
  if (tensor.elements() == 0) return at::empty(tensor.shape, options);
  T2N_ASSERT(!tensor.bytes.empty(), "the values of a tensor are not loaded");
  return at::from_blob(
      const_cast<std::byte*>(tensor.bytes.data()), tensor.shape, tensor.strides,
      [owner = tensor.owner](void*) mutable { owner.reset(); }, options);
}

at::Tensor to_torch_copy(const ir::Tensor& tensor) {
  if (tensor.bytes.empty())
    return at::zeros(tensor.shape, at::TensorOptions().dtype(to_torch(tensor.dtype)));
  return to_torch(tensor).clone(at::MemoryFormat::Contiguous);
}

}  // namespace t2n::trace
