// The table of rules, and the types that strict NNEF gives to tensors.
#include "ops/strict.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <utility>

#include "ops/arith.h"
#include "ops/emitter_state.h"
#include "src/diag/error.h"

namespace t2n::ops::strict {
namespace {

const std::unordered_map<std::string_view, Rule>& rules() {
  static const auto table = [] {
    std::unordered_map<std::string_view, Rule> out;
    for (const auto& rows :
         {number_rules(), shape_rules(), index_rules(), product_rules(), scan_rules()})
      for (const RuleRow& row : rows)
        T2N_ASSERT(out.emplace(row.op, row.rule).second, row.op, " has two strict rules");
    return out;
  }();
  return table;
}

/// Numbers in, numbers out: what most standard operations do.
std::vector<Ref> of_numbers(const Call& call, Emitter& out) {
  std::vector<Ref> operands;
  for (const Ref x : call.operands) operands.push_back(as_number(out, x));
  std::vector<TensorType> types;
  for (const TensorType& type : call.results) types.push_back({DType::f32, type.shape});
  const Form form{call.is_aligned, call.is_list, {}};
  std::vector<Ref> results = emit_all(out, call.op, operands, call.attributes, types, form);
  for (size_t i = 0; i < results.size(); ++i)
    results[i] = wrapped(out, results[i], call.results[i].dtype);
  return results;
}

}  // namespace

std::string_view type_name(Type type) {
  switch (type) {
    case Type::scalar: return "scalar";
    case Type::integer: return "integer";
    case Type::logical: return "logical";
  }
  T2N_ASSERT(false, "no such type");
}

const nnef::Value* Call::find(std::string_view name) const {
  const auto found = std::find_if(attributes.begin(), attributes.end(),
                                  [&](const Attribute& a) { return a.name == name; });
  return found == attributes.end() ? nullptr : &found->value;
}

const nnef::Value& Call::at(std::string_view name) const {
  const nnef::Value* value = find(name);
  T2N_ASSERT(value != nullptr, op, " has no attribute '", name, "'");
  return *value;
}

Ints Call::ints(std::string_view name) const {
  Ints out;
  for (const nnef::Value& item : at(name).items) out.push_back(item.integer);
  return out;
}

std::vector<std::pair<int64_t, int64_t>> Call::pairs(std::string_view name) const {
  std::vector<std::pair<int64_t, int64_t>> out;
  for (const nnef::Value& pair : at(name).items)
    out.emplace_back(pair.items.at(0).integer, pair.items.at(1).integer);
  return out;
}

std::vector<Ref> lower(const Call& call, Emitter& out) {
  if (const auto rule = rules().find(call.op); rule != rules().end())
    return rule->second(call, out);
  if (const nnef::Fragment* fragment = find_fragment(call.op))
    return inline_fragment(*fragment, call, out);
  if (call.op.starts_with("tract_"))
    refuse(call, out, cat("no operations of standard NNEF say ", call.op));
  return of_numbers(call, out);
}

Type type_of(Emitter& out, Ref x) {
  const TensorEntry& entry = out.state().at(x);
  if (entry.dtype == DType::boolean) return Type::logical;
  return ir::is_integer(entry.dtype) && !entry.is_scalar ? Type::integer : Type::scalar;
}

Ref retyped(Emitter& out, Ref x, DType dtype) {
  Emitter::State& state = out.state();
  TensorEntry entry = state.at(x);
  if (entry.dtype == dtype) return x;
  if (entry.kind == TensorEntry::Kind::constant) {
    entry.dtype = dtype;
    entry.variable = -1;
    return state.add(std::move(entry));
  }
  return state.add({.dtype = dtype,
                    .shape = entry.shape,
                    .name = entry.name,
                    .alias = entry.alias >= 0 ? entry.alias : x.id,
                    .is_scalar = ir::is_integer(dtype) && type_of(out, x) != Type::integer,
                    .text = {},
                    .parts = {}});
}

namespace {

/// Whether all stored integers are in range.
bool is_exact(const TensorEntry& entry, Range range) {
  constexpr int64_t kExact = int64_t{1} << 24;
  for (const ir::Tensor& part : entry.parts) {
    if (!ir::is_integer(part.dtype) || !is_loaded(part)) continue;
    const ir::Tensor rows = ir::contiguous(without_repeats(part));
    for (int64_t i = 0; i < rows.elements(); ++i) {
      const int64_t value = ir::element_i64(rows, i);
      const bool fits = value >= -kExact && value <= kExact;
      const auto exact = static_cast<double>(value);
      const bool is_single = static_cast<double>(static_cast<float>(value)) == exact;
      if (!fits && (range == Range::computable || !is_single)) return false;
    }
  }
  return true;
}

void check_exact(Emitter& out, const TensorEntry& entry, Range range) {
  if (is_exact(entry, range)) return;
  throw Error(
      "unsupported-argument",
      cat("integers beyond 2^24 have no translation for ", target::target_name(out.state().target)),
      "standard NNEF computes with scalars only, which readers hold as f32",
      "export for tract, which has integers of 64 bits");
}

/// Finite numbers of f64 beyond f32 are its furthest ones: a mask of -1e300 is no infinity.
Ref finite(Emitter& out, Ref x) {
  const TensorEntry& entry = out.state().at(x);
  if (entry.dtype != DType::f64 || stored_bytes(entry) > kLargeBytes || !is_loaded(entry)) return x;
  constexpr double kFurthest = std::numeric_limits<float>::max();
  const ir::Tensor stored = joined(entry);
  std::vector<double> values = ir::to_f64(stored);
  const auto is_wide = [](double v) { return std::isfinite(v) && std::abs(v) > kFurthest; };
  if (std::none_of(values.begin(), values.end(), is_wide)) return x;
  for (double& each : values)
    if (is_wide(each)) each = std::copysign(kFurthest, each);
  return out.constant(ir::tensor_of<double>(DType::f32, stored.shape, values), entry.name);
}

}  // namespace

Ref as_number(Emitter& out, Ref x, Range range) {
  const TensorEntry& entry = out.state().at(x);
  if (entry.kind == TensorEntry::Kind::constant) {
    check_exact(out, entry, range);
    return retyped(out, finite(out, x), DType::f32);
  }
  if (type_of(out, x) == Type::scalar) return retyped(out, x, DType::f32);
  return emit(out, "cast", {x}, {}, {DType::f32, entry.shape}, {.generic = "scalar"});
}

Ref as_integer(Emitter& out, Ref x) {
  if (type_of(out, x) == Type::integer) return x;
  const DType dtype = ir::is_integer(out.dtype(x)) ? out.dtype(x) : DType::i64;
  if (out.state().at(x).kind == TensorEntry::Kind::constant) return out.cast(x, dtype);
  const Ref number = as_number(out, x);
  return emit(out, "cast", {number}, {}, {dtype, out.shape(x)}, {.generic = "integer"});
}

Ref wrapped(Emitter& out, Ref x, DType dtype) {
  if (!ir::is_integer(dtype) || ir::dtype_size(dtype) > 2) return retyped(out, x, dtype);
  const double range = std::exp2(8.0 * static_cast<double>(ir::dtype_size(dtype)));
  const bool is_signed = dtype == DType::i8 || dtype == DType::i16;
  const Ref low = out.scalar(is_signed ? range / 2 : 0.0, DType::f32);
  const Ref turns =
      out.elementwise("floor", {div(out, add(out, x, low), out.scalar(range, DType::f32))});
  return retyped(out, sub(out, x, mul(out, turns, out.scalar(range, DType::f32))), dtype);
}

Ref truncated(Emitter& out, Ref x) {
  const Ref size = out.elementwise("floor", {out.elementwise("abs", {x})});
  return mul(out, out.elementwise("sign", {x}), size);
}

std::vector<Ref> emit_all(Emitter& out, std::string_view op, const std::vector<Ref>& operands,
                          const Attributes& attributes, const std::vector<TensorType>& types,
                          const Form& form) {
  Emitter::State& state = out.state();
  std::vector<nnef::Argument> arguments =
      form.is_aligned ? state.aligned_operands(out, operands) : std::vector<nnef::Argument>{};
  if (!form.is_aligned)
    for (const Ref x : operands) arguments.push_back({"", state.operand(x)});
  if (form.is_list) {
    nnef::Values items;
    for (nnef::Argument& argument : arguments) items.push_back(std::move(argument.value));
    arguments = {{"", nnef::array(std::move(items))}};
  }
  for (const Attribute& attribute : attributes)
    arguments.push_back({std::string(attribute.name), attribute.value});
  return state.append_call(op, std::move(arguments), types, std::string(form.generic));
}

Ref emit(Emitter& out, std::string_view op, const std::vector<Ref>& operands,
         const Attributes& attributes, const TensorType& type, const Form& form) {
  return emit_all(out, op, operands, attributes, {type}, form)[0];
}

void refuse(const Call& call, Emitter& out, std::string_view why, std::string_view help) {
  const ir::Node* node = out.state().node;
  throw Error("unsupported-argument",
              cat(node == nullptr ? call.op : ir::op_name(node->op), " has no translation for ",
                  target::target_name(out.state().target)),
              std::string(why), help.empty() ? "export for tract" : std::string(help));
}

}  // namespace t2n::ops::strict
