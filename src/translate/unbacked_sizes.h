// Sizes that follow from the values of tensors, in a document of tract.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "src/translate/emitter.h"
#include "src/translate/op_view.h"

namespace t2n::ops {

/// Positions of nonzero elements: i64 [rank, count]. `count` is that size's symbol; from here on,
/// the document knows its value.
Ref nonzero(Emitter& out, Ref x, const Dim& count);
/// The same for each axis: i64 [count].
std::vector<Ref> nonzero_indices(Emitter& out, Ref x, const Dim& count);

/// 0, 1, … below a rank-0 number that the graph computes. `count` is that number's symbol. The
/// number must not be negative: the engine fails then.
Ref counted_range(Emitter& out, Ref number, const Dim& count);

/// Adds the names of the born sizes in an expression.
void add_unbacked(const Dim& size, std::set<std::string>& out);
/// The value of a size as an i64 number. Errors: `unsupported-argument` if nothing counted it.
Ref unbacked_count(Emitter& out, const ir::Symbol& symbol);

/// Operands of a call whose attributes contain born sizes: one of the operands is made to follow
/// from what bears them. Otherwise tract runs the call early, before it knows the size.
std::vector<Ref> with_dependencies(Emitter& out, std::vector<Ref> operands,
                                   const Attributes& attributes);

/// Operands of an elementwise operation with a result of this shape. tract takes a product with 0,
/// and a disjunction with true, for a constant, which it spreads to the shape before it knows a
/// born size: such a constant is made to follow from what bears the size.
std::vector<Ref> dependent_constants(Emitter& out, std::string_view op, std::vector<Ref> operands,
                                     const Shape& shape);

/// The model fails where this i64 number, 0 or 1, is 1. Only outside of loops, in engines that
/// support born sizes; elsewhere nothing is emitted.
void require_at_runtime(Emitter& out, Ref fails);
/// Whether the size counts the true elements of exactly this mask.
bool counts(Emitter& out, const Dim& size, Ref mask);

/// Emits the graph's demands on sizes that are all known by now.
void emit_runtime_assertions(Emitter& out);
/// The same tensor, valid only if all demands hold: otherwise a slice is out of range and fails.
Ref under_runtime_assertions(Emitter& out, Ref x);

}  // namespace t2n::ops
