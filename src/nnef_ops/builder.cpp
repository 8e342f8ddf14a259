// SPDX-License-Identifier: Apache-2.0
#include "src/nnef_ops/builder.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "src/diag/error.h"
#include "src/nnef_ops/arith.h"
#include "src/nnef_ops/strict_call.h"
#include "src/target/limits.h"

namespace t2n::nnef_ops {
namespace {

bool has_no_elements(const Shape& shape) {
  return std::find(shape.begin(), shape.end(), Dim(0)) != shape.end();
}

/// NNEF types have no width, and infinities no literal.
std::optional<nnef::Value> literal(const ir::Tensor& number) {
  if (number.dtype == DType::boolean) return nnef::logical(ir::element_i64(number, 0) != 0);
  if (ir::is_integer(number.dtype)) {
    const int64_t value = ir::element_i64(number, 0);
    if (value != static_cast<int32_t>(value)) return {};
    return nnef::integer(value);
  }
  const double value = ir::element_f64(number, 0);
  if (!std::isfinite(static_cast<float>(value))) return {};
  return nnef::scalar(static_cast<float>(value));
}

/// A `constant` of one number, or a `tile` of the stored tensor.
draft::Ref write_broadcast(draft::Draft& draft, draft::Ref ref, draft::TensorEntry base) {
  const draft::TensorEntry entry = draft.at(ref);
  const nnef::Argument shape{"shape", Attribute("shape", entry.shape).value};
  const auto single = draft::single_value(base);
  if (auto number = single ? literal(*single) : std::nullopt)
    return draft.append_call("constant", {shape, {"value", nnef::array({*std::move(number)})}},
                             {{entry.dtype, entry.shape}},
                             std::string(type_name(type_of({ref, entry.dtype}))))[0];
  base.shape.resize(entry.shape.size(), Dim(1));
  ir::Tensor& values = base.parts[0];
  values.shape.resize(entry.shape.size(), 1);
  values.strides.resize(entry.shape.size(), 0);
  Ints repeats;
  for (size_t i = 0; i < values.shape.size(); ++i)
    repeats.push_back(entry.shape[i].value() / values.shape[i]);
  const nnef::Value stored = draft.reference(draft.write_variable(draft.add(std::move(base))));
  return draft.append_call("tile", {{"", stored}, {"repeats", Attribute("repeats", repeats).value}},
                           {{entry.dtype, entry.shape}})[0];
}

void check_stored(const draft::TensorEntry& entry, const std::string& target) {
  constexpr size_t kMostAxes = 8;
  if (has_no_elements(entry.shape))
    throw Error(target::untranslated(
        "unsupported-argument",
        cat("a tensor without elements, ", draft::type_str(entry.dtype, entry.shape), ","), target,
        "the sizes of NNEF's tensors are 1 or more"));
  if (entry.shape.size() > kMostAxes)
    throw Error(target::untranslated("unsupported-argument",
                                     cat("a stored tensor of ", entry.shape.size(), " axes"),
                                     target, "the format stores up to 8"));
}

draft::Notation notation(const std::string& target) {
  return {
      .literal = literal,
      .write_broadcast = write_broadcast,
      .check_stored = [target](const draft::TensorEntry& entry) { check_stored(entry, target); },
      .has_widths = false,
      .has_codes = true};
}

Dim joined_size(const Dim& a, const Dim& b) {
  T2N_ASSERT(a == b || a == Dim(1) || b == Dim(1), "sizes ", a.str(), " and ", b.str(),
             " do not broadcast");
  return a == Dim(1) ? b : a;
}

/// Numpy's rule: aligned at the last axis.
Shape joined_shape(const Shape& a, const Shape& b) {
  Shape out = a.size() < b.size() ? b : a;
  const Shape& other = a.size() < b.size() ? a : b;
  const size_t added = out.size() - other.size();
  for (size_t i = 0; i < other.size(); ++i) out[added + i] = joined_size(out[added + i], other[i]);
  return out;
}

}  // namespace

std::string_view type_name(NumberType type) {
  switch (type) {
    case NumberType::scalar: return "scalar";
    case NumberType::integer: return "integer";
    case NumberType::logical: return "logical";
  }
  T2N_ASSERT(false, "no such type");
}

NumberType type_of(Ref x) {
  if (x.dtype == DType::boolean) return NumberType::logical;
  return ir::is_integer(x.dtype) && !x.is_scalar ? NumberType::integer : NumberType::scalar;
}

Builder::Builder(const nnef::Document& source, const draft::Notes& notes,
                 const target::Target& target)
    : draft_(notation(target::target_name(target))),
      notes_(notes),
      target_name_(target::target_name(target)),
      fragments_(source) {
  draft_.notes.locations = notes.locations;
}

std::optional<ir::Tensor> Builder::constant_value(Ref x) const {
  const draft::TensorEntry& entry = draft_.at(x.tensor);
  if (!is_constant(x) || !draft::is_loaded(entry)) return {};
  return draft::joined(entry);
}

Ref Builder::constant(ir::Tensor values, std::string_view name) {
  const DType dtype = values.dtype;
  return {draft_.add_constant(std::move(values), std::string(name), 1, true), dtype};
}

Ref Builder::scalar(double value, DType dtype) {
  return constant(ir::scalar_tensor(value, dtype), "const");
}

Ref Builder::empty(DType dtype, const Shape& shape) {
  return constant(ir::allocate(dtype, ir::static_shape(shape)).tensor, "empty");
}

Ref Builder::reshape(Ref x, const Shape& shape) {
  const Shape before = this->shape(x);
  if (before == shape) return x;
  if (has_no_elements(shape)) return empty(x.dtype, shape);
  if (const auto stored = draft_.stored_in_shape(x.tensor, shape)) return with(*stored, x);
  if (shape.empty()) return squeeze(x, all_axes(static_cast<int>(before.size())));
  if (before.empty()) return unsqueeze(x, all_axes(static_cast<int>(shape.size())));
  return call("reshape", {x}, {{"shape", shape}}, x.dtype, shape);
}

Ref Builder::unsqueeze(Ref x, const Ints& axes) {
  if (axes.empty()) return x;
  Shape shape = this->shape(x);
  for (const int64_t axis : axes) shape.insert(shape.begin() + axis, Dim(1));
  if (const auto stored = draft_.stored_in_shape(x.tensor, shape)) return with(*stored, x);
  return call("unsqueeze", {x}, {{"axes", axes}}, x.dtype, shape);
}

Ref Builder::squeeze(Ref x, const Ints& axes) {
  if (axes.empty()) return x;
  Ints kept;
  Shape shape;
  for (int64_t axis = 0; axis < rank(x); ++axis)
    if (std::find(axes.begin(), axes.end(), axis) == axes.end()) {
      kept.push_back(axis);
      shape.push_back(this->shape(x)[axis]);
    }
  if (const auto stored = draft_.stored_with_axes(x.tensor, kept)) return with(*stored, x);
  return call("squeeze", {x}, {{"axes", axes}}, x.dtype, shape);
}

Ref Builder::transpose(Ref x, const Ints& permutation) {
  if (std::is_sorted(permutation.begin(), permutation.end())) return x;
  if (const auto stored = draft_.stored_with_axes(x.tensor, permutation)) return with(*stored, x);
  Shape shape;
  for (const int64_t axis : permutation) shape.push_back(this->shape(x)[axis]);
  return call("transpose", {x}, {{"axes", permutation}}, x.dtype, shape);
}

Ref Builder::slice(Ref x, int axis, int64_t begin, int64_t end, int64_t stride) {
  T2N_ASSERT(0 <= begin && begin <= end && end <= extent(*this, x, axis) && stride > 0, "slice ",
             begin, ":", end, ":", stride, " of ", extent(*this, x, axis));
  if (begin == 0 && end == extent(*this, x, axis) && stride == 1) return x;
  const int64_t count = (end - begin + stride - 1) / stride;
  const Shape shape = with_size(this->shape(x), axis, count);
  if (has_no_elements(shape)) return empty(x.dtype, shape);
  if (const auto stored = draft_.stored_slice(x.tensor, axis, begin, count, stride))
    return with(*stored, x);
  if (stride == 1)
    return call("slice", {x}, {{"axes", Ints{axis}}, {"begin", Ints{begin}}, {"end", Ints{end}}},
                x.dtype, shape);
  std::vector<int64_t> entries;
  for (int64_t i = 0; i < count; ++i) entries.push_back(begin + i * stride);
  const Ref indices = int_constant(*this, entries, {count}, "steps");
  return call("tract_core_gather", {x, indices}, {{"axis", axis}}, x.dtype, shape);
}

Ref Builder::concat(const Refs& parts, int axis) {
  Refs filled;
  std::vector<draft::Ref> tensors;
  Shape shape = with_size(this->shape(parts.at(0)), axis, 0);
  Dim& size = shape[axis];
  for (const Ref part : parts) {
    size = size + this->shape(part)[axis];
    if (has_no_elements(this->shape(part))) continue;
    filled.push_back(part);
    tensors.push_back(part.tensor);
  }
  if (filled.empty()) return empty(parts[0].dtype, shape);
  if (filled.size() == 1) return filled[0];
  if (const auto stored = draft_.stored_joined(tensors, axis, shape))
    return with(*stored, filled[0]);
  const std::vector<TensorType> types = {{parts[0].dtype, shape}};
  const Attributes attributes = {{"axis", axis}};
  return lower({"concat", filled, attributes, types, {.is_list = true}, {}}, *this)[0];
}

Ref Builder::broadcast_to(Ref x, const Shape& shape) {
  if (this->shape(x) == shape) return x;
  if (has_no_elements(shape)) return empty(x.dtype, shape);
  if (const auto stored = draft_.stored_repeated(x.tensor, shape)) return with(*stored, x);
  return call("tract_core_broadcast", {x}, {{"shape", shape}}, x.dtype, shape);
}

Ref Builder::pad(Ref x, const spec::Pairs& padding, double value) {
  const auto is_none = [](const auto& pair) { return pair.first == 0 && pair.second == 0; };
  if (std::all_of(padding.begin(), padding.end(), is_none)) return x;
  Shape shape = this->shape(x);
  for (size_t i = 0; i < shape.size(); ++i)
    shape[i] = shape[i] + Dim(padding[i].first + padding[i].second);
  return call("pad", {x}, {{"padding", padding}, {"border", "constant"}, {"value", value}}, x.dtype,
              shape);
}

Ref Builder::cast(Ref x, DType dtype) {
  if (x.dtype == dtype) return x;
  if (const auto stored = draft_.stored_cast(x.tensor, dtype)) return {*stored, dtype};
  return call("tract_core_cast", {x}, {{"to", std::string(ir::dtype_name(dtype))}}, dtype,
              shape(x));
}

Ref Builder::call(std::string_view op, const Refs& operands, const Attributes& attributes,
                  DType dtype, const Shape& shape) {
  const std::vector<TensorType> types = {{dtype, shape}};
  return lower({op, operands, attributes, types, {}, {}}, *this)[0];
}

Ref Builder::elementwise(std::string_view op, const Refs& operands, std::optional<DType> dtype) {
  Shape shape;
  for (const Ref x : operands) shape = joined_shape(shape, this->shape(x));
  const std::vector<TensorType> types = {{dtype.value_or(operands.at(0).dtype), shape}};
  return lower({op, operands, {}, types, kAligned, {}}, *this)[0];
}

Refs Builder::emit_all(std::string_view op, const Refs& operands, const Attributes& attributes,
                       const std::vector<TensorType>& types, const Form& form) {
  std::vector<nnef::Argument> arguments;
  if (form.is_aligned) {
    arguments = aligned(operands);
  } else {
    for (const Ref x : operands) arguments.push_back({"", draft_.operand(x.tensor)});
  }
  if (form.is_list) {
    nnef::Values items;
    for (nnef::Argument& argument : arguments) items.push_back(std::move(argument.value));
    arguments = {{"", nnef::array(std::move(items))}};
  }
  for (const Attribute& attribute : attributes)
    arguments.push_back({std::string(attribute.name), attribute.value});
  Refs results;
  const std::vector<draft::Ref> tensors =
      draft_.append_call(op, std::move(arguments), types, std::string(form.generic));
  for (size_t i = 0; i < tensors.size(); ++i) results.push_back({tensors[i], types[i].dtype});
  return results;
}

std::vector<nnef::Argument> Builder::aligned(const Refs& operands) {
  std::vector<draft::Ref> tensors;
  Shape shape;
  for (const Ref x : operands) {
    tensors.push_back(x.tensor);
    shape = joined_shape(shape, this->shape(x));
  }
  return draft_.aligned_operands(tensors, shape, joined_shape, [&](size_t i, const Ints& axes) {
    return unsqueeze(operands[i], axes).tensor;
  });
}

Ref Builder::tensor(const nnef::Value& value) {
  switch (value.kind) {
    case nnef::Kind::identifier: {
      if (const auto known = tensors_.find(value.text); known != tensors_.end())
        return known->second;
      const draft::Notes::Tensor& note = notes_.tensors.at(value.text);  // of a failed operation
      const draft::Ref placeholder =
          draft_.add({.dtype = note.dtype, .shape = note.shape, .name = note.name});
      return tensors_[value.text] = {placeholder, note.dtype};
    }
    case nnef::Kind::scalar: return scalar(value.number, DType::f32);
    case nnef::Kind::integer:
      return constant(ir::scalar_tensor(value.integer, DType::i64), "const");
    case nnef::Kind::logical:
      return constant(ir::scalar_tensor(int64_t{value.logical}, DType::boolean), "const");
    case nnef::Kind::invocation: {  // tract_core_cast(2, to = 'i64')
      const nnef::Value& number = value.arguments.at(0).value;
      const auto dtype = ir::parse_dtype(value.arguments.at(1).value.text);
      T2N_ASSERT(value.text == "tract_core_cast" && dtype, "an operand calls ", value.text);
      return number.kind == nnef::Kind::integer
                 ? constant(ir::scalar_tensor(number.integer, *dtype), "const")
                 : scalar(number.number, *dtype);
    }
    default: T2N_ASSERT(false, "an operand is no tensor");
  }
}

std::string_view Builder::operator_name() const {
  if (draft_.location < 0) return {};
  return draft_.notes.locations[draft_.location].op;
}

void Builder::begin(int location) {
  if (location == draft_.location) return;
  draft_.location = location;
  first_of_location_ = draft_.entries.size();
}

void Builder::bind(const std::string& name, Ref x) {
  const draft::Notes::Tensor& note = notes_.tensors.at(name);
  tensors_[name] = x;
  if (note.is_positions) positions_.insert(x.tensor.id);
  const bool is_own = static_cast<size_t>(x.tensor.id) >= first_of_location_;
  draft::TensorEntry& entry = draft_.at(x.tensor);
  if (!note.is_claimed || !is_own || is_constant(x) || entry.is_claimed) return;
  entry.name = note.name;
  entry.is_claimed = true;
}

}  // namespace t2n::nnef_ops
