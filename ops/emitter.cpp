// The Emitter's table of tensors: IR values in, named results out.
#include "ops/emitter.h"

#include <bit>
#include <utility>

#include "ops/emitter_state.h"
#include "ops/repeats.h"
#include "ops/strict.h"
#include "src/diag/error.h"

namespace t2n::ops {
namespace {

/// "tract_core_round_even" -> "round_even"
std::string_view word_of(std::string_view op) {
  constexpr std::string_view kPrefixes[] = {
      "tract_core_", "tract_transformers_", "tract_onnx_", "tract_extra_", "tract_", "t2n_"};
  for (const std::string_view prefix : kPrefixes)
    if (op.starts_with(prefix)) return op.substr(prefix.size());
  return op;
}

/// Axes count from the front: tract crashes on negative ones, or computes something else.
void check_axes(std::string_view op, const nnef::Argument& argument) {
  if (argument.name != "axis" && argument.name != "axes") return;
  const auto check = [&](const nnef::Value& value) {
    T2N_ASSERT(value.kind != nnef::Kind::integer || value.integer >= 0, op, ": negative axis ",
               value.integer);
  };
  check(argument.value);
  for (const nnef::Value& item : argument.value.items) check(item);
}

void add_key(std::string& key, const nnef::Value& value) {
  key += cat(static_cast<int>(value.kind), value.logical, value.is_f64, value.type, "|", value.text,
             "|", value.integer, "|", std::bit_cast<uint64_t>(value.number), "|", value.dim.str(),
             "(");
  for (const nnef::Value& item : value.items) add_key(key, item);
  for (const nnef::Argument& argument : value.arguments) {
    key += argument.name + "=";
    add_key(key, argument.value);
  }
  key += ")";
}

/// Operands alone do not tell the result: a literal has no dtype of its own.
std::string call_key(std::string_view op, const std::vector<nnef::Argument>& arguments,
                     const std::vector<TensorType>& types, const std::string& generic) {
  std::string key = cat(op, "<", generic);
  for (const TensorType& type : types) key += ";" + type_str(type.dtype, type.shape);
  for (const nnef::Argument& argument : arguments) {
    key += "," + argument.name + "=";
    add_key(key, argument.value);
  }
  return key;
}

}  // namespace

void check_dtype(DType dtype, std::string_view what, const target::Target& target) {
  const bool is_strict = target.engine == target::Engine::khronos;  // knows no widths
  const bool is_half = dtype == DType::bf16 && !is_strict;
  if (!is_half && !ir::is_complex(dtype)) return;
  throw Error("unsupported-dtype",
              cat(what, ": ", ir::dtype_name(dtype), " has no translation for ",
                  target::target_name(target)),
              is_half     ? "tract has no bfloat16"
              : is_strict ? "NNEF has no complex numbers"
                          : "tract's released libraries have no complex numbers",
              is_half ? "convert the model before saving it: model.float() or model.half()"
                      : "compute with real tensors of a trailing axis of two (torch.view_as_real)");
}

Emitter::State::State(const ir::Graph& graph_in, const target::Target& target_in)
    : graph(graph_in),
      target(target_in),
      of_value(graph_in.values.size(), -1),
      constant_index(ir::constant_index(graph_in)),
      use_counts(ir::use_counts(graph_in)),
      labels(nnef::UniqueNames::Case::ignored) {}

TensorEntry& Emitter::State::at(Ref ref) {
  T2N_ASSERT(ref.id >= 0 && static_cast<size_t>(ref.id) < entries.size(),
             "a tensor that the emitter did not make");
  return entries[static_cast<size_t>(ref.id)];
}

Ref Emitter::State::add(TensorEntry entry) {
  entries.push_back(std::move(entry));
  return Ref{static_cast<int>(entries.size()) - 1};
}

Ref Emitter::State::add_identifier(std::string_view word, DType dtype, const Shape& shape) {
  std::string name(word);
  if (node != nullptr) {
    const ir::Value& first = graph.values[static_cast<size_t>(node->outputs.at(0))];
    name = cat(first.name, "_", word);
  }
  return add({.dtype = dtype, .shape = shape, .name = std::move(name), .text = {}, .parts = {}});
}

void Emitter::State::append(const std::vector<Ref>& results, std::string_view op,
                            std::vector<nnef::Argument> arguments, std::string type) {
  for (const nnef::Argument& argument : arguments) check_axes(op, argument);
  bool varies = false;
  for (const nnef::Argument& argument : arguments)
    for_each_id(argument.value, [&](int id) { varies = varies || at(Ref{id}).varies; });
  nnef::Values names;
  for (const Ref ref : results) {
    at(ref).varies = varies;
    names.push_back(name_of(ref));
  }
  nnef::Value left = names.size() == 1 ? std::move(names[0]) : nnef::tuple(std::move(names));
  document.graph.body.push_back(
      {.left = std::move(left),
       .right = nnef::invocation(std::string(op), std::move(arguments), std::move(type)),
       .comment = {}});
}

std::vector<Ref> Emitter::State::append_call(std::string_view op,
                                             std::vector<nnef::Argument> arguments,
                                             const std::vector<TensorType>& types,
                                             const std::string& type) {
  T2N_ASSERT(!op.starts_with("t2n_") || is_fragment(op), "no fragment is called '", op, "'");
  std::vector<Ref>& known = calls[call_key(op, arguments, types, type)];
  if (!known.empty()) return known;
  std::vector<Ref> results;
  for (const TensorType& each : types)
    results.push_back(add_identifier(word_of(op), each.dtype, each.shape));
  append(results, op, std::move(arguments), type);
  return known = results;
}

nnef::Value Emitter::State::name_of(Ref ref) {
  T2N_ASSERT(at(ref).kind == TensorEntry::Kind::identifier, "a constant has no name");
  nnef::Value out = nnef::identifier("");
  out.integer = base(ref).id;
  return out;
}

void Emitter::State::stand_in(const ir::Node& failed) {
  is_incomplete = true;
  for (const ir::ValueId id : failed.outputs) {
    const ir::Value& value = graph.values[static_cast<size_t>(id)];
    if (int& entry = of_value[static_cast<size_t>(id)]; entry < 0)
      entry = add({.dtype = value.dtype,
                   .shape = value.shape,
                   .name = value.name,
                   .is_claimed = true,
                   .text = {},
                   .parts = {}})
                  .id;
  }
}

Emitter::Emitter(const ir::Graph& graph, const target::Target& target)
    : state_(std::make_unique<State>(graph, target)) {
  State& s = *state_;
  for (const ir::ValueId id : graph.inputs) {
    const ir::Value& value = graph.values[static_cast<size_t>(id)];
    const Ref ref = s.add({.dtype = value.dtype,
                           .shape = value.shape,
                           .name = value.name,
                           .is_input = true,
                           .is_claimed = true,
                           .text = {},
                           .parts = {}});
    s.of_value[static_cast<size_t>(id)] = ref.id;
    const nnef::Argument shape{"shape", Attribute("shape", value.shape).value};
    if (s.is_strict())
      s.append({ref}, "external", {shape},
               std::string(strict::type_name(strict::type_of(*this, ref))));
    else
      s.append({ref}, "tract_core_external",
               {shape, {"datum_type", nnef::string(std::string(ir::dtype_name(value.dtype)))}});
  }
}

Emitter::~Emitter() = default;

DType Emitter::dtype(Ref ref) const { return state_->at(ref).dtype; }
const Shape& Emitter::shape(Ref ref) const { return state_->at(ref).shape; }

Ints Emitter::sizes(Ref ref) const {
  const Shape& dims = shape(ref);
  if (!is_static(dims))
    throw Error("unsupported-argument",
                cat("a tensor of shape ", ir::shape_str(dims), " has no translation for ",
                    target::target_name(state_->target)),
                "the operator needs sizes that are known at export",
                "export without --dynamic for these axes");
  return ir::static_shape(dims);
}

std::optional<ir::Tensor> Emitter::constant_value(Ref ref) const {
  const TensorEntry& entry = state_->at(ref);
  if (entry.kind != TensorEntry::Kind::constant) return {};
  for (const ir::Tensor& part : entry.parts)
    if (!is_loaded(part)) return {};
  return joined(entry);
}

bool Emitter::computes_in_f32() const { return state_->is_strict(); }

void Emitter::declare_positions(Ref index) { state_->at(state_->base(index)).is_positions = true; }

nnef::Value Emitter::operand(Ref ref) {
  if (!state_->is_strict()) return state_->operand(hidden_repeats(*this, ref));
  nnef::Value out = nnef::identifier("");  // for a rule, which wants the tensor
  out.integer = ref.id;
  return out;
}

void Emitter::begin(const ir::Node& node) {
  state_->node = &node;
  state_->first_of_node = static_cast<int>(state_->entries.size());
  for (const ir::ValueId id : node.outputs)
    check_dtype(state_->graph.values[static_cast<size_t>(id)].dtype, ir::op_name(node.op),
                state_->target);
}

Ref Emitter::value(ir::ValueId id) {
  const auto index = static_cast<size_t>(id);
  const ir::Value& value = state_->graph.values[index];
  if (const int known = state_->of_value[index]; known >= 0) return Ref{known};
  const int constant = state_->constant_index[index];
  T2N_ASSERT(constant >= 0, "the translation of what computes '", value.name, "' gave no result");
  check_dtype(value.dtype, quoted(value.name), state_->target);
  const Ref ref = state_->add_constant(state_->graph.constants[static_cast<size_t>(constant)].data,
                                       value.name, state_->use_counts[index], false);
  state_->of_value[index] = ref.id;
  return ref;
}

void Emitter::result(Ref ref, int index) {
  const ir::Node& node = *state_->node;
  const ir::ValueId id = node.outputs.at(static_cast<size_t>(index));
  const ir::Value& value = state_->graph.values[static_cast<size_t>(id)];
  TensorEntry& entry = state_->at(ref);
  T2N_ASSERT(entry.dtype == value.dtype && state_->agrees(entry.shape, value.shape),
             "the translation gives ", type_str(entry.dtype, entry.shape), " where torch gives ",
             type_str(value.dtype, value.shape), " (", value.name, ")");
  state_->of_value[static_cast<size_t>(id)] = ref.id;
  const Ref base = state_->base(ref);
  TensorEntry& named = state_->at(base);
  const bool mine = base.id >= state_->first_of_node && named.kind == TensorEntry::Kind::identifier;
  if (!mine || named.is_claimed) return;
  named.name = value.name;
  named.is_claimed = true;
}

void Emitter::result(std::string_view op, const std::vector<Ref>& operands,
                     const Attributes& attributes) {
  const ir::ValueId id = state_->node->outputs.at(0);
  const ir::Value& value = state_->graph.values[static_cast<size_t>(id)];
  result(call(op, operands, attributes, value.dtype, value.shape));
}

}  // namespace t2n::ops
