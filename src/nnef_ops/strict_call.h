// SPDX-License-Identifier: Apache-2.0
// A strict rule's view of a call: it emits standard operations for one of tract's.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "src/nnef_ops/book.h"
#include "src/nnef_ops/builder.h"

namespace t2n::nnef_ops {

/// A call of an operation of tract.
struct StrictCall {
  std::string_view op;
  const Refs& operands;
  const Attributes& attributes;
  const std::vector<TensorType>& results;
  Form form;                  ///< of the operands
  std::vector<bool> is_read;  ///< per result: whether it is used; empty: all are

  const TensorType& result() const { return results.at(0); }
  const nnef::Value* find(std::string_view name) const;  ///< nullptr if it is not given
  /// The attribute, else its default in tract.
  const nnef::Value& at(std::string_view name) const;
  Ints ints(std::string_view name) const { return spec::ints_of(at(name)); }
  spec::Pairs pairs(std::string_view name) const { return spec::pairs_of(at(name)); }
};

/// Emits the call as standard operations.   Errors: `unsupported-argument` if that is impossible.
Refs lower(const StrictCall& call, Builder& out);

/// Emits a fragment, statement by statement.
Refs inline_fragment(const nnef::Fragment& fragment, const StrictCall& call, Builder& out);

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
Ref emit(Builder& out, std::string_view op, const Refs& operands, const Attributes& attributes,
         const TensorType& type, const Form& form = {});

/// Refuses a call that standard operations cannot express.
[[noreturn]] void refuse(const StrictCall& call, Builder& out, std::string_view why,
                         std::string_view help = {});

/// The operands as numbers.
Refs numbers_of(const StrictCall& call, Builder& out, Exactness exactness = Exactness::computable);

// Rules that several families share: the same operation, with operands of one type.

/// `attributes` are all those whose defaults differ between NNEF-Tools and tract.
Refs emit_same(const StrictCall& call, Builder& out, std::string_view op,
               const Attributes& attributes);
Refs lower_unchanged(const StrictCall& call, Builder& out);
/// Of booleans.
Refs lower_logic(const StrictCall& call, Builder& out);

}  // namespace t2n::nnef_ops
