// Rules: standard operations for each operation of tract.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "src/nnef_ops/builder.h"

namespace t2n::strict {

/// A call of an operation of tract.
struct Call {
  std::string_view op;
  const std::vector<Ref>& operands;
  const Attributes& attributes;
  const std::vector<TensorType>& results;
  Form form;                  ///< of the operands
  std::vector<bool> is_read;  ///< per result: whether it is used; empty: all are

  const TensorType& result() const { return results.at(0); }
  const nnef::Value* find(std::string_view name) const;
  const nnef::Value& at(std::string_view name) const;
  Ints ints(std::string_view name) const;
  std::vector<std::pair<int64_t, int64_t>> pairs(std::string_view name) const;  ///< padding
};

/// Emits the call as standard operations.   Errors: `unsupported-argument` if that is impossible.
std::vector<Ref> lower(const Call& call, Builder& out);

/// Emits a fragment, statement by statement.
std::vector<Ref> inline_fragment(const nnef::Fragment& fragment, const Call& call, Builder& out);

// Helpers of rules.

/// Which stored integers are accepted: those whose sums and products may be exact, up to 2^24, or
/// all that are exact themselves.
enum class Exactness { computable, comparable };
/// The same numbers as floats: integers and booleans become `scalar`.   Errors:
/// `unsupported-argument` for stored integers out of range.
Ref as_number(Builder& out, Ref x, Exactness exactness = Exactness::computable);
/// Integers as `integer`.
Ref as_integer(Builder& out, Ref x);
/// The same numbers with another dtype; the NNEF type stays `scalar` or `integer`.
Ref retyped(Builder& out, Ref x, DType dtype);
/// Numbers modulo the range of a narrow integer dtype.
Ref wrapped(Builder& out, Ref x, DType dtype);
/// A scalar of that value.
inline Ref number(Builder& out, double value) { return out.scalar(value, DType::f32); }
/// Truncated towards zero.
Ref truncated(Builder& out, Ref x);
/// Builder::emit_all() for one result.
Ref emit(Builder& out, std::string_view op, const std::vector<Ref>& operands,
         const Attributes& attributes, const TensorType& type, const Form& form = {});

/// Refuses a call that standard operations cannot express.
[[noreturn]] void refuse(const Call& call, Builder& out, std::string_view why,
                         std::string_view help = {});

using Rule = std::vector<Ref> (*)(const Call& call, Builder& out);
struct RuleRow {
  std::string_view op;
  Rule rule;
};
// The tables of rules, by subject.
std::vector<RuleRow> number_rules();
std::vector<RuleRow> shape_rules();
std::vector<RuleRow> index_rules();
std::vector<RuleRow> product_rules();
std::vector<RuleRow> scan_rules();

}  // namespace t2n::strict
