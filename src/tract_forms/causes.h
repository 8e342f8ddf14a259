// SPDX-License-Identifier: Apache-2.0
// Why documents for tract contain forms that NNEF does not need.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace t2n::tract_forms {

/// What tract gets wrong, where the plain form is right by its own documents.
enum class Cause {
  number_everywhere,       ///< a factor whose elements are all one known number
  broadcast_factor,        ///< a factor that repeats along an axis
  packed_after_concat,     ///< a factor of packed weights that is a concatenation
  state_times_zero,        ///< a factor 0 of a state of a scan
  integer_factor_in_body,  ///< an integer constant that multiplies such a state
  zero_of_unbacked_size,   ///< a product with 0 over a data-dependent size
  size_without_input,      ///< a size that no input of a body has
  two_factors,             ///< constants that scale a tensor one after the other
  size_factor,             ///< a factor that is computed from sizes
  small_size_factor,       ///< the same, multiplied by a small constant
  size_in_body,            ///< the same in the body of a scan
  split_packed_weight,     ///< a product with packed weights that is not transposed
  common_factor,           ///< a quotient of a sum with a common factor
  joined_quotients,        ///< a difference of quotients
  quotient_less_number,    ///< a quotient less a number
  equal_sizes,             ///< sizes that are equal, but not as polynomials
  mixed_assertion,         ///< an assertion on a product of symbols, or on a remainder
  assertion_quotients,     ///< an assertion with quotients
  integer_factors,         ///< integer constants that multiply one tensor
  crossing_scans,          ///< results of scans along different axes, combined
};

struct CauseRow {
  Cause cause;
  std::string_view entry;  ///< the title or the first words of its entry in docs/engine_bugs.md
  std::string_view file;   ///< the source that avoids it
};

std::span<const CauseRow> causes();

/// An operand of a call that tract must not recognise: it is gathered, entry by entry.
struct Barrier {
  size_t operand = 0;
  Cause cause;
};
using Barriers = std::vector<Barrier>;

}  // namespace t2n::tract_forms
