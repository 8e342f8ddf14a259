// SPDX-License-Identifier: Apache-2.0
// The Emitter's table of tensors: IR values in, named results out.
#include "src/translate/emitter.h"

#include <utility>

#include "src/diag/error.h"
#include "src/target/limits.h"
#include "src/tract_forms/packed.h"
#include "src/translate/barriers.h"
#include "src/translate/emitter_state.h"

namespace t2n::ops {

void check_dtype(DType dtype, std::string_view what, const target::Target& target) {
  const bool is_half = dtype == DType::bf16;
  if (!is_half && !ir::is_complex(dtype)) return;
  const std::string_view why =
      target::lacks(target, is_half ? target::Number::brain_float : target::Number::complex_number);
  if (why.empty()) return;
  throw Error(target::untranslated(
      "unsupported-dtype", cat(what, ": ", ir::dtype_name(dtype)), target::target_name(target), why,
      is_half
          ? "a model in bfloat16: convert it before saving it, by model.float() or model.half(); "
            "casts in a model in float32: trace it outside of torch.autocast"
          : "compute with real tensors of a trailing axis of two (torch.view_as_real)",
      what));
}

Emitter::State::State(const ir::Graph& graph_in, const target::Target& target_in, State* outer)
    : TractDraft(target_in, outer != nullptr),
      graph(graph_in),
      of_value(graph_in.values.size(), -1),
      constant_index(ir::constant_index(graph_in)),
      use_counts(ir::use_counts(graph_in)) {
  body.outer = outer;
}

void Emitter::State::begin(const ir::Node* next) {
  node = next;
  first_of_node = static_cast<int>(entries.size());
  location = -1;
  if (next == nullptr) return;
  location = static_cast<int>(notes.locations.size());
  location_nodes.push_back(next);
  notes.locations.push_back(
      {std::string(ir::op_name(next->op)), graph.values[next->outputs.at(0)].name});
}

void Emitter::State::add_placeholders(const ir::Node& failed) {
  is_incomplete = true;
  for (const ir::ValueId id : failed.outputs) {
    const ir::Value& value = graph.values[id];
    if (int& entry = of_value[id]; entry < 0)
      entry =
          add({.dtype = value.dtype, .shape = value.shape, .name = value.name, .is_claimed = true})
              .id;
  }
}

Emitter::Emitter(const ir::Graph& graph, const target::Target& target)
    : state_(std::make_unique<State>(graph, target, nullptr)) {
  State& s = *state_;
  for (const ir::ValueId id : graph.inputs) {
    const ir::Value& value = graph.values[id];
    const Ref ref = s.add({.dtype = value.dtype,
                           .shape = value.shape,
                           .name = value.name,
                           .is_input = true,
                           .is_claimed = true});
    s.of_value[id] = ref.id;
    s.append({ref}, "tract_core_external",
             {{"shape", Attribute("shape", value.shape).value},
              {"datum_type", nnef::string(std::string(ir::dtype_name(value.dtype)))}});
  }
}

Emitter::~Emitter() = default;

DType Emitter::dtype(Ref ref) const { return state_->at(ref).dtype; }
const Shape& Emitter::shape(Ref ref) const { return state_->at(ref).shape; }

Ints Emitter::sizes(Ref ref) const {
  const Shape& dims = shape(ref);
  if (!is_static(dims))
    throw Error(target::untranslated(
        "unsupported-argument", cat("a tensor of shape ", ir::shape_str(dims)),
        target::target_name(state_->target), "the operator needs sizes that are known at export",
        "export without --dynamic for these axes"));
  return ir::static_shape(dims);
}

std::optional<ir::Tensor> Emitter::constant_value(Ref ref) const {
  return draft::loaded_value(state_->at(ref));
}

bool Emitter::is_streamed(const Dim& size) const {
  const target::Target& target = state_->target;
  return target::streams(target) && size.mentions(ir::Symbol(target.stream.symbol));
}

bool Emitter::has(target::Feature feature) const { return target::has(state_->target, feature); }

bool Emitter::varies(Ref ref) const { return state_->at(ref).varies; }

void Emitter::declare_positions(Ref index) { state_->at(index).is_positions = true; }

nnef::Value Emitter::operand(Ref ref) {
  tract_forms::check_packed(*state_, "a list", {ref}, {});
  return state_->operand(with_broadcast_barrier(*this, ref));
}

namespace {

/// 8-bit integers and 16-bit floats that are used as wider floats: compressed weights.
bool is_compressed_weight(const TensorEntry& entry, DType dtype) {
  constexpr int64_t kFewest = 5;
  const bool is_small =
      entry.dtype == DType::i8 || entry.dtype == DType::u8 || entry.dtype == DType::f16;
  return is_small && ir::is_float(dtype) && draft::stored_bytes(entry) >= kFewest;
}

}  // namespace

Ref Emitter::cast(Ref x, DType dtype) {
  const TensorEntry entry = state_->at(x);
  if (entry.dtype == dtype) return x;
  check_dtype(dtype, "a cast", state_->target);
  if (!is_compressed_weight(entry, dtype))
    if (const auto stored = state_->stored_cast(x, dtype)) return *stored;
  // tract saturates, torch wraps.
  if (ir::is_float(entry.dtype) && ir::is_integer(dtype) && dtype != DType::i64 &&
      dtype != DType::i32)
    return cast(cast(x, DType::i64), dtype);
  return call("tract_core_cast", {x}, {{"to", std::string(ir::dtype_name(dtype))}}, dtype,
              entry.shape);
}

namespace {

/// A number that exceeds the integers of a tensor wraps, as in torch: 200 is -56 for i8.
int64_t modulo_width(int64_t value, DType dtype) {
  const int64_t bits = 8 * ir::dtype_size(dtype);
  constexpr int64_t kWidest = 64;
  if (!ir::is_integer(dtype) || bits == kWidest) return value;
  const uint64_t mask = (uint64_t{1} << bits) - 1;
  const uint64_t low = static_cast<uint64_t>(value) & mask;
  const bool is_signed = dtype == DType::i8 || dtype == DType::i16 || dtype == DType::i32;
  return static_cast<int64_t>(is_signed && (low >> (bits - 1)) != 0 ? low | ~mask : low);
}

}  // namespace

Ref Emitter::scalar(double value, DType dtype) {
  T2N_ASSERT(ir::is_float(dtype) || value == std::floor(value), value, " is no ",
             ir::dtype_name(dtype));
  return state_->add_constant(ir::scalar_tensor(value, dtype), "const", 1, true);
}

Ref Emitter::scalar(int64_t value, DType dtype) {
  return state_->add_constant(ir::scalar_tensor(modulo_width(value, dtype), dtype), "const", 1,
                              true);
}

Ref Emitter::scalar(bool value) { return scalar(static_cast<int64_t>(value), DType::boolean); }

Ref Emitter::constant(ir::Tensor values, std::string_view name) {
  return state_->add_constant(std::move(values), std::string(name), 1, true);
}

Ref Emitter::full(Ref scalar, const Shape& shape) {
  T2N_ASSERT(rank(scalar) == 0, "full needs a rank-0 value, not ",
             ir::shape_str(this->shape(scalar)));
  return broadcast_to(scalar, shape);
}

void Emitter::begin(const ir::Node& node) {
  state_->begin(&node);
  for (const ir::ValueId id : node.outputs)
    check_dtype(state_->graph.values[id].dtype, ir::op_name(node.op), state_->target);
}

Ref Emitter::value(ir::ValueId id) {
  const size_t index = id;
  const ir::Value& value = state_->graph.values[index];
  if (const int known = state_->of_value[index]; known >= 0) return Ref{known};
  const int constant = state_->constant_index[index];
  T2N_ASSERT(constant >= 0, "the translation gave no result for '", value.name, "'");
  check_dtype(value.dtype, quoted(value.name), state_->target);
  const Ref ref = state_->add_constant(state_->graph.constants[constant].data, value.name,
                                       state_->use_counts[index], false);
  state_->of_value[index] = ref.id;
  return ref;
}

void Emitter::result(Ref ref, int index) {
  const ir::Node& node = *state_->node;
  const ir::ValueId id = node.outputs.at(index);
  const ir::Value& value = state_->graph.values[id];
  const TensorEntry& entry = state_->at(ref);
  T2N_ASSERT(entry.dtype == value.dtype && state_->agrees(entry.shape, value.shape),
             "the translation gives ", type_str(entry.dtype, entry.shape), " where torch gives ",
             type_str(value.dtype, value.shape), " (", value.name, ")");
  ref = with_named_sizes(*this, ref, value.shape);
  state_->of_value[id] = ref.id;
  TensorEntry& named = state_->at(ref);
  const bool is_own =
      ref.id >= state_->first_of_node && named.kind == TensorEntry::Kind::identifier;
  if (!is_own || named.is_claimed) return;
  named.name = value.name;
  named.is_claimed = true;
}

void Emitter::result(std::string_view op, const std::vector<Ref>& operands,
                     const Attributes& attributes) {
  const ir::ValueId id = state_->node->outputs.at(0);
  const ir::Value& value = state_->graph.values[id];
  result(call(op, operands, attributes, value.dtype, value.shape));
}

}  // namespace t2n::ops
