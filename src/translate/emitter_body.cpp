// SPDX-License-Identifier: Apache-2.0
#include "src/translate/emitter_body.h"

#include <algorithm>
#include <map>
#include <utility>

#include "src/diag/error.h"
#include "src/nnef/needed.h"
#include "src/spec/dimension.h"
#include "src/target/limits.h"
#include "src/tract_forms/body_sizes.h"
#include "src/tract_forms/size_barriers.h"
#include "src/translate/body_sizes.h"
#include "src/translate/emitter_state.h"

namespace t2n::ops {
namespace {

/// Whether an expression contains a size that is not known at export.
bool is_symbolic(const nnef::Value& value) {
  bool found = false;
  nnef::walk(value,
             [&](const nnef::Value& v) { found = found || v.kind == nnef::Kind::dimension; });
  return found;
}

bool reads_tensors(const nnef::Value& value) {
  bool found = false;
  for_each_id(value, [&](int) { found = true; });
  return found;
}

/// In a body, tract 0.21 to 0.23 knows only the sizes of tensors there.
[[noreturn]] void refuse_size(std::string_view op, const target::Target& target) {
  throw Error(target::untranslated(
      "unsupported-argument", cat(op, " to a dynamic size in the body of a scan"),
      target::target_name(target), "the engine knows only the sizes of tensors there",
      "compute the tensor of that size before the loop"));
}

/// Hoists loop-invariant statements of a body, one by one.
class Hoister {
 public:
  explicit Hoister(Emitter::State& body) : body_(body), outer_(*body.body.outer) {
    for (const auto& capture : body.body.captures) outside_[capture.inner.id] = capture.outer;
  }

  void run() {
    std::vector<nnef::Assignment> kept;
    for (nnef::Assignment& statement : body_.document.graph.body) {
      bool varies = false;
      for_each_id(statement.left, [&](int id) { varies = varies || body_.at(Ref{id}).varies; });
      if (!varies) {
        hoist(statement);
        continue;
      }
      hoist_sizes(statement);
      kept.push_back(std::move(statement));
    }
    body_.document.graph.body = std::move(kept);
    for (auto& capture : body_.body.captures) capture.outer = with_barrier(capture.outer);
  }

 private:
  /// A number computed from sizes that enters a body, behind an optimisation barrier.
  Ref with_barrier(Ref number) {
    const TensorEntry& entry = outer_.at(number);
    const bool is_followed = ir::is_float(entry.dtype) || entry.dtype == DType::i64;
    const bool from_sizes = outer_.facts(number).from_sizes;
    return from_sizes && is_followed ? tract_forms::size_barrier(outer_, number) : number;
  }

  void hoist(nnef::Assignment& statement) {
    std::vector<Ref> results;
    for_each_id(statement.left, [&](int id) {
      const TensorEntry& entry = body_.at(Ref{id});
      results.push_back(
          outer_.add({.dtype = entry.dtype, .shape = entry.shape, .name = entry.name}));
      outer_.facts(results.back()).from_sizes = body_.facts(Ref{id}).from_sizes;
      bind(Ref{id}, results.back());
    });
    nnef::walk(statement.right, [&](nnef::Value& v) {
      if (v.kind == nnef::Kind::reference) v.integer = outside_.at(static_cast<int>(v.integer)).id;
    });
    outer_.append(results, statement.right.text, std::move(statement.right.arguments),
                  statement.right.type);
  }

  void bind(Ref inner, Ref outside) {
    outside_[inner.id] = outside;
    TensorEntry& entry = body_.at(inner);
    entry.is_input = true;
    body_.body.captures.push_back({inner, outside});
  }

  /// Operands such as `tract_core_cast(S, to = 'i64')`.
  void hoist_sizes(nnef::Assignment& statement) {
    const std::string& op = statement.right.text;
    for (nnef::Argument& argument : statement.right.arguments) {
      nnef::Value& value = argument.value;
      if (value.kind == nnef::Kind::invocation && is_symbolic(value) && !reads_tensors(value))
        value = hoisted_size(value);
      else if ((op == "tract_core_range" || op == "tile") && is_symbolic(value))
        refuse_size(op, body_.target);
    }
  }

  nnef::Value hoisted_size(const nnef::Value& value) {
    const std::string type = value.arguments.back().value.text;  // tract_core_cast(S, to = type)
    const DType dtype = ir::parse_dtype(type).value_or(DType::i64);
    const Ref outside = outer_.add({.dtype = dtype, .shape = {}, .name = "size"});
    const Ref inside = body_.add({.dtype = dtype, .shape = {}, .name = "size"});
    outer_.facts(outside).from_sizes = true;
    outer_.append({outside}, value.text, value.arguments, value.type);
    bind(inside, outside);
    return body_.reference(inside);
  }

