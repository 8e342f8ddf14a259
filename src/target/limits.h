// What no translation says, and why: each row is a fact about the engine, the format or the
// operator.
#pragma once

#include <span>
#include <string_view>

namespace t2n::target {

enum class Limit {
  alignments,
  backward_output,
  computed_value,
  data_dependent_shape,
  integer_convolution,
  integer_interpolation,
  integer_product_size,
  mask_without_axes,
  matrix_decomposition,
  matrix_inverse,
  memory_layout,
  narrow_integers,
  omitted_pass,
  outside_memory,
  packed_sequence,
  quotient_f64,
  random_numbers,
  reinterpretation,
  running_statistics,
  several_numbers,
  too_many_steps,
  unbounded_steps,
  unknown_size,
  unspecified_choice,
};

/// Where the fact is from. What an engine does is shown by a hand-written model in
/// tests/ops/test_limits.cpp.
enum class Evidence { engine, format, operation };

struct LimitRow {
  Limit limit;
  std::string_view name;
  std::string_view why;  ///< as diagnostics say it
  Evidence evidence;
};

std::span<const LimitRow> limit_rows();
const LimitRow& limit_row(Limit limit);

}  // namespace t2n::target
