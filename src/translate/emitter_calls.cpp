// Statements: calls with operands and attributes, and the alignment of operands that broadcast.
#include <algorithm>
#include <utility>

#include "src/diag/error.h"
#include "src/translate/broadcast_axes.h"
#include "src/translate/emitter.h"
#include "src/translate/emitter_state.h"
#include "src/translate/factors.h"
#include "src/translate/named_sizes.h"
#include "src/translate/packed.h"
#include "src/translate/unbacked_sizes.h"
#include "src/translate/uniform.h"

namespace t2n::ops {
namespace {

void add_attributes(std::vector<nnef::Argument>& arguments, const Attributes& attributes) {
  for (const Attribute& attribute : attributes)
    arguments.push_back({std::string(attribute.name), attribute.value});
}

/// If dtypes differ, tract silently casts one operand, or fails; `select` never casts.
constexpr std::string_view kSameDtype[] = {"add", "sub", "mul", "div", "pow", "min", "max", "lt",
                                           "gt",  "le",  "ge",  "eq",  "ne",  "and", "or"};

void check_operand_dtypes(std::string_view op, const Emitter& out,
                          const std::vector<Ref>& operands) {
  size_t first = 0;
  if (op == "select")
    first = 1;
  else if (std::find(std::begin(kSameDtype), std::end(kSameDtype), op) == std::end(kSameDtype))
    return;
  for (size_t i = first + 1; i < operands.size(); ++i)
    T2N_ASSERT(out.dtype(operands[i]) == out.dtype(operands[first]), op, ": operands of ",
               ir::dtype_name(out.dtype(operands[first])), " and ",
               ir::dtype_name(out.dtype(operands[i])));
}

Dim broadcast_dim(const Emitter::State& state, const Dim& a, const Dim& b) {
  if (a == b || b == Dim(1)) return a;
  if (a == Dim(1)) return b;
  if (!state.agrees(a, b) && (ir::is_unbacked(a) || ir::is_unbacked(b)))
    throw Error("unsupported-argument",
                cat("operands of sizes ", ir::as_written(a).str(), " and ", ir::as_written(b).str(),
                    " are broadcast"),
                "whether one of them is 1 depends on the values of a tensor",
                "expand the operand of size 1 explicitly, or give both the same size");
  T2N_ASSERT(state.agrees(a, b), "sizes ", a.str(), " and ", b.str(), " do not broadcast");
  return a.is_constant() ? a : b;
}

/// Numpy's rule: aligned at the last axis.
Shape broadcast_shape(const Emitter::State& state, const Shape& a, const Shape& b) {
  Shape out(std::max(a.size(), b.size()), Dim(1));
  for (size_t i = 0; i < out.size(); ++i) {
    const Dim from_a = i < a.size() ? a[a.size() - 1 - i] : Dim(1);
    const Dim from_b = i < b.size() ? b[b.size() - 1 - i] : Dim(1);
    out[out.size() - 1 - i] = broadcast_dim(state, from_a, from_b);
  }
  return out;
}

}  // namespace

Shape Emitter::broadcast(const Shape& a, const Shape& b) const {
  return broadcast_shape(*state_, a, b);
}

Ref Emitter::call(std::string_view op, const std::vector<Ref>& operands,
                  const Attributes& attributes, DType dtype, const Shape& shape) {
  return calls(op, operands, attributes, {{dtype, shape}})[0];
}

std::vector<Ref> Emitter::calls(std::string_view op, const std::vector<Ref>& inputs,
                                const Attributes& attributes,
                                const std::vector<TensorType>& results) {
  T2N_ASSERT(!op.starts_with("t2n_") || find_fragment(op) != nullptr, "no fragment is called '", op,
             "'");
  check_packed(*this, op, inputs, attributes);
  const std::vector<Ref> operands = broadcast_barriers(
      *this, op, uniform_barriers(*this, op, with_dependencies(*this, inputs, attributes)),
      attributes);
  std::vector<nnef::Argument> arguments;
  for (const Ref ref : operands) arguments.push_back({"", state_->operand(ref)});
  add_attributes(arguments, attributes);
  const std::vector<Ref> outputs = state_->append_call(op, std::move(arguments), results);
  for (const Ref ref : outputs) {
    state_->at(ref).from_sizes = state_->are_sizes(operands);
    note_uniform(*state_, op, operands, ref);
    note_broadcast_axes(*state_, op, operands, attributes, ref);
    note_scaled(*this, op, operands, ref);
  }
  return outputs;
}

Ref Emitter::call_list(std::string_view op, const std::vector<Ref>& inputs,
                       const Attributes& attributes, DType dtype, const Shape& shape) {
  check_packed(*this, op, inputs, attributes);
  const std::vector<Ref> list =
      broadcast_barriers(*this, op, uniform_barriers(*this, op, inputs), attributes);
  nnef::Values items;
  for (const Ref ref : list) items.push_back(state_->operand(ref));
  std::vector<nnef::Argument> arguments = {{"", nnef::array(std::move(items))}};
  add_attributes(arguments, attributes);
  const Ref output = state_->append_call(op, std::move(arguments), {{dtype, shape}})[0];
  note_uniform(*state_, op, list, output);
  note_broadcast_axes(*state_, op, list, attributes, output);
  note_scaled(*this, op, list, output);
  return output;
}

/// An optimisation barrier: a number computed from sizes, in a form that tract 0.23 does not
/// analyse: |n| * sign(n); for integers, whose sign 0.21 lacks, |n| - ||n| - n|. tract treats
/// numbers that it can analyse as sizes, and then takes W / 2W for 0, a tensor times W * 0.000001
/// for 0, and a state of a scan for a multiple of it.
Ref Emitter::State::size_barrier(Ref number) {
  if (const auto known = size_barriers.find(number.id); known != size_barriers.end())
    return Ref{known->second};
  const TensorType type{at(number).dtype, at(number).shape};
  const auto call = [&](std::string_view op, const std::vector<Ref>& operands) {
    std::vector<nnef::Argument> arguments;
    for (const Ref operand : operands) arguments.push_back({"", reference(operand)});
    return append_call(op, std::move(arguments), {type})[0];
  };
  // 0.21 lacks abs of f64.
  const bool is_double = type.dtype == DType::f64;
  const Ref size = is_double ? call("max", {number, call("neg", {number})}) : call("abs", {number});
  const Ref barrier = ir::is_integer(type.dtype)
                          ? call("sub", {size, call("abs", {call("sub", {size, number})})})
                          : call("mul", {size, call("sign", {number})});
  size_barriers[number.id] = barrier.id;
  return barrier;
}

/// In products, tract also derives the range of the other factor from a size, and combines several
/// products into polynomials that grow with each preceding operation.
void Emitter::State::add_size_barriers(std::string_view op, std::vector<Ref>& operands,
                                       const Shape& shape) {
  if (op != "mul" && op != "div") return;
  for (Ref& operand : operands) {
    const TensorEntry& factor = at(operand);
    const bool is_float = ir::is_float(factor.dtype);
    const bool is_integer = factor.dtype == DType::i64 || factor.dtype == DType::i32;
    // Integers computed from sizes alone stay sizes.
    if (factor.from_sizes && factor.shape.empty() && (is_float || (is_integer && !shape.empty())))
      operand = size_barrier(operand);
  }
}

Ref Emitter::elementwise(std::string_view op, const std::vector<Ref>& inputs,
                         std::optional<DType> dtype, const Attributes& attributes) {
  if (const auto index = scaled_twice(*this, op, inputs)) {
    std::vector<Ref> negated = inputs;
    negated[*index] = elementwise("neg", {inputs[*index]});
    return elementwise("neg", {elementwise(op, negated, dtype, attributes)});
  }
  check_packed(*this, op, inputs, attributes);
  check_operand_dtypes(op, *this, inputs);
  std::vector<Ref> operands = inputs;
  Shape shape;
  for (const Ref ref : operands) shape = broadcast_shape(*state_, shape, this->shape(ref));
  const TensorType type{dtype.value_or(this->dtype(operands.at(0))), shape};
  T2N_ASSERT(!op.starts_with("t2n_") || find_fragment(op) != nullptr, "no fragment is called '", op,
             "'");
  if (target::has(state_->target, target::Feature::open_sizes))
    state_->add_size_barriers(op, operands, shape);
  if (is_absorbing(op) && state_->iteration) state_->add_constant_barriers(*this, operands);
  operands = dependent_constants(*this, op, std::move(operands), shape);
  for (Ref& operand : operands) {
    const auto rank = static_cast<std::ptrdiff_t>(this->shape(operand).size());
    operand = with_named_sizes(*this, operand, Shape(shape.end() - rank, shape.end()));
  }
  operands = uniform_barriers(*this, op, operands);
  std::vector<nnef::Argument> arguments = state_->aligned_operands(
      operands, shape,
      [&](const Shape& a, const Shape& b) { return broadcast_shape(*state_, a, b); },
      [&](size_t i, const Ints& axes) { return unsqueeze(operands[i], axes); });
  add_attributes(arguments, attributes);
  const Ref output = state_->append_call(op, std::move(arguments), {type})[0];
  state_->at(output).from_sizes =
      op != "pow" && state_->are_sizes(operands);  // tract does not analyse powers
  note_uniform(*state_, op, operands, output);
  note_elementwise_broadcast_axes(*state_, operands, output);
  note_scaled(*this, op, operands, output);
  return output;
}

}  // namespace t2n::ops
