// SPDX-License-Identifier: Apache-2.0
#include "src/frontend/session/state_names.h"

#include <algorithm>
#include <string_view>

#include "src/diag/error.h"
#include "src/frontend/session/input_locations.h"
#include "src/frontend/state/state.h"

namespace t2n::trace {
namespace {

constexpr std::string_view kStateSuffix = "_state";

std::string joined_path(const std::vector<std::string>& path) {
  std::string out;
  for (const std::string& part : path) out += (out.empty() ? "" : ".") + part;
  return out;
}

/// The path of a tensor that could become a state, found by its path or by its state name; "" if
/// there is none.
std::string path_of(const std::vector<Attribute>& attributes, const std::string& name) {
  std::string by_state_name;
  for (const Attribute& attribute : attributes)
    for (const ModelValue& leaf : attribute.leaves) {
      if (!leaf.value.isTensor() && !leaf.value.isNone()) continue;
      if (leaf.path == name) return leaf.path;
      if (by_state_name.empty() && state_name(leaf.path) == name) by_state_name = leaf.path;
    }
  return by_state_name;
}

/// The same for a sample; states of the last trace are known by name.
std::string path_of(const std::vector<Attribute>& attributes, const std::vector<State>& states,
                    const SampleInput& sample) {
  std::string name = flat_name(sample.path);
  for (const State& state : states)
    if (state.name == name) return state.path;
  if (std::string path = path_of(attributes, joined_path(sample.path)); !path.empty()) return path;
  std::string path = path_of(attributes, name);
  while (path.empty() && name.ends_with(kStateSuffix)) {  // if an argument has that name
    name.resize(name.size() - kStateSuffix.size());
    path = path_of(attributes, name);
  }
  return path;
}

[[noreturn]] void refuse_key_or_state(const InputPath& argument, const std::string& state) {
  const std::string name = flat_name(argument);
  throw Error("input-unknown",
              cat(quoted(name), " may be a key of the argument ", quoted(argument[0]),
                  " or a state of the model"),
              "a dictionary accepts any name as a key",
              cat("write ", joined_path(argument), "=… for the key, ",
                  state.find('.') == std::string::npos ? name + std::string(kStateSuffix) : state,
                  "=… for the state"));
}

}  // namespace

std::vector<std::string> state_names(const std::vector<std::string>& paths,
                                     std::vector<std::string> taken) {
  std::vector<std::string> out;
  for (const std::string& path : paths) {
    std::string name = state_name(path);
    while (std::find(taken.begin(), taken.end(), name) != taken.end() || is_position(name))
      name += kStateSuffix;
    taken.push_back(name);
    out.push_back(std::move(name));
  }
  return out;
}

std::string state_of(const SampleInput& sample, const c10::FunctionSchema& schema,
                     const std::vector<Attribute>& attributes, const std::vector<State>& states) {
  const std::string state = path_of(attributes, states, sample);
  if (sample.is_state || state.empty()) return state;
  const auto argument = argument_location(schema, sample);
  if (!argument) return is_position(flat_name(sample.path)) ? "" : state;
  if (argument->by_key && sample.path.size() == 1) {
    const bool is_suffixed = state_name(state) != sample.path[0] && state != sample.path[0];
    if (is_suffixed) return state;
    refuse_key_or_state(argument->path, state);
  }
  return {};
}

}  // namespace t2n::trace
