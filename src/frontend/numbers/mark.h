// SPDX-License-Identifier: Apache-2.0
// Marks: what a number of the program depends on (a taint). The mark is part of the number and
// stays with it wherever TorchScript stores the number.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "ir/comparison.h"
#include "ir/graph.h"
#include "src/frontend/numbers/formula.h"

namespace t2n::trace {

/// A float that equals `number` / `divisor` if floats can represent the quotient; else it differs
/// from it by at most `roundings` roundings.
struct Ratio {
  ir::Dim number;
  int64_t divisor = 1;
  int roundings = 0;  ///< 0: the float is the quotient for all sizes
  int skew = 0;       ///< 1, -1: the float may be above, below a representable quotient
  int bits = 53;      ///< width of the mantissa that was rounded to
};

/// An integer that equals an expression over sizes.
struct SizeMark {
  ir::Dim size;
};
/// A number that depends on sizes, without an expression.
struct OpaqueMark {
  ir::Dim sizes;               ///< the sum of the symbols that it depends on, each once
  FormulaRef formula;          ///< computes exactly this number in the graph; may be null
  std::optional<Ratio> ratio;  ///< the exact value of a float
};
/// A bool that states a condition on sizes.
struct ConditionMark {
  ir::Dim sizes;  ///< as above
  ir::Comparison comparison;
  FormulaRef truth;  ///< computes the bool in the graph; may be null
};
/// A number that was read from the values of a tensor.
struct DataMark {
  std::string origin;  ///< "aten::item (model.py:8)"
  /// Computes exactly this number in the graph. Only the mark of the number itself has one, never a
  /// mark derived from it.
  FormulaRef formula;
};
/// Null for a plain number, which is the same for all inputs.
using Mark = std::shared_ptr<const std::variant<SizeMark, OpaqueMark, ConditionMark, DataMark>>;

// Null if no size matters.
Mark size_mark(ir::Dim size);
Mark opaque_mark(const ir::Dim& sizes, FormulaRef formula = {}, std::optional<Ratio> ratio = {});
Mark condition_mark(ir::Comparison comparison, FormulaRef truth = {});
Mark data_mark(std::string origin, FormulaRef formula = {});

bool is_data(const Mark& mark);
bool is_size(const Mark& mark);
bool is_opaque(const Mark& mark);  ///< an opaque number or a condition

// Parts of a mark, which may be null.

/// The expression of an integer over sizes.
std::optional<ir::Dim> exact_size(const Mark& mark);
/// The same; a plain integer is its own expression.
ir::Dim size_or(const Mark& mark, int64_t number);
/// The expression, else the sum of the symbols, else 0.
ir::Dim sizes_of(const Mark& mark);
std::optional<ir::Comparison> comparison_of(const Mark& mark);
std::optional<Ratio> ratio_of(const Mark& mark);
FormulaRef formula_of(const Mark& mark);  ///< opaque or data
FormulaRef data_formula(const Mark& mark);
FormulaRef truth_of(const Mark& mark);
std::string origin_of(const Mark& mark);  ///< only of data

/// The mark of a number computed from a number with this mark.
Mark derived_mark(const Mark& mark);
/// Whether it depends on the iteration number of a loop that is recorded as one scan.
bool depends_on_iteration(const Mark& mark);

/// The mark of a value that depends on both: data if one of them is data, else opaque.
Mark join(const Mark& a, const Mark& b);
/// The same, but either may be null; then the result is the other one.
Mark either(const Mark& a, const Mark& b);

// A marked number is an IValue of tag SymInt, SymFloat or SymBool whose node is ours. Torch's own
// containers keep the node, and toInt(), toDouble() and toBool() give the number.

/// The mark of a number; null for anything else.
Mark mark_of(const c10::IValue& value);
/// The number without its mark; any other value as it is.
c10::IValue unmarked(const c10::IValue& value);
/// An int, float or bool with a mark; the plain number if the mark is null.
c10::IValue marked(const c10::IValue& number, const Mark& mark);
/// int, float or bool, marked or not.
bool is_number(const c10::IValue& value);
/// True for two None, equal numbers or equal strings. Floats are compared by their bits: the sign
/// of zero counts.
bool are_identical(const c10::IValue& a, const c10::IValue& b);

/// While an object lives, it collects the marks of numbers that torch's own code reads.
class ReadMarks {
 public:
  ReadMarks();
  ~ReadMarks();
  ReadMarks(const ReadMarks&) = delete;
  ReadMarks& operator=(const ReadMarks&) = delete;
  const Mark& seen() const { return seen_; }

 private:
  friend class MarkedNode;
  Mark seen_;
  ReadMarks* outer_;
};

}  // namespace t2n::trace
