// SPDX-License-Identifier: Apache-2.0
// Built-in functions of the language, and names of types and dimensions.
#pragma once

#include <optional>
#include <string_view>

#include "ir/dtype.h"
#include "ir/shape.h"
#include "src/nnef/ast.h"

namespace t2n::interp {

/// `length_of`, `range_of`, `shape_of`, and the casts of primitives.
bool is_builtin(std::string_view name);

/// Operations that the evaluator itself executes: inputs, variables, updates.
bool is_tensor_source(std::string_view name);
/// The operation that runs another artefact.
bool is_submodel(std::string_view name);

/// An integer, or an expression over symbols. Errors: `engine-rejects`.
ir::Dim dimension(const nnef::Value& expression);

}  // namespace t2n::interp
