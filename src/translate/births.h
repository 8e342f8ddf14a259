// Sizes that follow from the values of tensors, in a document of tract.
#pragma once

#include <vector>

#include "src/translate/emitter.h"
#include "src/translate/op_view.h"

namespace t2n::ops {

/// Where a tensor is not zero: i64 [rank, count]. `count` is the symbol of that size; what it
/// stands for is known to the document from here on.
Ref nonzero(Emitter& out, Ref x, const Dim& count);
/// The same along each axis: i64 [count].
std::vector<Ref> nonzero_places(Emitter& out, Ref x, const Dim& count);

/// 0, 1, … for a number, of rank 0, that the graph computes; `count` is the symbol of that number,
/// which must not be negative: else the engine fails.
Ref counted_range(Emitter& out, Ref number, const Dim& count);

/// How many there are, as a number of i64. Errors: `unsupported-argument` where nothing counted it.
Ref born_count(Emitter& out, const ir::Symbol& symbol);

/// Operands of a call whose attributes hold such sizes: one of them follows from what bears them.
/// tract runs what follows from nothing first, and knows no such size then.
std::vector<Ref> tied(Emitter& out, std::vector<Ref> operands, const Attributes& attributes);

/// The model fails where this number of i64, 0 or 1, is 1: outside of loops, in engines that know
/// such sizes; said nowhere else.
void demand(Emitter& out, Ref fails);
/// Whether the size is the number of true elements of just this mask.
bool counts(Emitter& out, const Dim& size, Ref mask);

/// Takes up what the graph demands of sizes that are all known by now.
void take_demands(Emitter& out);
/// The same tensor, after all demands hold: else the engine fails, as a slice is outside.
Ref under_demands(Emitter& out, Ref x);

}  // namespace t2n::ops
