// SPDX-License-Identifier: Apache-2.0
#include "src/frontend/load/slots.h"

#include <ATen/Functions.h>
#include <ATen/SparseTensorImpl.h>
#include <ATen/core/jit_type.h>

#include <algorithm>

#include "src/diag/error.h"
#include "src/frontend/load/elements.h"

namespace t2n::trace {
namespace {

bool all_fit(at::ArrayRef<c10::IValue> values, const c10::TypePtr& type) {
  return std::all_of(values.begin(), values.end(),
                     [&](const c10::IValue& each) { return fits(each, type); });
}

bool tuple_fits(const c10::IValue& value, const c10::TypePtr& type) {
  if (!value.isTuple()) return false;
  const auto& values = value.toTupleRef().elements();
  const auto types = type->containedTypes();
  if (values.size() != types.size()) return false;
  for (size_t i = 0; i < types.size(); ++i)
    if (!fits(values[i], types[i])) return false;
  return true;
}

bool dictionary_fits(const c10::IValue& value, const c10::TypePtr& type) {
  if (!value.isGenericDict()) return false;
  const auto dictionary = value.toGenericDict();
  return std::all_of(dictionary.begin(), dictionary.end(), [&](const auto& entry) {
    return fits(entry.key(), type->containedType(0)) && fits(entry.value(), type->containedType(1));
  });
}

bool is_plain(const at::Tensor& tensor) {
  if (tensor.layout() != at::kStrided || !tensor.has_storage()) return false;
  if (!tensor.is_quantized()) return true;
  const auto scheme = tensor.qscheme();
  if (scheme == at::kPerTensorAffine || scheme == at::kPerTensorSymmetric) return true;
  const int64_t axis = tensor.q_per_channel_axis();
  return axis >= 0 && axis < tensor.dim() &&
         tensor.q_per_channel_scales().numel() == tensor.size(axis) &&
         tensor.q_per_channel_zero_points().numel() == tensor.size(axis);
}

/// Whether a sparse tensor's indices are within its size. They are copied, so that the program
/// cannot write to them through another tensor on the same memory.
bool has_entries(const at::Tensor& tensor) {
  if (!tensor.is_sparse() || !is_plain(tensor._indices()) || !is_plain(tensor._values()))
    return false;
  const at::Tensor indices = tensor._indices().clone(), values = tensor._values();
  try {
    at::_validate_sparse_coo_tensor_args(indices, values, tensor.sizes());
  } catch (const c10::Error&) {
    return false;
  }
  static_cast<at::SparseTensorImpl*>(tensor.unsafeGetTensorImpl())
      ->set_indices_and_values_unsafe(indices, values);
  return true;
}

}  // namespace

/// Recursion is bounded, as the nesting of types is bounded by the checked code.
bool fits(const c10::IValue& value, const c10::TypePtr& type) {
  switch (type->kind()) {
    case c10::TypeKind::AnyType: return true;
    case c10::TypeKind::TensorType: return value.isTensor();
    case c10::TypeKind::IntType: return value.isInt() || value.isSymInt();
    case c10::TypeKind::FloatType: return value.isDouble() || value.isSymFloat();
    case c10::TypeKind::BoolType: return value.isBool() || value.isSymBool();
    case c10::TypeKind::StringType: return value.isString();
    case c10::TypeKind::NoneType: return value.isNone();
    case c10::TypeKind::OptionalType:
      return value.isNone() || fits(value, type->expectRef<c10::OptionalType>().getElementType());
    case c10::TypeKind::UnionType: {
      const auto types = type->containedTypes();
      return std::any_of(types.begin(), types.end(),
                         [&](const c10::TypePtr& each) { return fits(value, each); });
    }
    case c10::TypeKind::ListType:
      return value.isList() && all_fit(value.toListRef(), type->containedType(0));
    case c10::TypeKind::TupleType: return tuple_fits(value, type);
    case c10::TypeKind::DictType: return dictionary_fits(value, type);
    case c10::TypeKind::ClassType:
    case c10::TypeKind::InterfaceType:
      return (value.isObject() || value.isCapsule()) && value.type()->isSubtypeOf(*type);
    default: return value.type()->isSubtypeOf(*type);
  }
}

void check_tensors(const c10::IValue& value) {
  if (value.isTensor()) {
    if (!value.toTensor().defined() || is_plain(value.toTensor())) return;
    if (has_entries(value.toTensor())) return;
    if (value.toTensor().layout() != at::kStrided)
      throw Error("unsupported-dtype", "a tensor of the model is sparse",
                  "only sparse tensors of the layout torch.sparse_coo with indices within their "
                  "size can be read",
                  "make it dense with .to_dense() before saving the model: torch.matmul gives the "
                  "same products");
    throw Error("model-corrupt", "a tensor of the model cannot be read",
                "its layout is unknown, or its scales do not fit its shape",
                "make it dense with .to_dense() before saving the model");
  }
  if (!value.isObject()) for_each_element(value, check_tensors);
}

void check_slots(const c10::ivalue::Object& object) {
  const auto type = object.type();
  for (size_t i = 0; i < type->numAttributes(); ++i) {
    const c10::TypePtr& expected = type->getAttribute(i);
    // A tensor that was never set is None. It is refused where it is used.
    const bool is_unset =
        object.getSlot(i).isNone() && expected->kind() == c10::TypeKind::TensorType;
    if (is_unset || fits(object.getSlot(i), expected)) continue;
    const std::string name = type->name() ? type->name()->name() : type->str();
    throw Error("model-corrupt",
                cat("the attribute ", quoted(type->getAttributeName(i)), " of ", name, " is not ",
                    expected->annotation_str()),
                "the data of the model do not match its code",
                "was it saved or downloaded completely?");
  }
}

}  // namespace t2n::trace
