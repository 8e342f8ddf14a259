// SPDX-License-Identifier: Apache-2.0
#include "src/translate/body_sizes.h"

#include <algorithm>

#include "src/diag/error.h"
#include "src/translate/emitter_body.h"
#include "src/translate/emitter_state.h"

namespace t2n::ops {
namespace {

/// The indices of the elements that a data-dependent size counts, where it is defined.
Ref unbacked_indices(Emitter::State& state, const ir::Symbol& size) {
  const auto found = state.unbacked.sizes.find(size.unbacked()->name);
  T2N_ASSERT(found != state.unbacked.sizes.end(), "a loop reads ", size.str(),
             ", which is not defined");
  const Ref indices = found->second.indices;
  const Shape shape = state.at(indices).shape;
  if (shape.size() == 1) return indices;
  const auto zero = [](const char* name, int64_t value) {
    return nnef::Argument{name, nnef::array({nnef::integer(value)})};
  };
  const Ref row = state.append_call(
      "slice", {{"", state.reference(indices)}, zero("axes", 0), zero("begin", 0), zero("end", 1)},
      {{DType::i64, {1, shape[1]}}})[0];
  return state.append_call("squeeze", {{"", state.reference(row)}, zero("axes", 0)},
                           {{DType::i64, {shape[1]}}})[0];
}

}  // namespace

Ref size_carrier(Emitter::State& state, const ir::Symbol& size) {
  const auto known = state.carriers.find(size);
  if (known != state.carriers.end()) return known->second;
  const TensorType type = carrier_type(size);
  Ref out;
  if (state.is_body)
    out = captured_by(state, size_carrier(*state.body.outer, size));
  else if (size.unbacked() != nullptr)
    out = state.append_call(
        "tract_core_cast",
        {{"", state.reference(unbacked_indices(state, size))}, {"to", nnef::string("f32")}},
        {type})[0];
  else
    out = state.append_call(
        "tract_core_broadcast",
        {{"", nnef::scalar(0.0)}, {"shape", Attribute("shape", type.shape).value}}, {type})[0];
  state.carriers.emplace(size, out);
  return out;
}

Ref size_carrier(Emitter& out, const ir::Symbol& size) { return size_carrier(out.state(), size); }

std::string size_name(size_t index, bool is_next) {
  return cat("size_", index, is_next ? "_next" : "");
}

std::string with_sizes(Emitter& out, const std::string& fragment, size_t count) {
  std::vector<nnef::Fragment>& fragments = out.state().outermost().document.fragments;
  nnef::Fragment wrapper = *find_fragment(fragment);
  wrapper.name = cat(fragment, "_of_", count, count == 1 ? "_size" : "_sizes");
  const auto is_same = [&](const nnef::Fragment& each) { return each.name == wrapper.name; };
  if (std::any_of(fragments.begin(), fragments.end(), is_same)) return wrapper.name;
  std::vector<nnef::Argument> operands;
  nnef::Values results;
  for (const nnef::Parameter& each : wrapper.parameters)
    operands.push_back({"", nnef::identifier(each.name)});
  for (const nnef::Parameter& each : wrapper.results)
    results.push_back(nnef::identifier(each.name));
  wrapper.body = {
      {nnef::tuple(std::move(results)), nnef::invocation(fragment, std::move(operands)), {}}};
  for (size_t i = 0; i < count; ++i) {
    const std::string name = size_name(i, false), next = size_name(i, true);
    wrapper.parameters.push_back({name, "tensor<scalar>", {}});
    wrapper.results.push_back({next, "tensor<scalar>", {}});
    wrapper.body.push_back(
        {nnef::identifier(next),
         nnef::invocation("add", {{"", nnef::identifier(name)}, {"", nnef::scalar(1.0)}}),
         {}});
  }
  fragments.push_back(std::move(wrapper));
  return fragments.back().name;
}

}  // namespace t2n::ops
