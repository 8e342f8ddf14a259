// SPDX-License-Identifier: Apache-2.0
// A document under construction: tensors, statements, constants written on first use, final names.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "src/draft/attribute.h"
#include "src/draft/notes.h"
#include "src/nnef/names.h"
#include "src/nnef/walk.h"

namespace t2n::draft {

struct Draft;

/// A dialect's notation of constants.
struct Notation {
  /// A number as a literal, if that is exact.
  std::function<std::optional<nnef::Value>(const ir::Tensor& number)> literal;
  /// Writes the constant `ref`; `base` is the constant without broadcast axes.
  std::function<Ref(Draft& draft, Ref ref, TensorEntry base)> write_broadcast;
  /// Errors: `unsupported-argument` for values that the format cannot store.
  std::function<void(const TensorEntry& entry)> check_stored;
  /// Errors: `unsupported-argument` for symbolic sizes that the dialect cannot express.
  void (*check_size)(const Dim& size) = nullptr;
  bool has_widths = true;  ///< floats and booleans keep their width; otherwise f32, and single bits
  bool has_codes = false;  ///< stores floats that are 8-bit integers as such
};

struct Draft {
  explicit Draft(Notation notation_in);

  Notation notation;
  nnef::Document document;
  Notes notes;                      ///< resolve_names() fills in those of tensors
  std::deque<TensorEntry> entries;  ///< references stay valid as it grows
  std::vector<Ref> inputs, outputs;
  int location = -1;  ///< of appended statements, in notes.locations

  TensorEntry& at(Ref ref);
  const TensorEntry& at(Ref ref) const;
  bool is_constant(Ref ref) const { return at(ref).kind == TensorEntry::Kind::constant; }
  Ref add(TensorEntry entry);
  /// An identifier named by the current location and `name_hint`.
  Ref add_identifier(std::string_view name_hint, DType dtype, const Shape& shape);
  Ref add_constant(ir::Tensor values, std::string name, int uses, bool is_generated);

  /// Appends `results = op(arguments)`.
  void append(const std::vector<Ref>& results, std::string_view op,
              std::vector<nnef::Argument> arguments, std::string type = {});
  /// The same with new results, named by the operation. Equal calls are computed once. (tract fails
  /// on a model with two equal comparisons: "eval() called on a Dummy op".)
  std::vector<Ref> append_call(std::string_view op, std::vector<nnef::Argument> arguments,
                               const std::vector<TensorType>& types, const std::string& type = {});

  nnef::Value reference(Ref ref) const;  ///< of an identifier, which resolve_names() names
  /// The value of all elements of a constant, as a literal, if that is exact.
  std::optional<nnef::Value> literal(Ref ref) const;
  /// A tensor as an operand: rank-0 constants as literals if exact, other constants as variables.
  nnef::Value operand(Ref ref);
  /// Operands that broadcast to `shape` by numpy's rule, with one rank or as literals. `unsqueezed`
  /// adds the leading `axes`.
  std::vector<nnef::Argument> aligned_operands(
      const std::vector<Ref>& operands, const Shape& shape,
      const std::function<Shape(const Shape&, const Shape&)>& joined_shape,
      const std::function<Ref(size_t operand, const Ints& axes)>& unsqueezed);
  /// The identifier; a constant is written now, as a variable or in a shorter form.
  Ref identifier(Ref ref);
  Ref write_variable(Ref ref);
  /// A variable of Q4_0 blocks, whose bytes are the constant `packed`.
  Ref write_blocks(Ref packed, DType dtype, const Shape& shape);
  /// In a fragment: gives the identifier of a constant that the outer graph writes.
  std::function<Ref(const TensorEntry&)> written_outside;

  // Changes of geometry without a statement: they change how a constant is stored. Empty if a large
  // one would be stored twice.
  std::optional<Ref> stored_in_shape(Ref ref, const Shape& shape);
  std::optional<Ref> stored_with_axes(Ref ref, const Ints& axes);  ///< only `axes`, in this order
  std::optional<Ref> stored_slice(Ref ref, int axis, int64_t begin, int64_t count, int64_t stride);
  std::optional<Ref> stored_repeated(Ref ref, const Shape& shape);
  std::optional<Ref> stored_joined(const std::vector<Ref>& parts, int axis, const Shape& shape);
  std::optional<Ref> stored_cast(Ref ref, DType dtype);

  /// An identifier for a result that no input and none of `named` has; it is added to `named`.
  Ref own_identifier(Ref ref, std::set<int>& named, const std::function<Ref(Ref)>& copied);
  /// Drops statements, and their blobs, that no output needs.
  void drop_dead();
  /// Gives all tensors their final names, and notes them. Names of symbols are taken.
  void resolve_names(const std::vector<std::string>& symbols);

 private:
  void check_sizes(const nnef::Value& value) const;
  Ref append_variable(const TensorEntry& entry, const Shape& shape, nnef::Blob blob, DType dtype);
  bool may_change_storage(const TensorEntry& entry) const;
  Ref stored_as(Ref ref, ir::Tensor values);
  void note_codes();

  std::unordered_map<std::string, std::vector<Ref>> calls_;  ///< by operation and operands
  nnef::UniqueNames labels_;
  std::unordered_map<std::string, int> written_;  ///< blobs by content or address: their identifier
  std::unordered_map<std::string, int> casts_;    ///< constants in another dtype, by blob and dtype
  std::vector<std::pair<Ref, DType>> codes_;      ///< float variables that are stored as integers
};

/// Calls `visit(id)` for the tensors of a draft in an expression.
template <typename Visit>
void for_each_id(const nnef::Value& value, Visit&& visit) {
  nnef::walk(value, [&](const nnef::Value& v) {
    if (v.kind == nnef::Kind::reference) visit(static_cast<int>(v.integer));
  });
}

}  // namespace t2n::draft
