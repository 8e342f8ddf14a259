// SPDX-License-Identifier: Apache-2.0
#include "src/frontend/record/packed_parameters.h"

#include <ATen/native/quantized/PackedParams.h>
#include <ATen/native/quantized/cpu/EmbeddingPackedParams.h>
#include <torch/custom_class.h>

#include <algorithm>

#include "src/diag/error.h"
#include "src/frontend/record/packed_tables.h"

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
  const auto layer = packed.toCustomClass<ConvPackedParamsBase<kAxes>>();
  const auto [weight, bias] = layer->unpack();
  return {{"weight", weight},
          {"bias", or_none(bias)},
          {"stride", layer->stride()},
          {"padding", layer->padding()},
          {"dilation", layer->dilation()},
          {"transposed", layer->transpose()},
          {"output_padding", layer->output_padding()},
          {"groups", layer->groups()}};
}

std::vector<PackedPart> linear_parts(const c10::IValue& packed) {
  const auto [weight, bias] = packed.toCustomClass<LinearPackedParamsBase>()->unpack();
  return {{"weight", weight}, {"bias", or_none(bias)}};
}

/// Unpacks two integers from each byte; the low half is the first.
at::Tensor unpack_nibbles(const at::Tensor& packed) {
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

/// The parts of an embedding table. A row's value is integer times scale plus minimum.
std::vector<PackedPart> embedding_parts(const c10::IValue& packed) {
  const at::Tensor table = packed.toCustomClass<EmbeddingPackedParamsBase>()->unpack();
  const at::Tensor scales = table.q_per_channel_scales().to(at::kFloat);
  const at::Tensor points = table.q_per_channel_zero_points().to(at::kFloat);
  const at::Tensor least = points.mul(scales).neg();
  if (table.scalar_type() == at::kQUInt8)
    return {{"weight", table.int_repr()}, {"scales", scales}, {"least", least}};
  if (table.scalar_type() != at::kQUInt4x2)
    throw Error("unsupported-dtype",
                cat("a table of ", at::toString(table.scalar_type()), " cannot be exported"));
  // LibTorch computes with these numbers in f16.
  const auto rounded = [](const at::Tensor& each) { return each.to(at::kHalf).to(at::kFloat); };
  return {{"weight", unpack_nibbles(table.contiguous())},
          {"scales", rounded(scales)},
          {"least", rounded(least)}};
}

/// The old format stores plain integers and, next to them, their scale.
at::Tensor with_scale(const at::Tensor& integers, double scale, int64_t zero_point) {
  return at::_make_per_tensor_quantized_tensor(integers, scale, zero_point);
}

/// The parameters of a recurrent layer's cell. Their class is private to LibTorch, but their state
/// is accessible: kind, tensors, scales, integers and packed layers.
std::vector<PackedPart> cell_parts(const c10::IValue& packed) {
  torch::jit::Stack stack = {packed};
  packed.toObjectRef().type()->getMethod("__getstate__").run(stack);
  const std::vector<c10::IValue> state = stack.at(0).toTupleRef().elements().vec();
  const std::string kind = state[0].toStringRef();
  const std::vector<at::Tensor> tensors = state[1].toTensorVector();
  const std::vector<int64_t> integers = state[3].toIntVector();
  if (kind == "quantized") {
    const std::vector<double> scales = state[2].toDoubleVector();
    return {{"w_ih", with_scale(tensors.at(0), scales.at(0), integers.at(0))},
            {"w_hh", with_scale(tensors.at(1), scales.at(1), integers.at(1))},
            {"b_ih", tensors.at(2)},
            {"b_hh", tensors.at(3)},
            {"reduce_range", false}};
  }
  const c10::ArrayRef<c10::IValue> layers = state[4].toListRef();
  const auto [w_ih, b_ih] = layers.at(0).toCustomClass<LinearPackedParamsBase>()->unpack();
  const auto [w_hh, b_hh] = layers.at(1).toCustomClass<LinearPackedParamsBase>()->unpack();
  return {{"w_ih", w_ih},
          {"w_hh", w_hh},
          {"b_ih", b_ih.value_or(at::Tensor())},
          {"b_hh", b_hh.value_or(at::Tensor())},
          {"reduce_range", !integers.empty() && integers[0] != 0}};
}

std::vector<PackedPart> parts_of(const c10::IValue& packed, const std::string& name) {
  if (name == "quantized.Conv2dPackedParamsBase") return conv_parts<2>(packed);
  if (name == "quantized.Conv3dPackedParamsBase") return conv_parts<3>(packed);
  if (name == "quantized.LinearPackedParamsBase") return linear_parts(packed);
  if (name == "quantized.EmbeddingPackedParamsBase") return embedding_parts(packed);
  if (name == "rnn.CellParamsBase") return cell_parts(packed);
  throw Error("unsupported-argument", cat("parameters packed as ", name, " cannot be exported"));
}

bool is_packed_object(const c10::IValue& value) {
  const std::string name = class_of(value);
  return name.starts_with(kClasses) && name.ends_with("ParamsBase");
}

/// The list of one part of all rows.
c10::IValue column(const std::vector<const std::vector<PackedPart>*>& rows, size_t part) {
  c10::List<bool> flags;
  c10::List<at::Tensor> tensors;
  for (const std::vector<PackedPart>* row : rows) {
    const c10::IValue& value = row->at(part).value;
    value.isBool() ? flags.push_back(value.toBool()) : tensors.push_back(value.toTensor());
  }
  return flags.empty() ? c10::IValue(tensors) : c10::IValue(flags);
}

}  // namespace

