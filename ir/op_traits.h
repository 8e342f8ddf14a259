// What is known of operators by name, whoever asks: one table instead of lists in every folder.
#pragma once

#include <string_view>
#include <vector>

#include "ir/op_registry.h"

namespace t2n::ir {

enum class OpTrait {
  // By short name (op_short_name), in every overload and in-place form.
  random,         ///< the results are drawn at random
  uninitialised,  ///< the results are memory that nobody wrote
  predicate,      ///< yes or no, whatever it computes in
  sums,           ///< results are sums of many elements
  // By name without overload.
  compares_first,  ///< the first operand is compared with a number, or limited by one
  moves_elements,  ///< results are elements of what is given, moved or repeated, whatever they are
  keeps_values,    ///< results hold the very values of the first operand, or a part of them
  copies_by_layout,  ///< a view where the memory is in order, else a copy
  changes_view,      ///< a write of the tensor's geometry only: a new view under the same object
  repeats_elements,  ///< a view that shows an element of its base several times
  fills,             ///< a write that reads a number once, before anything is written
  divides,           ///< fails for zeros, where the operands are integers
  indexes,           ///< fails for indices that are outside
  keeps_shape,       ///< the shape follows from those of the operands, whatever is looked up
  reads_memory,      ///< kernels that read values by themselves: no operator in them says so
  reads_no_size,     ///< numbers are read to check them, or as values, and not as sizes
  reads_shape_of_other,  ///< the values of `other` do not count
  bears_size,            ///< the size of an axis of the result may be in the values
  // By name with overload.
  reads_bits,           ///< the result is another thing in another precision
  keeps_all_values,     ///< the result holds every value of the first operand, and no others
  reads_shape_of_self,  ///< the values of `self` do not count
};

/// The names of a trait, as the table has them.
std::vector<std::string_view> names_with(OpTrait trait);
/// `name` as the table has it, "aten::" aside: "aten::fill.Scalar", "aten::split", or a short name.
bool has_trait(std::string_view name, OpTrait trait);

/// In any overload and in-place form.
bool is_random(OpId op);
/// Random, or memory that nobody wrote: the result does not follow from the arguments.
bool is_unpredictable(OpId op);

}  // namespace t2n::ir
