// Constants: literals where a number says it exactly, else variables, written when first used.
#include <algorithm>
#include <cmath>
#include <utility>

#include "ops/emitter.h"
#include "ops/emitter_state.h"
#include "src/diag/error.h"

namespace t2n::ops {
namespace {

/// The single value behind all elements; nothing if there may be several.
std::optional<ir::Tensor> single_value(const TensorEntry& entry) {
  if (entry.kind != TensorEntry::Kind::constant || entry.parts.size() != 1) return {};
  const ir::Tensor base = without_repeats(entry.parts[0]);
  if (base.elements() != 1 || !is_loaded(base)) return {};
  return converted(ir::Tensor{base.dtype, {}, {}, base.bytes, base.owner}, entry.dtype);
}

nnef::Value cast_literal(nnef::Value number, DType dtype) {
  return nnef::invocation(
      "tract_core_cast",
      {{"", std::move(number)}, {"to", nnef::string(std::string(ir::dtype_name(dtype)))}});
}

std::optional<nnef::Value> float_literal(double value, DType dtype) {
  // NaN has no literal; tract reads every scalar as f32.
  if (std::isnan(value)) return {};
  if (dtype == DType::f64 && static_cast<double>(static_cast<float>(value)) != value) return {};
  if (dtype == DType::f32) return nnef::scalar(value);
  return cast_literal(nnef::scalar(value), dtype);
}

std::optional<nnef::Value> integer_literal(const ir::Tensor& value) {
  // An integer literal is a TDim in tract: 64 bits, signed.
  const auto wide = converted(value, DType::i64);
  if (!wide) return {};
  return cast_literal(nnef::integer(ir::element_i64(*wide, 0)), value.dtype);
}

/// As strict NNEF reads it: types have no width, and infinities no literal.
std::optional<nnef::Value> strict_literal(const ir::Tensor& value) {
  if (value.dtype == DType::boolean) return nnef::logical(ir::element_i64(value, 0) != 0);
  if (ir::is_integer(value.dtype)) {
    const int64_t number = ir::element_i64(value, 0);
    if (number != static_cast<int32_t>(number)) return {};
    return nnef::integer(number);
  }
  const double number = ir::element_f64(value, 0);
  if (!std::isfinite(static_cast<float>(number))) return {};
  return nnef::scalar(static_cast<float>(number));
}

/// What makes two constants the same blob: content if a translation made it, else its place.
std::string blob_key(const TensorEntry& entry) {
  std::string key = type_str(entry.dtype, entry.shape);
  if (entry.is_made && stored_bytes(entry) <= kLargeBytes) {
    const ir::Tensor rows = ir::contiguous(joined(entry));
    const auto size = static_cast<size_t>(rows.elements() * ir::dtype_size(rows.dtype));
    return key.append(reinterpret_cast<const char*>(rows.bytes.data()), size);
  }
  for (const ir::Tensor& part : entry.parts) {
    key += cat("|", static_cast<const void*>(part.bytes.data()), type_str(part.dtype, {}));
    for (size_t i = 0; i < part.shape.size(); ++i)
      key += cat(",", part.shape[i], ":", part.strides[i]);
  }
  return key;
}

std::string generic_type(DType dtype) {
  if (dtype == DType::boolean) return "logical";
  return ir::is_integer(dtype) ? "integer" : "scalar";
}

/// TensorEntry without its repeated axes, which tract_core_broadcast restores.
std::optional<TensorEntry> compact(const TensorEntry& entry) {
  if (entry.parts.size() != 1) return {};
  ir::Tensor base = without_repeats(entry.parts[0]);
  if (base.shape == entry.parts[0].shape) return {};
  if (base.elements() == 1) base.shape = base.strides = {};
  TensorEntry out = entry;
  out.shape = ir::to_shape(base.shape);
  out.parts = {std::move(base)};
  return out;
}

}  // namespace

std::optional<nnef::Value> Emitter::State::literal(const TensorEntry& entry) const {
  const auto value = single_value(entry);
  if (!value) return {};
  if (is_strict()) return strict_literal(*value);
  if (value->dtype == DType::boolean) return nnef::logical(ir::element_i64(*value, 0) != 0);
  if (ir::is_integer(value->dtype)) return integer_literal(*value);
  return float_literal(ir::element_f64(*value, 0), value->dtype);
}

nnef::Value Emitter::State::operand(Ref ref) {
  if (at(ref).shape.empty())
    if (auto number = literal(at(ref))) return *std::move(number);
  return name_of(identifier(ref));
}

Ref Emitter::State::identifier(Ref ref) {
  if (at(ref).kind == TensorEntry::Kind::identifier) return ref;
  if (is_strict() &&
      std::find(at(ref).shape.begin(), at(ref).shape.end(), Dim(0)) != at(ref).shape.end())
    throw Error("unsupported-argument",
                cat("a tensor without elements, ", type_str(at(ref).dtype, at(ref).shape),
                    ", has no translation for ", target::target_name(target)),
                "the sizes of NNEF's tensors are 1 or more");
  constexpr size_t kMostAxes = 8;
  if (is_strict() && at(ref).shape.size() > kMostAxes)
    throw Error("unsupported-argument",
                cat("a stored tensor of ", at(ref).shape.size(), " axes has no translation for ",
                    target::target_name(target)),
                "the format stores up to 8");
  if (at(ref).variable < 0) {
    auto base = compact(at(ref));
    const int variable = (base ? write_broadcast(ref, *std::move(base)) : write_variable(ref)).id;
    at(ref).variable = variable;
  }
  return Ref{at(ref).variable};
}

Ref Emitter::State::write_broadcast(Ref ref, TensorEntry base) {
  const Shape shape = at(ref).shape;
  if (is_strict()) return write_repeats(ref, std::move(base));
  const nnef::Value small = operand(add(std::move(base)));
  return append_call("tract_core_broadcast",
                     {{"", small}, {"shape", Attribute("shape", shape).value}},
                     {{at(ref).dtype, shape}})[0];
}

/// One number for all elements, or a `tile` of what is stored.
Ref Emitter::State::write_repeats(Ref ref, TensorEntry base) {
  const TensorEntry entry = at(ref);
  const nnef::Argument shape{"shape", Attribute("shape", entry.shape).value};
  if (auto number = literal(base))
    return append_call("constant", {shape, {"value", nnef::array({*std::move(number)})}},
                       {{entry.dtype, entry.shape}}, generic_type(entry.dtype))[0];
  base.shape.resize(entry.shape.size(), Dim(1));
  ir::Tensor& values = base.parts[0];
  values.shape.resize(entry.shape.size(), 1);
  values.strides.resize(entry.shape.size(), 0);
  Ints repeats;
  for (size_t i = 0; i < values.shape.size(); ++i)
    repeats.push_back(entry.shape[i].value() / values.shape[i]);
  const nnef::Value stored = name_of(write_variable(add(std::move(base))));
  return append_call("tile", {{"", stored}, {"repeats", Attribute("repeats", repeats).value}},
                     {{entry.dtype, entry.shape}})[0];
}

Ref Emitter::State::write_variable(Ref ref) {
  const TensorEntry entry = at(ref);
  const auto [found, is_new] = written.try_emplace(blob_key(entry), -1);
  if (!is_new) return Ref{found->second};
  if (outer != nullptr) {  // the file has variables in its graph only
    TensorEntry same = entry;
    same.variable = -1;
    const Ref outside = outer->identifier(outer->add(std::move(same)));
    const Ref inside = add_parameter(entry.name, entry.dtype, entry.shape, false);
    captures.push_back({inside, outside});
    found->second = inside.id;
    return inside;
  }
  const std::string label = labels.claim(nnef::label_for(entry.name));
  const Ref out = add({.dtype = entry.dtype,
                       .shape = entry.shape,
                       .name = label,
                       .is_claimed = true,
                       .text = {},
                       .parts = {}});
  append({out}, "variable",
         {{"label", nnef::string(label)}, {"shape", Attribute("shape", entry.shape).value}},
         generic_type(entry.dtype));
  // Readers of strict NNEF want floats of 32 bits, and booleans of one.
  const bool is_f32 = is_strict() && ir::is_float(entry.dtype);
  document.blobs.push_back({.label = label,
                            .dtype = is_f32 ? DType::f32 : entry.dtype,
                            .shape = ir::static_shape(entry.shape),
                            .parts = entry.parts,
                            .axis = entry.axis,
                            .bit_packed = is_strict() && entry.dtype == DType::boolean});
  found->second = out.id;
  return out;
}

Ref Emitter::State::add_constant(ir::Tensor values, std::string name, int uses, bool is_made) {
  TensorEntry entry{.kind = TensorEntry::Kind::constant,
                    .dtype = values.dtype,
                    .shape = ir::to_shape(values.shape),
                    .name = std::move(name),
                    .text = {},
                    .parts = {},
                    .uses = uses,
                    .is_made = is_made};
  entry.parts.push_back(std::move(values));
  return add(std::move(entry));
}

bool Emitter::State::may_restore(const TensorEntry& entry) const {
  if (entry.kind != TensorEntry::Kind::constant) return false;
  const bool is_small = stored_bytes(entry) <= kLargeBytes;
  if (entry.parts.size() > 1) return is_small && is_loaded(entry);
  return is_small || entry.uses <= 1;
}

Ref Emitter::State::restored(Ref ref, ir::Tensor values) {
  TensorEntry entry = at(ref);
  entry.shape = ir::to_shape(values.shape);
  entry.parts = {std::move(values)};
  entry.axis = 0;
  entry.variable = -1;
  return add(std::move(entry));
}

Ref Emitter::scalar(double value, DType dtype) {
  T2N_ASSERT(ir::is_float(dtype) || value == std::floor(value), value, " is no ",
             ir::dtype_name(dtype));
  return state_->add_constant(ir::scalar_tensor(value, dtype), "const", 1, true);
}

Ref Emitter::scalar(int64_t value, DType dtype) {
  return state_->add_constant(ir::scalar_tensor(value, dtype), "const", 1, true);
}

Ref Emitter::scalar(bool value) { return scalar(static_cast<int64_t>(value), DType::boolean); }

Ref Emitter::constant(ir::Tensor values, std::string_view name) {
  return state_->add_constant(std::move(values), std::string(name), 1, true);
}

Ref Emitter::full(Ref scalar, const Shape& shape) {
  T2N_ASSERT(rank(scalar) == 0, "full wants a rank-0 value, not ",
             ir::shape_str(this->shape(scalar)));
  return broadcast_to(scalar, shape);
}

}  // namespace t2n::ops
