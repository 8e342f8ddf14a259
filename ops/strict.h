// Flat NNEF 1.0.5, without extensions, for what translations say in tract's words: each call passes
// through a rule that says it in standard operations.
//
// NNEF has three types of tensors, of no width, and computes with `scalar` only. So floats of every
// width are `scalar`; integers are `integer` where they come in, go out or are indices, and
// `scalar` while they are computed with (TensorEntry::is_scalar), exact up to 2^24; booleans are
// `logical`.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "ops/emitter.h"

namespace t2n::ops::strict {

enum class Type { scalar, integer, logical };
std::string_view type_name(Type type);

/// A call on its way into the document.
struct Call {
  std::string_view op;
  const std::vector<Ref>& operands;
  const Attributes& attributes;
  const std::vector<TensorType>& results;
  bool is_aligned = false;  ///< operands broadcast by numpy's rule
  bool is_list = false;     ///< the operands are one argument

  const TensorType& result() const { return results.at(0); }
  const nnef::Value* find(std::string_view name) const;
  const nnef::Value& at(std::string_view name) const;
  Ints ints(std::string_view name) const;
  std::vector<std::pair<int64_t, int64_t>> pairs(std::string_view name) const;  ///< padding
};

/// Says the call in standard operations.
/// Errors: `unsupported-op`, `unsupported-argument` where they cannot.
std::vector<Ref> lower(const Call& call, Emitter& out);

/// A fragment of ops/fragments, statement by statement.
std::vector<Ref> inline_fragment(const nnef::Fragment& fragment, const Call& call, Emitter& out);

// What rules are made of. `out` emits for a strict target.

Type type_of(Emitter& out, Ref x);
/// Which stored integers are taken: those that sums and products may hold exactly, up to 2^24, or
/// all that are exact themselves.
enum class Range { computable, comparable };
/// The same numbers as a float: integers and booleans become `scalar`.   Errors:
/// `unsupported-argument` for stored integers out of range.
Ref as_number(Emitter& out, Ref x, Range range = Range::computable);
/// Integers as `integer`.
Ref as_integer(Emitter& out, Ref x);
/// The same numbers under another dtype, that hold what they held: `scalar` or `integer`.
Ref retyped(Emitter& out, Ref x, DType dtype);
/// Numbers modulo the range of a narrow integer dtype.
Ref wrapped(Emitter& out, Ref x, DType dtype);
/// A scalar of that value.
inline Ref number(Emitter& out, double value) { return out.scalar(value, DType::f32); }
/// Truncated towards zero.
Ref truncated(Emitter& out, Ref x);

/// How a statement is written.
struct Form {
  bool is_aligned = false;
  bool is_list = false;
  std::string_view generic = {};  ///< `cast<scalar>`
};
/// Appends a statement as it is; the result holds what `type.dtype` asks for, integers as
/// `integer`.
Ref emit(Emitter& out, std::string_view op, const std::vector<Ref>& operands,
         const Attributes& attributes, const TensorType& type, const Form& form = {});
std::vector<Ref> emit_all(Emitter& out, std::string_view op, const std::vector<Ref>& operands,
                          const Attributes& attributes, const std::vector<TensorType>& types,
                          const Form& form = {});

/// Refuses what no composition of standard operations says.
[[noreturn]] void refuse(const Call& call, Emitter& out, std::string_view why,
                         std::string_view help = {});

using Rule = std::vector<Ref> (*)(const Call& call, Emitter& out);
struct RuleRow {
  std::string_view op;
  Rule rule;
};
// The tables of rules, by family.
std::vector<RuleRow> number_rules();
std::vector<RuleRow> shape_rules();
std::vector<RuleRow> index_rules();
std::vector<RuleRow> product_rules();
std::vector<RuleRow> scan_rules();

}  // namespace t2n::ops::strict
