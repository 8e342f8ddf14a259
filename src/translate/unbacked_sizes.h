// SPDX-License-Identifier: Apache-2.0
// Data-dependent (unbacked) sizes in a document for tract.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "src/translate/emitter.h"
#include "src/translate/op_view.h"

namespace t2n::ops {

/// Indices of nonzero elements: i64 [rank, count]. `count` is the symbol of that size, which the
/// document defines from here on.
Ref nonzero(Emitter& out, Ref x, const Dim& count);
/// The same for each axis: i64 [count].
std::vector<Ref> nonzero_indices(Emitter& out, Ref x, const Dim& count);

/// 0, 1, … below a rank-0 number that the graph computes. `count` is the symbol of that number. A
/// negative number is a runtime error.
Ref unbacked_range(Emitter& out, Ref number, const Dim& count);

/// Adds the names of the unbacked sizes in an expression.
void add_unbacked(const Dim& size, std::set<std::string>& out);
/// The value of a size as an i64 number. Errors: `unsupported-argument` if it is not defined.
Ref unbacked_count(Emitter& out, const ir::Symbol& symbol);

/// Operands of a call whose attributes contain unbacked sizes: one of the operands is made
/// dependent on their definitions. Otherwise tract runs the call before it knows the size.
std::vector<Ref> with_dependencies(Emitter& out, std::vector<Ref> operands,
                                   const Attributes& attributes);

/// Operands of an elementwise operation with a result of this shape: constants with which tract
/// would fold it are made dependent on the definition of an unbacked size (src/tract_forms).
std::vector<Ref> dependent_constants(Emitter& out, std::string_view op, std::vector<Ref> operands,
                                     const Shape& shape);

/// A runtime assertion: the model fails if this i64 number, 0 or 1, is 1. Only outside of loops, in
/// engines that support unbacked sizes; elsewhere nothing is emitted.
void require_at_runtime(Emitter& out, Ref fails);
/// Whether the size counts the true elements of exactly this mask.
bool counts(Emitter& out, const Dim& size, Ref mask);

/// Emits the graph's runtime assertions whose sizes are all defined by now.
void emit_runtime_assertions(Emitter& out);
/// The same tensor, dependent on all runtime assertions: if one fails, a slice is out of range.
Ref under_runtime_assertions(Emitter& out, Ref x);

}  // namespace t2n::ops
