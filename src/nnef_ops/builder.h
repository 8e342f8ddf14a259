// SPDX-License-Identifier: Apache-2.0
// Builds the document in standard NNEF, for the rules; sizes of all tensors are known.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "src/draft/draft.h"
#include "src/nnef/walk.h"
#include "src/spec/bound_call.h"
#include "src/target/target.h"

namespace t2n::nnef_ops {

using draft::Attribute;
using draft::Attributes;
using draft::TensorType;
using ir::Dim;
using ir::DType;
using ir::Ints;
using ir::Shape;

enum class NumberType { scalar, integer, logical };
std::string_view type_name(NumberType type);

/// A tensor of the new document, with the dtype of its numbers, independent of their NNEF type.
struct Ref {
  draft::Ref tensor;
  DType dtype = DType::f32;
  bool is_scalar = false;  ///< integers that are `scalar` in computations
};
NumberType type_of(Ref x);
using Refs = std::vector<Ref>;

/// How a statement is written.
struct Form {
  bool is_aligned = false;        ///< operands broadcast by numpy's rule
  bool is_list = false;           ///< the operands are one argument
  std::string_view generic = {};  ///< `cast<scalar>`
};
inline constexpr Form kAligned{.is_aligned = true};

/// Every method that makes a tensor emits standard operations. Axes are non-negative; shapes are
/// those of the result.
class Builder {
 public:
  Builder(const nnef::Document& source, const draft::Notes& notes, const target::Target& target);

  DType dtype(Ref x) const { return x.dtype; }
  const Shape& shape(Ref x) const { return draft_.at(x.tensor).shape; }
  Ints sizes(Ref x) const { return ir::static_shape(shape(x)); }
  int rank(Ref x) const { return static_cast<int>(shape(x).size()); }
  bool is_constant(Ref x) const { return draft_.is_constant(x.tensor); }
  std::optional<ir::Tensor> constant_value(Ref x) const;

  Ref scalar(double value, DType dtype);
  Ref constant(ir::Tensor values, std::string_view name);
  Ref full(Ref scalar, const Shape& shape) { return broadcast_to(scalar, shape); }

  // Applied to constants, these change the stored geometry and add no statement.
  Ref reshape(Ref x, const Shape& shape);
  Ref unsqueeze(Ref x, const Ints& axes);  ///< positions in the result, ascending
  Ref squeeze(Ref x, const Ints& axes);
  Ref transpose(Ref x, const Ints& permutation);
  Ref slice(Ref x, int axis, int64_t begin, int64_t end, int64_t stride = 1);
  Ref concat(const Refs& parts, int axis);
  Ref broadcast_to(Ref x, const Shape& shape);
  Ref pad(Ref x, const spec::Pairs& padding, double value);
  Ref cast(Ref x, DType dtype);

  // Calls of tract's operations.
  Ref call(std::string_view op, const Refs& operands, const Attributes& attributes, DType dtype,
           const Shape& shape);
  /// An operation that broadcasts. `dtype` defaults to that of the first operand.
  Ref elementwise(std::string_view op, const Refs& operands, std::optional<DType> dtype = {});

  /// Appends a statement unchanged; results have the NNEF types of their dtypes, integers are
  /// `integer`.
  Refs emit_all(std::string_view op, const Refs& operands, const Attributes& attributes,
                const std::vector<TensorType>& types, const Form& form = {});

  /// The tensor of the new document for one of the old document, or a literal.
  Ref tensor(const nnef::Value& value);
  /// A fragment of the old document, or nullptr.
  const nnef::Fragment* fragment(std::string_view name) const { return fragments_.find(name); }
  bool is_positions(Ref index) const { return positions_.contains(index.tensor.id); }
  draft::Draft& draft() { return draft_; }
  const std::string& target_name() const { return target_name_; }
  /// The model's operator at the current location; "" if there is none.
  std::string_view operator_name() const;

  /// Sets the location of the following statements, an index in Notes::locations; -1: none.
  void begin(int location);
  /// Binds the result of an old statement to its tensor.
  void bind(const std::string& name, Ref x);

 private:
  static Ref with(draft::Ref stored, Ref x) { return {stored, x.dtype, x.is_scalar}; }
  Ref empty(DType dtype, const Shape& shape);
  std::vector<nnef::Argument> aligned(const Refs& operands);

  draft::Draft draft_;
  const draft::Notes& notes_;
  std::string target_name_;
  std::unordered_map<std::string, Ref> tensors_;  ///< by identifier in the old document
  nnef::FragmentTable fragments_;
  std::unordered_set<int> positions_;  ///< indices without negative entries
  size_t first_of_location_ = 0;       ///< the first entry of the current location
};

}  // namespace t2n::nnef_ops
