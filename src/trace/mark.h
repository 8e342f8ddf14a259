// What a number of the program is made of, kept in the number itself: wherever TorchScript puts it,
// it takes its mark along.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ir/comparison.h"
#include "ir/graph.h"
#include "src/trace/formula.h"

namespace t2n::trace {

struct MarkInfo {
  enum class Kind {
    size,    ///< an integer: `size` over symbols of sizes
    opaque,  ///< follows from sizes in a way that `size` cannot say
    data,    ///< read from the values of a tensor
  };
  Kind kind = Kind::size;
  ir::Dim size;        ///< opaque: the sum of the symbols that it follows from, each once
  std::string origin;  ///< data: "aten::item (model.py:8)"
  std::optional<ir::Comparison> comparison;  ///< opaque: the bool is what this says
  /// opaque, data: exactly this number, as a graph can compute it. Of data it stands in the mark of
  /// the number itself alone, never in that of what follows from it.
  FormulaRef formula;
  /// opaque: the real number is exactly size / divisor, for all sizes.
  std::optional<std::pair<ir::Dim, int64_t>> ratio;
};
/// Null for a plain number: the same whatever the inputs hold.
using Mark = std::shared_ptr<const MarkInfo>;

Mark size_mark(ir::Dim size);
Mark data_mark(std::string origin, FormulaRef formula = {});
Mark comparison_mark(ir::Comparison comparison);
/// Follows from the symbols of `sizes`; null if there are none.
Mark opaque_mark(const ir::Dim& sizes);

bool is_data(const Mark& mark);
bool is_size(const Mark& mark);
bool is_opaque(const Mark& mark);
/// The formula of what was read from values; null where there is none.
FormulaRef data_formula(const Mark& mark);
/// The same for what only follows from the number.
Mark following(const Mark& mark);
/// Follows from the number of an iteration of a loop that is recorded as one scan.
bool depends_on_iteration(const Mark& mark);

/// What follows from both: data if one of them is, else opaque.
Mark join(const Mark& a, const Mark& b);
/// The same where one may be null: the other one.
Mark either(const Mark& a, const Mark& b);

// A marked number is an IValue of tag SymInt, SymFloat or SymBool whose node is ours. Torch's own
// containers keep it, and toInt(), toDouble() and toBool() give the number.

/// The mark of a number; null for anything else.
Mark mark_of(const c10::IValue& value);
/// The number without its mark; any other value as it is.
c10::IValue unmarked(const c10::IValue& value);
/// An int, float or bool with a mark; the plain number if the mark is null.
c10::IValue marked(const c10::IValue& number, const Mark& mark);
/// int, float or bool, marked or not.
bool is_number(const c10::IValue& value);
/// Both None, or the same number or string. Reals are compared by their bits: the sign of zero
/// counts.
bool are_identical(const c10::IValue& a, const c10::IValue& b);

/// While it lives, notes the marks of numbers that torch's own code reads.
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