bool PackedParameters::is_packed(const c10::IValue& value) {
  if (!value.isList()) return is_packed_object(value);
  const auto elements = value.toListRef();
  return !elements.empty() && std::all_of(elements.begin(), elements.end(), is_packed_object);
}

const std::vector<PackedPart>& PackedParameters::parts(const c10::IValue& packed) {
  const auto [at, is_new] = unpacked_.try_emplace(packed.internalToPointer());
  std::vector<PackedPart>& parts = at->second.parts;
  if (!is_new) return parts;
  at->second.packed = packed;
  if (packed.isList()) {
    std::vector<const std::vector<PackedPart>*> rows;
    for (const c10::IValue& each : packed.toListRef()) rows.push_back(&this->parts(each));
    for (size_t i = 0; i < rows[0]->size(); ++i)
      parts.push_back({rows[0]->at(i).name, column(rows, i)});
    return parts;
  }
  return remember(packed,
                  parts_of(packed, class_of(packed).substr(std::string_view(kClasses).size())));
}

const std::vector<PackedPart>& PackedParameters::parts(const std::string& op,
                                                       const at::Tensor& packed,
                                                       const torch::jit::Stack& inputs) {
  const c10::IValue key(packed);
  const auto found = unpacked_.find(key.internalToPointer());
  if (found != unpacked_.end()) return found->second.parts;
  return remember(key, parts_of_table(op, inputs));
}

const std::vector<PackedPart>& PackedParameters::entries(const at::Tensor& sparse) {
  const c10::IValue key(sparse);
  const auto found = unpacked_.find(key.internalToPointer());
  if (found != unpacked_.end()) return found->second.parts;
  return remember(key, {{"indices", sparse._indices()}, {"values", sparse._values()}});
}

const std::vector<PackedPart>& PackedParameters::remember(const c10::IValue& packed,
                                                          std::vector<PackedPart> parts) {
  for (const PackedPart& part : parts)
    if (part.value.isTensor() && part.value.toTensor().defined())
      tensors_[part.value.toTensor().unsafeGetTensorImpl()] = {packed, part.name};
  Unpacked& entry = unpacked_[packed.internalToPointer()];
  entry = {packed, std::move(parts)};
  return entry.parts;
}

std::string PackedParameters::tensor_path(const at::Tensor& tensor,
                                          const ModuleNames& names) const {
  const auto found = tensors_.find(tensor.unsafeGetTensorImpl());
  if (found == tensors_.end()) return "";
  const auto& [packed, part] = found->second;
  if (packed.isTensor()) {
    const std::string path = names.tensor_path(packed.toTensor());
    return path.empty() ? "" : path + "." + part;
  }
  const std::string module = names.packed_path(packed.toObjectRef());
  return module.empty() ? "" : module + "." + part;
}

}  // namespace t2n::trace
