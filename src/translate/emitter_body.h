// SPDX-License-Identifier: Apache-2.0
// Emits a scan's body as a fragment, for ops/layers/scan.cpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/translate/emitter.h"

namespace t2n::ops {

/// Adds a parameter of the fragment, which varies between iterations.
Ref add_parameter(Emitter& body, std::string_view name, DType dtype, const Shape& shape);
/// Binds a tensor to input `index` of the body's graph.
void bind_input(Emitter& body, size_t index, Ref ref);
/// Declares which parameter is the iteration number in f32.
void set_iteration(Emitter& body, Ref parameter);
/// Declares which parameter is a state that is always 0. A body with inner scans needs one.
void set_zero(Emitter& body, Ref parameter);
/// That state; std::nullopt outside of such bodies.
std::optional<Ref> zero_of(Emitter& emitter);
/// An outer tensor inside the body: constants stay constants, others become parameters.
Ref captured_by(Emitter& body, Ref outside);
Ref captured_by(Emitter::State& state, Ref outside);
/// `x`, which is loop-invariant, in a form that tract does not recognise as such.
Ref varying(Emitter& body, Ref x);
/// `x`, which varies between iterations, broadcast to `shape`.
Ref broadcast_varying(Emitter& body, Ref x, const Shape& shape);
/// Whether it emits the body of a scan.
bool is_in_body(Emitter& emitter);
/// False for constants and literals.
bool is_computed(Emitter& emitter, Ref ref);

/// Translates the operations of the body. False if one of them failed: the results of the loop are
/// placeholders then.
bool translate_body(Emitter& body);

/// Adds results under unique names, and removes dead statements.
void add_body_results(Emitter& body, const std::vector<Ref>& results);
/// Replaces result `index` by another tensor.
void replace_body_result(Emitter& body, size_t index, Ref result);
/// Whether a statement of the body reads a tensor.
bool is_read(Emitter& body, Ref ref);
/// Whether one of these results is computed from the tensor.
bool is_needed(Emitter& body, Ref ref, const std::vector<size_t>& results);

/// Notes a result of a scan inside of this body: the zero state must depend on it.
void add_inner_result(Emitter& body, Ref result);
const std::vector<Ref>& inner_results(Emitter& body);

/// Refuses a loop that reads only constants.
[[noreturn]] void refuse_constant_loop(Emitter& out);

struct FinishedBody {
  std::string name;                  ///< of the fragment, which the document now contains
  std::vector<std::string> results;  ///< names, in the order of addition
  std::vector<std::pair<std::string, Ref>> captured;  ///< names of parameters, tensors outside
  /// Names of states that pass sizes, and tensors outside. Their results are the last ones.
  std::vector<std::pair<std::string, Ref>> sizes;
};

/// Makes the fragment, after hoisting loop-invariant statements. Its parameters are `parameters` in
/// this order, then the captured ones, then those that pass sizes.
FinishedBody finish_body(Emitter& body, const std::vector<Ref>& parameters);
/// The name of a parameter, or of a result, of a finished body.
const std::string& name_in(Emitter& body, Ref ref);

}  // namespace t2n::ops
