// SPDX-License-Identifier: Apache-2.0
#include "src/tract_forms/causes.h"

namespace t2n::tract_forms {

std::span<const CauseRow> causes() {
  static constexpr CauseRow kRows[] = {
      {Cause::number_everywhere, "Products of tensors that are entirely 0", "uniform.cpp"},
      {Cause::broadcast_factor, "Products of broadcast tensors", "broadcast_axes.cpp"},
      {Cause::packed_after_concat, "Packed weights after a concatenation", "broadcast_axes.cpp"},
      {Cause::state_times_zero, "A state times 0, a result that is the same in every iteration",
       "uniform.cpp"},
      {Cause::integer_factor_in_body, "An integer factor in the body of a scan", "uniform.cpp"},
      {Cause::zero_of_unbacked_size, "Products with 0 over data-dependent sizes", "uniform.cpp"},
      {Cause::size_without_input, "Sizes that no input of a body has", "body_sizes.cpp"},
      {Cause::two_factors, "Two float factors", "factors.cpp"},
      {Cause::size_factor, "Several products with sizes", "size_barriers.cpp"},
      {Cause::small_size_factor, "A small factor of a size", "size_barriers.cpp"},
      {Cause::size_in_body, "A number that depends on sizes in the body of a scan",
       "size_barriers.cpp"},
      {Cause::split_packed_weight, "A product with packed weights (Q4_0) that is not transposed",
       "packed.cpp"},
      {Cause::common_factor, "Quotients of sums with a common factor", "sizes/size_text.cpp"},
      {Cause::joined_quotients, "Quotients brought together", "sizes/size_text.cpp"},
      {Cause::quotient_less_number, "A quotient less a number", "sizes/size_text.cpp"},
      {Cause::equal_sizes, "Sizes that are equal, but not as polynomials", "sizes/size_text.cpp"},
      {Cause::mixed_assertion, "An assertion that mixes symbols", "sizes/assertion.cpp"},
      {Cause::assertion_quotients, "Assertions with quotients", "sizes/assertion.cpp"},
      {Cause::integer_factors, "Many integer factors of one tensor", "regions.cpp"},
      {Cause::crossing_scans, "Results of scans along different axes", "layouts.cpp"},
  };
  return kRows;
}

}  // namespace t2n::tract_forms
