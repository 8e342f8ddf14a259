// SPDX-License-Identifier: Apache-2.0
// Facts about operators by name: one table instead of lists in every folder.
#pragma once

#include <string_view>
#include <vector>

#include "ir/op_registry.h"

namespace t2n::ir {

enum class OpTrait {
  // By short name (op_short_name), for every overload and in-place form.
  random,             ///< the results are drawn at random
  uninitialised,      ///< the results are uninitialised memory
  predicate,          ///< the results are booleans, whatever dtype it computes in
  sums,               ///< the results are sums of many elements
  recurrent,          ///< layers over all steps of a sequence
  mixes,              ///< the results are sums of products of many elements, or norms
  steps,              ///< rounds floats, or jumps: a step function of the operands
  autocast_narrow,    ///< torch's autocast computes it in 16 bits
  autocast_wide,      ///< torch's autocast computes it in f32
  takes_wide_number,  ///< with f16, does not round a number as the second operand to f16 first
  // By name without overload.
  compares_first,        ///< compares the first operand with a number, or limits it by one
  moves_elements,        ///< elements of the operands, rearranged, selected or repeated
  keeps_values,          ///< the results hold exact values of the first operand, or a part of them
  copies_by_layout,      ///< returns a view or, depending on the memory layout, a copy
  changes_view,          ///< writes a tensor's geometry only: the object becomes a new view
  repeats_elements,      ///< a view that shows an element of its base more than once
  fills,                 ///< a write that reads one number before it writes
  divides,               ///< fails for zeros if the operands are integers
  indexes,               ///< fails for indices out of range
  keeps_shape,           ///< the shape depends on the operands' shapes only, not on values
  reads_memory,          ///< kernels that read values without an operator that shows it
  reads_no_size,         ///< reads numbers to check them, or as values, and not as sizes
  reads_shape_of_other,  ///< does not read the values of `other`
  gives_unbacked_size,   ///< the size of an axis of the result may depend on values
  // By name with overload.
  reads_bits,           ///< the result has another meaning in another precision
  keeps_all_values,     ///< the result holds every value of the first operand, and no others
  reads_shape_of_self,  ///< does not read the values of `self`
};

/// The names that have a trait, as written in the table.
std::vector<std::string_view> names_with(OpTrait trait);
/// `name` as in the table, without "aten::": "aten::fill.Scalar", "aten::split", or a short name.
bool has_trait(std::string_view name, OpTrait trait);

/// What the traits of an operator are called, under any of its names.
std::vector<std::string_view> traits_of(OpId op);

/// For any overload and in-place form.
bool is_random(OpId op);
/// Random, or uninitialised memory: the result does not depend on the arguments alone.
bool is_unpredictable(OpId op);

}  // namespace t2n::ir
