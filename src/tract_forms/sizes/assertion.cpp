// SPDX-License-Identifier: Apache-2.0
#include "src/tract_forms/sizes/assertion.h"

#include "ir/atoms.h"
#include "ir/readable.h"
#include "src/diag/error.h"
#include "src/tract_forms/sizes/size_text.h"

namespace t2n::tract_forms {

ir::Comparison assertion_form(const ir::Comparison& c) {
  if (c.relation == ir::Relation::ne || ir::has_choice(c.left) || ir::has_choice(c.right))
    throw Error("unsupported-argument",
                cat("the assertion ", ir::readable(c), " cannot be expressed in NNEF"),
                "tract supports ==, <, >, <= and >=, without minima and maxima",
                "assert a bound of one size, or an order between two sizes");
  if (ir::is_involved(c))
    throw Error("unsupported-argument",
                cat("the assertion ", ir::readable(c), " is too complex for tract"),
                "tract may not terminate on a product of sizes or a remainder",
                "assert bounds of the individual sizes");
  const ir::Symbol* alone = c.left.as_symbol();
  const bool is_mirrored = alone != nullptr && c.right.mentions(*alone);
  const bool has_quotient =
      ir::has_operation<ir::FloorDiv>(c.left) || ir::has_operation<ir::FloorDiv>(c.right);
  const ir::Comparison out = is_mirrored ? mirrored(c) : has_quotient ? balanced(c) : c;
  for (const ir::Dim& side : {out.left, out.right}) (void)size_text(side);  // refuses
  return out;
}

}  // namespace t2n::tract_forms
