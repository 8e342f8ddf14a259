// SPDX-License-Identifier: Apache-2.0
// Limits of translations, and their reasons: each row states a fact about the engine, the format or
// the operator.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "src/diag/diagnostic.h"

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
  packed_weights,
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

/// The source of the fact. Models in tests/ops/test_limits.cpp demonstrate the facts about engines.
enum class Evidence { engine, format, operation };

struct LimitRow {
  Limit limit;
  std::string_view name;
  std::string_view why;  ///< as worded in diagnostics
  Evidence evidence;
};

std::span<const LimitRow> limit_rows();
const LimitRow& limit_row(Limit limit);

/// A refusal with the message "WHAT has no translation for TARGET". `op`: the operator at the start
/// of `what`, if any.
Diagnostic untranslated(std::string_view id, std::string what, std::string_view target,
                        std::string_view why, std::string_view help = {}, std::string_view op = {});

}  // namespace t2n::target
