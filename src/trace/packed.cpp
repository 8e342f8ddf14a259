#include "src/trace/packed.h"

#include <ATen/native/quantized/PackedParams.h>
#include <ATen/native/quantized/cpu/EmbeddingPackedParams.h>
#include <torch/custom_class.h>

#include "src/diag/error.h"

namespace t2n::trace {
namespace {

constexpr const char* kClasses = "__torch__.torch.classes.";

std::string class_of(const c10::IValue& value) {
  const auto name = value.isObject() ? value.toObjectRef().type()->name() : std::nullopt;
  return name ? name->qualifiedName() : "";
}

c10::IValue or_none(const std::optional<at::Tensor>& tensor) {
  return tensor && tensor->defined() ? c10::IValue(*tensor) : c10::IValue();
}

template <int kAxes>
std::vector<PackedPart> conv_parts(const c10::IValue& packed) {
  const auto held = packed.toCustomClass<ConvPackedParamsBase<kAxes>>();
  const auto [weight, bias] = held->unpack();
  return {{"weight", weight},
          {"bias", or_none(bias)},
          {"stride", held->stride()},
          {"padding", held->padding()},
          {"dilation", held->dilation()},
          {"transposed", held->transpose()},
          {"output_padding", held->output_padding()},
          {"groups", held->groups()}};
}

std::vector<PackedPart> linear_parts(const c10::IValue& packed) {
  const auto [weight, bias] = packed.toCustomClass<LinearPackedParamsBase>()->unpack();
  return {{"weight", weight}, {"bias", or_none(bias)}};
}

/// Two to a byte, the first in the low half.
at::Tensor nibbles(const at::Tensor& packed) {
  const at::Tensor out = at::empty(packed.sizes(), at::kByte);
  const auto* from = static_cast<const uint8_t*>(packed.const_data_ptr());
  auto* to = out.mutable_data_ptr<uint8_t>();
  const int64_t width = packed.size(1);
  for (int64_t row = 0; row < packed.size(0); ++row)
    for (int64_t i = 0; i < width; ++i) {
      const uint8_t both = from[row * ((width + 1) / 2) + i / 2];
      to[row * width + i] = i % 2 == 0 ? both & 15 : both >> 4;
    }
  return out;
}

/// A row's integers times its scale, plus its least element, are reals.
std::vector<PackedPart> embedding_parts(const c10::IValue& packed) {
  const at::Tensor table = packed.toCustomClass<EmbeddingPackedParamsBase>()->unpack();
  const at::Tensor scales = table.q_per_channel_scales().to(at::kFloat);
  const at::Tensor points = table.q_per_channel_zero_points().to(at::kFloat);
  const bool is_byte = table.scalar_type() == at::kQUInt8;
  if (!is_byte && table.scalar_type() != at::kQUInt4x2)
    throw Error("unsupported-dtype",
                cat("a table of ", at::toString(table.scalar_type()), " cannot be exported"));
  return {{"weight", is_byte ? table.int_repr() : nibbles(table.contiguous())},
          {"scales", scales},
          {"least", points.mul(scales).neg()}};
}

std::vector<PackedPart> parts_of(const c10::IValue& packed, const std::string& name) {
  if (name == "quantized.Conv2dPackedParamsBase") return conv_parts<2>(packed);
  if (name == "quantized.Conv3dPackedParamsBase") return conv_parts<3>(packed);
  if (name == "quantized.LinearPackedParamsBase") return linear_parts(packed);
  if (name == "quantized.EmbeddingPackedParamsBase") return embedding_parts(packed);
  throw Error("unsupported-argument", cat("parameters packed as ", name, " cannot be exported"));
}

}  // namespace

bool PackedParameters::is_packed(const c10::IValue& value) {
  const std::string name = class_of(value);
  return name.starts_with(kClasses) && name.ends_with("ParamsBase");
}

const std::vector<PackedPart>& PackedParameters::parts(const c10::IValue& packed) {
  const auto [at, is_new] = opened_.try_emplace(packed.internalToPointer());
  std::vector<PackedPart>& parts = at->second.parts;
  if (!is_new) return parts;
  at->second.packed = packed;
  parts = parts_of(packed, class_of(packed).substr(std::string_view(kClasses).size()));
  for (const PackedPart& part : parts)
    if (part.value.isTensor())
      tensors_[part.value.toTensor().unsafeGetTensorImpl()] = {packed, part.name};
  return parts;
}

std::string PackedParameters::tensor_path(const at::Tensor& tensor,
                                          const ModuleNames& names) const {
  const auto found = tensors_.find(tensor.unsafeGetTensorImpl());
  if (found == tensors_.end()) return "";
  const std::string module = names.packed_path(found->second.first.toObjectRef());
  return module.empty() ? "" : module + "." + found->second.second;
}

}  // namespace t2n::trace