  Emitter::State& body_;
  Emitter::State& outer_;
  std::map<int, Ref> outside_;  ///< by the id inside
};

/// Ids that the statements of a body read.
std::set<int> read_ids(const Emitter::State& body) {
  std::set<int> out;
  for (const nnef::Assignment& statement : body.document.graph.body)
    for_each_id(statement.right, [&](int id) { out.insert(id); });
  return out;
}

/// The sizes that results of a body have, or that its statements name.
std::set<ir::Symbol> sizes_in(Emitter::State& body) {
  std::set<ir::Symbol> out;
  const auto add = [&](const Dim& size) {
    for (const ir::Symbol& symbol : size.symbols()) out.insert(symbol);
  };
  for (const nnef::Assignment& statement : body.document.graph.body) {
    for_each_id(statement.left, [&](int id) {
      for (const Dim& size : body.at(Ref{id}).shape) add(size);
    });
    nnef::walk(statement.right, [&](const nnef::Value& value) {
      if (value.kind == nnef::Kind::dimension) add(value.dim);
    });
  }
  return out;
}

/// A parameter of the fragment.
Ref add_entry_parameter(Emitter::State& body, std::string_view name, DType dtype,
                        const Shape& shape, bool varies) {
  return body.add({.dtype = dtype,
                   .shape = shape,
                   .name = std::string(name),
                   .is_input = true,
                   .is_claimed = true,
                   .varies = varies});
}

/// Adds states that pass the sizes that tract cannot infer from the inputs: their parameters, and
/// the tensors outside.
std::vector<BodyState::Capture> add_size_states(Emitter::State& body,
                                                const std::vector<Ref>& parameters) {
  std::vector<Shape> inputs;
  for (const Ref ref : parameters) inputs.push_back(body.at(ref).shape);
  const std::set<int> used_ids = read_ids(body);
  for (const auto& capture : body.body.captures)
    if (used_ids.contains(capture.inner.id)) inputs.push_back(body.at(capture.inner).shape);
  std::vector<BodyState::Capture> out;
  for (const ir::Symbol& size : tract_forms::unknown_sizes(sizes_in(body), inputs)) {
    const TensorType type = carrier_type(size);
    const Ref inner = add_entry_parameter(body, "size", type.dtype, type.shape, true);
    body.outputs.push_back(
        body.append_call("add", {{"", body.reference(inner)}, {"", nnef::scalar(1.0)}}, {type})[0]);
    out.push_back({inner, size_carrier(*body.body.outer, size)});
  }
  return out;
}

nnef::Parameter declared(const Emitter::State& state, Ref ref) {
  return {state.entries[ref.id].text, "tensor<scalar>", {}};
}

}  // namespace

Emitter::Emitter(const ir::Graph& body, Emitter& outer)
    : state_(std::make_unique<State>(body, outer.state().target, &outer.state())) {
  State& inside = *state_;
  inside.written_outside = [&inside](const TensorEntry& entry) {
    TensorEntry copy = entry;
    copy.variable = -1;
    State& outside_state = *inside.body.outer;
    const Ref outside = outside_state.identifier(outside_state.add(std::move(copy)));
    const Ref parameter = add_entry_parameter(inside, entry.name, entry.dtype, entry.shape, false);
    inside.body.captures.push_back({parameter, outside});
    return parameter;
  };
}

Emitter::State& Emitter::State::outermost() {
  return body.outer == nullptr ? *this : body.outer->outermost();
}

Ref captured_by(Emitter::State& state, Ref outside) {
  TensorEntry entry = state.body.outer->at(outside);
  if (entry.kind == TensorEntry::Kind::constant) {
    entry.variable = -1;
    return state.add(std::move(entry));
  }
  const Ref inside = add_entry_parameter(state, entry.name, entry.dtype, entry.shape, false);
  const tract_forms::Facts& known = state.body.outer->facts(outside);
  state.facts(inside).from_sizes = known.from_sizes;
  state.facts(inside).elements = known.elements;
  state.body.captures.push_back({inside, outside});
  return inside;
}

Ref varying(Emitter& body, Ref x) {
  const Ref zero = body.scalar(0.0, DType::f32);
  const Ref zero_index = body.elementwise("min", {*body.state().body.iteration, zero});
  return body.call("tract_core_gather", {body.unsqueeze(x, {0}), body.cast(zero_index, DType::i64)},
                   {{"axis", 0}}, body.dtype(x), body.shape(x));
}

Ref broadcast_varying(Emitter& body, Ref x, const Shape& shape) {
  const DType dtype = body.dtype(x);
  const Shape from = body.shape(x);
  const size_t added = shape.size() - from.size();
  Shape ones_shape = shape;
  for (size_t i = added; i < shape.size(); ++i)
    if (from[i - added] == shape[i]) ones_shape[i] = 1;
  const bool is_bool = dtype == DType::boolean;
  const Ref one = is_bool ? body.scalar(true) : body.scalar(1, dtype);
  return body.elementwise(is_bool ? "and" : "mul", {x, body.full(one, ones_shape)});
}

Ref add_parameter(Emitter& body, std::string_view name, DType dtype, const Shape& shape) {
  return add_entry_parameter(body.state(), name, dtype, shape, true);
}

void bind_input(Emitter& body, size_t index, Ref ref) {
  Emitter::State& s = body.state();
  s.of_value[s.graph.inputs[index]] = ref.id;
}

void set_iteration(Emitter& body, Ref parameter) { body.state().body.iteration = parameter; }
void set_zero(Emitter& body, Ref parameter) { body.state().body.zero = parameter; }
std::optional<Ref> zero_of(Emitter& emitter) { return emitter.state().body.zero; }

Ref captured_by(Emitter& body, Ref outside) { return captured_by(body.state(), outside); }

bool is_in_body(Emitter& emitter) { return emitter.state().is_body; }

bool is_computed(Emitter& emitter, Ref ref) {
  return emitter.state().at(ref).kind == TensorEntry::Kind::identifier;
}

bool translate_body(Emitter& body) {
  Emitter::State& s = body.state();
  s.outermost().translate_nodes(s.graph, body);
  if (s.is_incomplete) s.body.outer->add_placeholders(*s.body.outer->node);
  return !s.is_incomplete;
}

void add_body_results(Emitter& body, const std::vector<Ref>& results) {
  Emitter::State& s = body.state();
  s.begin(nullptr);
  std::set<int> taken;
  for (const Ref ref : s.outputs) taken.insert(ref.id);
  for (const Ref result : results) {
    s.outputs.push_back(result_identifier(body, result, taken));
    s.at(s.outputs.back()).varies = true;  // a result is not hoisted
  }
  s.drop_dead();
}

void replace_body_result(Emitter& body, size_t index, Ref result) {
  Emitter::State& s = body.state();
  add_body_results(body, {result});
  s.outputs[index] = s.outputs.back();
  s.outputs.pop_back();
  s.drop_dead();
}

bool is_read(Emitter& body, Ref ref) { return read_ids(body.state()).contains(ref.id); }

bool is_needed(Emitter& body, Ref ref, const std::vector<size_t>& results) {
  const Emitter::State& state = body.state();
  const auto number = [&](const Dim& size) { return state.at_sample(size); };
  const nnef::KnownSizes sizes = {
      .shape = [&](const nnef::Value& tensor) -> std::optional<Ints> {
        if (tensor.kind != nnef::Kind::reference) return {};
        Ints out;
        for (const Dim& size : state.at({static_cast<int>(tensor.integer)}).shape)
          out.push_back(number(size));
        return out;
      },
      .number = [&](const nnef::Value& value) -> std::optional<int64_t> {
        const auto size = spec::read_dimension(value);
        return size ? std::optional(number(*size)) : std::nullopt;
      }};
  std::vector<std::string> keys;
  for (const size_t result : results)
    keys.push_back(nnef::tensor_key(state.reference(state.outputs[result])));
  return nnef::needed_tensors(state.document.graph.body, keys, sizes)
      .contains(nnef::tensor_key(state.reference(ref)));
}

void add_inner_result(Emitter& body, Ref result) {
  body.state().body.inner_results.push_back(result);
}
const std::vector<Ref>& inner_results(Emitter& body) { return body.state().body.inner_results; }

void refuse_constant_loop(Emitter& out) {
  throw Error(target::untranslated("unsupported-op", "a loop over constants only",
                                   target::target_name(out.state().target),
                                   "tract 0.23 cannot run a scan of constants",
                                   "compute its results in __init__, and store them as buffers"));
}

const std::string& name_in(Emitter& body, Ref ref) { return body.state().at(ref).text; }

FinishedBody finish_body(Emitter& body, const std::vector<Ref>& parameters) {
  Emitter::State& s = body.state();
  Hoister(s).run();
  const std::vector<BodyState::Capture> sizes = add_size_states(s, parameters);
  const std::set<int> used_ids = read_ids(s);
  s.resolve_names();
  Emitter::State& root = s.outermost();
  FinishedBody out;
  nnef::Fragment fragment;
  fragment.name = out.name = cat("t2n_scan_", root.scans++);
  for (const Ref ref : parameters) fragment.parameters.push_back(declared(s, ref));
  for (const auto& capture : s.body.captures) {
    if (!used_ids.contains(capture.inner.id)) continue;
    fragment.parameters.push_back(declared(s, capture.inner));
    out.captured.emplace_back(s.at(capture.inner).text, capture.outer);
  }
  for (const auto& size : sizes) {
    fragment.parameters.push_back(declared(s, size.inner));
    out.sizes.emplace_back(s.at(size.inner).text, size.outer);
  }
  for (const Ref ref : s.outputs) {
    fragment.results.push_back(declared(s, ref));
    out.results.push_back(s.at(ref).text);
  }
  fragment.body = std::move(s.document.graph.body);
  root.document.fragments.push_back(std::move(fragment));
  return out;
}

}  // namespace t2n::ops
