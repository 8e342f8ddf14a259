// SPDX-License-Identifier: Apache-2.0
// States of a model as inputs and outputs of a document: an output of one run is an input of the
// next.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/tensor.h"
#include "src/nnef/ast.h"

namespace t2n::spec {

struct State {
  std::string input;
  std::string output;                 ///< its value after a run
  std::optional<ir::Tensor> initial;  ///< the value before the first run
};

/// Notes them in a document: pairs and small values as properties, all values in
/// nnef::kStatesFile. In strict NNEF, which has no properties, the states must be the last results.
void add_states(nnef::Document& document, const std::vector<State>& states);

/// The same document without what add_states() adds.
nnef::Document without_states(nnef::Document document);

/// The states that a document notes. Without properties, the last results are those of the arrays
/// in its file, in their order.   Errors: `nnef-invalid` for names of no input or result.
std::vector<State> states_of(const nnef::Document& document);

/// A property whose name goes on with the input's name; its value is the output's name.
constexpr std::string_view kStatePrefix = "t2nnef_state.";
/// The same; its value is a tensor, which tract returns as such.
constexpr std::string_view kInitialPrefix = "t2nnef_initial.";

/// Whether a property of this name is one of add_states().
bool is_state_property(std::string_view name);

/// "f32[1,2] = 0.5", "f32[3] = [1, 2, 3]", "f32[2,64] from -1 to 1.25"
std::string first_value_text(const ir::Tensor& value);

}  // namespace t2n::spec
