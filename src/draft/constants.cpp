// SPDX-License-Identifier: Apache-2.0
// Constants: literals if a number is exact as one, else variables, written on first use.
#include <utility>

#include "src/diag/error.h"
#include "src/draft/draft.h"

namespace t2n::draft {
namespace {

/// Equal keys share a blob: the content if a translation made it, else its address.
std::string blob_key(const TensorEntry& entry) {
  std::string key = type_str(entry.dtype, entry.shape);
  if (entry.is_generated && stored_bytes(entry) <= kLargeBytes) {
    const ir::Tensor rows = ir::contiguous(joined(entry));
    const size_t size = rows.elements() * ir::dtype_size(rows.dtype);
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

/// The entry without its broadcast axes; empty if it has none.
std::optional<TensorEntry> compact(const TensorEntry& entry) {
  if (entry.parts.size() != 1) return {};
  ir::Tensor base = without_broadcast_axes(entry.parts[0]);
  if (base.shape == entry.parts[0].shape) return {};
  if (base.elements() == 1) base.shape = base.strides = {};
  TensorEntry out = entry;
  out.shape = ir::to_shape(base.shape);
  out.parts = {std::move(base)};
  return out;
}

/// Whether many integers of 8 bits would take more bytes in the file.
bool widens_bytes(const TensorEntry& entry, DType dtype) {
  constexpr int64_t kFewest = 1024;
  return ir::dtype_size(entry.dtype) == 1 && entry.dtype != DType::boolean &&
         ir::dtype_size(dtype) > 1 && stored_bytes(entry) >= kFewest;
}

}  // namespace

std::optional<nnef::Value> Draft::literal(Ref ref) const {
  const auto value = single_value(at(ref));
  if (!value) return {};
  return notation.literal(*value);
}

Ref Draft::identifier(Ref ref) {
  if (!is_constant(ref)) return ref;
  notation.check_stored(at(ref));
  if (at(ref).variable < 0) {
    auto base = compact(at(ref));
    const Ref variable =
        base ? notation.write_broadcast(*this, ref, *std::move(base)) : write_variable(ref);
    at(ref).variable = variable.id;
  }
  return Ref{at(ref).variable};
}

Ref Draft::write_variable(Ref ref) {
  const TensorEntry& entry = at(ref);
  const auto [found, is_new] = written_.try_emplace(blob_key(entry), -1);
  if (!is_new) return Ref{found->second};
  if (written_outside) {  // only the file's graph has variables
    found->second = written_outside(entry).id;
    return Ref{found->second};
  }
  const bool is_single = !notation.has_widths && ir::is_float(entry.dtype);
  const std::optional<DType> codes = notation.has_codes ? codes_of(entry) : std::nullopt;
  const Ref out =
      append_variable(entry, entry.shape,
                      {.dtype = codes       ? *codes
                                : is_single ? DType::f32
                                            : entry.dtype,
                       .axis = entry.axis,
                       .bit_packed = !notation.has_widths && entry.dtype == DType::boolean,
                       .quantised = codes.has_value()},
                      entry.dtype);
  if (codes) codes_.emplace_back(out, *codes);
  found->second = out.id;
  return out;
}

Ref Draft::write_blocks(Ref packed, DType dtype, const Shape& shape) {
  const auto [found, is_new] =
      written_.try_emplace(cat(blob_key(at(packed)), "|q4_0 ", type_str(dtype, shape)), -1);
  if (!is_new) return Ref{found->second};
  const Ref out = append_variable(at(packed), shape, {.dtype = dtype, .q4_0 = true}, dtype);
  at(out).is_q4_0 = true;
  found->second = out.id;
  return out;
}

/// A variable of `dtype` whose file is `blob` with the values of `entry`.
Ref Draft::append_variable(const TensorEntry& entry, const Shape& shape, nnef::Blob blob,
                           DType dtype) {
  blob.label = labels_.claim(nnef::label_for(entry.name));
  blob.shape = ir::static_shape(shape);
  blob.parts = entry.parts;
  notes.constants[blob.label] = {entry.name, entry.uses, entry.is_generated};
  const Ref out = add({.dtype = dtype, .shape = shape, .name = blob.label, .is_claimed = true});
  append({out}, "variable",
         {{"label", nnef::string(blob.label)}, {"shape", Attribute("shape", shape).value}},
         generic_type(dtype));
  document.blobs.push_back(std::move(blob));
  return out;
}

std::optional<Ref> Draft::stored_cast(Ref ref, DType dtype) {
  if (!is_constant(ref)) return {};
  if (!notation.has_codes && widens_bytes(at(ref), dtype)) return {};
  const std::string key = cat(blob_key(at(ref)), "|", ir::dtype_name(dtype));
  if (const auto known = casts_.find(key); known != casts_.end()) return Ref{known->second};
  TensorEntry other = at(ref);
  other.dtype = dtype;
  other.variable = -1;
  const auto added = [&] { return Ref{casts_[key] = add(std::move(other)).id}; };
  if (codes_of(other)) {  // compressed weights stay compressed
    if (!notation.has_codes) return {};
    return added();
  }
  if (stored_bytes(at(ref)) <= kLargeBytes && is_loaded(at(ref))) {
    auto values = converted(joined(at(ref)), dtype);
    if (!values) return {};
    other.parts = {*std::move(values)};
    other.axis = 0;
    return added();
  }
  if (!may_cast_later(at(ref), dtype) || !may_change_storage(at(ref))) return {};
  return added();
}

Ref Draft::add_constant(ir::Tensor values, std::string name, int uses, bool is_generated) {
  TensorEntry entry{.kind = TensorEntry::Kind::constant,
                    .dtype = values.dtype,
                    .shape = ir::to_shape(values.shape),
                    .name = std::move(name),
                    .uses = uses,
                    .is_generated = is_generated};
  entry.parts.push_back(std::move(values));
  return add(std::move(entry));
}

}  // namespace t2n::draft
