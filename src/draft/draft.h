// A document that grows: tensors, statements, constants written at first use, names at the end.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "nnef/names.h"
#include "nnef/walk.h"
#include "src/draft/attribute.h"
#include "src/draft/notes.h"

namespace t2n::draft {

struct Draft;

/// How a dialect writes constants.
struct Notation {
  /// One number as a literal, if that is exact.
  std::function<std::optional<nnef::Value>(const ir::Tensor& number)> literal;
  /// Writes the constant `ref`, of which `base` is left without repeated axes.
  std::function<Ref(Draft& draft, Ref ref, TensorEntry base)> write_repeats;
  /// Errors: `unsupported-argument` for what the format does not store.
  std::function<void(const TensorEntry& entry)> check_stored;
  bool has_widths = true;  ///< of stored floats, and of booleans; else f32, and single bits
  bool has_codes = false;  ///< stores floats as the integers of 8 bits that they are
};

struct Draft {
  explicit Draft(Notation notation_in);

  Notation notation;
  nnef::Document document;
  Notes notes;                      ///< those of tensors are filled in by resolve_names()
  std::deque<TensorEntry> entries;  ///< references stay valid while it grows
  std::vector<Ref> inputs, outputs;
  int place = -1;  ///< of the statements that are appended, in notes.places

  TensorEntry& at(Ref ref);
  const TensorEntry& at(Ref ref) const;
  bool is_constant(Ref ref) const { return at(ref).kind == TensorEntry::Kind::constant; }
  Ref add(TensorEntry entry);
  /// An identifier named after the current place and `word`.
  Ref add_identifier(std::string_view word, DType dtype, const Shape& shape);
  Ref add_constant(ir::Tensor values, std::string name, int uses, bool is_made);

  /// Appends `results = op(arguments)`.
  void append(const std::vector<Ref>& results, std::string_view op,
              std::vector<nnef::Argument> arguments, std::string type = {});
  /// The same with new results, named after the operation. What is said twice is computed once.
  /// (tract fails on a model that says the same comparison twice: "eval() called on a Dummy op".)
  std::vector<Ref> append_call(std::string_view op, std::vector<nnef::Argument> arguments,
                               const std::vector<TensorType>& types, const std::string& type = {});

  nnef::Value name_of(Ref ref) const;  ///< an identifier whose text resolve_names() fills in
  /// The value that all elements of a constant equal, as a literal, if that is exact.
  std::optional<nnef::Value> literal(Ref ref) const;
  /// As an operand: rank-0 constants as literals where exact, other constants as variables.
  nnef::Value operand(Ref ref);
  /// Operands that broadcast by numpy's rule to `shape`, of one rank or as literals. `unsqueezed`
  /// adds that many leading axes.
  std::vector<nnef::Argument> aligned_operands(
      const std::vector<Ref>& operands, const Shape& shape,
      const std::function<Shape(const Shape&, const Shape&)>& joined_shape,
      const std::function<Ref(size_t operand, const Ints& axes)>& unsqueezed);
  /// The identifier; a constant is written now, as a variable or in fewer bytes.
  Ref identifier(Ref ref);
  Ref write_variable(Ref ref);
  /// A variable of Q4_0 blocks, which the constant `packed` holds as bytes.
  Ref write_blocks(Ref packed, DType dtype, const Shape& shape);
  /// In a fragment: gives the identifier of a constant that the graph around writes.
  std::function<Ref(const TensorEntry&)> written_outside;

  // Changes of geometry that need no statement, because they change how a constant is stored;
  // nothing where they would store a large one twice.
  std::optional<Ref> stored_in_shape(Ref ref, const Shape& shape);
  std::optional<Ref> stored_with_axes(Ref ref, const Ints& axes);  ///< those, in this order
  std::optional<Ref> stored_slice(Ref ref, int axis, int64_t begin, int64_t count, int64_t stride);
  std::optional<Ref> stored_repeated(Ref ref, const Shape& shape);
  std::optional<Ref> stored_joined(const std::vector<Ref>& parts, int axis, const Shape& shape);
  std::optional<Ref> stored_cast(Ref ref, DType dtype);

  /// An identifier that no input and none of `named` has, for a result; it is added to `named`.
  Ref own_identifier(Ref ref, std::set<int>& named, const std::function<Ref(Ref)>& copied);
  /// Drops statements, and their blobs, that no output needs.
  void drop_dead();
  /// Gives all tensors their final names, and notes them. Symbols are not theirs.
  void resolve_names(const std::vector<std::string>& symbols);

 private:
  bool may_restore(const TensorEntry& entry) const;
  Ref restored(Ref ref, ir::Tensor values);
  void say_codes();

  std::unordered_map<std::string, std::vector<Ref>> calls_;  ///< by operation and operands
  nnef::UniqueNames labels_;
  std::unordered_map<std::string, int> written_;  ///< blobs by content or place: their identifier
  std::vector<std::pair<Ref, DType>> codes_;      ///< variables of reals that are stored integers
};

/// Calls `visit(id)` for the identifiers in an expression whose text is not settled yet.
template <typename Visit>
void for_each_id(const nnef::Value& value, Visit&& visit) {
  nnef::walk(value, [&](const nnef::Value& v) {
    if (v.kind == nnef::Kind::identifier && v.text.empty()) visit(static_cast<int>(v.integer));
  });
}

}  // namespace t2n::draft
