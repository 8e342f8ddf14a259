// SPDX-License-Identifier: Apache-2.0
// Sizes as numbers that the graph computes at run time.
#include "src/tract_forms/size_barriers.h"
#include "src/translate/arith.h"
#include "src/translate/emitter_state.h"
#include "src/translate/integer_division.h"
#include "src/translate/sizes.h"
#include "src/translate/unbacked_sizes.h"

namespace t2n::ops {
namespace {

Ref computed_atom(Emitter& out, const ir::Atom& atom) {
  const ir::Operands* operands = ir::operands_of(atom);
  if (operands == nullptr && std::get<ir::Symbol>(atom).unbacked() != nullptr)
    return unbacked_count(out, std::get<ir::Symbol>(atom));
  if (operands == nullptr)
    return tract_forms::size_barrier(out.state(),
                                     out.size(Dim::symbol(std::get<ir::Symbol>(atom)), DType::i64));
  const Ref a = computed_size(out, operands->a), b = computed_size(out, operands->b);
  if (std::holds_alternative<ir::Min>(atom)) return out.elementwise("min", {a, b});
  if (std::holds_alternative<ir::Max>(atom)) return out.elementwise("max", {a, b});
  const Ref quotient = divide_integers(out, a, b, Rounding::floor).quotient;
  return std::holds_alternative<ir::FloorDiv>(atom) ? quotient : sub(out, a, mul(out, quotient, b));
}

}  // namespace

Ref computed_size(Emitter& out, const Dim& size) {
  Ref sum = out.scalar(size.constant_part(), DType::i64);
  for (const ir::Term& term : size.terms()) {
    Ref product = out.scalar(term.factor, DType::i64);
    for (const ir::Atom& atom : term.atoms) product = mul(out, product, computed_atom(out, atom));
    sum = add(out, sum, product);
  }
  return sum;
}

}  // namespace t2n::ops
