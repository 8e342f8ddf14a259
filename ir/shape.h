// SPDX-License-Identifier: Apache-2.0
// Dimensions: 64-bit integers, or integer expressions over symbols such as an input's size.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ir/symbol.h"

namespace t2n::ir {

struct FloorDiv;
struct Mod;
struct Min;
struct Max;
struct Term;
using Atom = std::variant<Symbol, FloorDiv, Mod, Min, Max>;

/// An integer, or an immutable expression over symbols, in a canonical sum-of-products form, so
/// that equal polynomials compare equal. Floor division, remainder, min and max follow Python.
class Dim {
 public:
  Dim() = default;
  Dim(int64_t value) : constant_(value) {}  // NOLINT: integers are dimensions
  static Dim symbol(Symbol symbol);

  bool is_constant() const { return terms_ == nullptr; }
  /// The integer; an internal error if the dimension is symbolic.
  int64_t value() const;
  /// The sum is these terms, each with at least one atom, plus the constant part.
  const std::vector<Term>& terms() const;
  int64_t constant_part() const { return constant_; }
  /// The symbol, if the dimension is nothing else.
  const Symbol* as_symbol() const;
  /// Its symbols, in order of first use.
  std::vector<Symbol> symbols() const;
  bool mentions(const Symbol& symbol) const;
  /// Replaces atoms.
  Dim map(const std::function<Dim(const Atom&)>& replace) const;
  /// Replaces symbols; those without a result of `lookup` stay.
  Dim substitute(const std::function<std::optional<Dim>(const Symbol&)>& lookup) const;
  Dim substitute(const Sizes& sizes) const;
  /// "3", "S", "2*S + 1", "((S + 1) // (2))", "max(S, 4)".
  std::string str() const;

  friend Dim operator+(const Dim& a, const Dim& b);
  friend Dim operator-(const Dim& a, const Dim& b);
  friend Dim operator*(const Dim& a, const Dim& b);
  friend bool operator==(const Dim& a, const Dim& b);

 private:
  friend Dim sum_of(std::vector<Term> terms, int64_t constant);
  int64_t constant_ = 0;
  std::shared_ptr<const std::vector<Term>> terms_;  ///< canonical; null if there are none
};

/// The operands of an operation that is not polynomial.
struct Operands {
  Dim a;
  Dim b;
  friend bool operator==(const Operands&, const Operands&) = default;
};
struct FloorDiv : Operands {};
struct Mod : Operands {};
struct Min : Operands {};
struct Max : Operands {};

/// A product.
struct Term {
  int64_t factor = 1;
  std::vector<Atom> atoms;  ///< sorted by their text
  friend bool operator==(const Term&, const Term&) = default;
};

/// Null for a symbol.
const Operands* operands_of(const Atom& atom);
/// The atom `original` with other operands, simplified if possible.
Dim with_operands(const Atom& original, const Dim& a, const Dim& b);
/// The sum in canonical form; its atoms are unchanged.
Dim sum_of(std::vector<Term> terms, int64_t constant = 0);

Dim floor_div(const Dim& a, const Dim& b);
Dim floor_mod(const Dim& a, const Dim& b);
Dim min(const Dim& a, const Dim& b);
Dim max(const Dim& a, const Dim& b);

/// Parses what Dim::str() prints. Errors: `ir-syntax`.
Dim parse_dim(std::string_view text);

/// Floor division and remainder of plain integers as Python does them; `b` must not be zero.
int64_t floor_div_int(int64_t a, int64_t b);
int64_t floor_mod_int(int64_t a, int64_t b);

using Shape = std::vector<Dim>;
using Ints = std::vector<int64_t>;

/// "[1,3,S]"
std::string shape_str(const Shape& shape);
/// The integers of a shape; an internal error if one is symbolic.
Ints static_shape(const Shape& shape);
Shape to_shape(const Ints& sizes);
/// Whether it contains a data-dependent size.
bool is_unbacked(const Dim& dim);
bool is_unbacked(const Shape& shape);
/// Data-dependent sizes by their plain names, as in files and messages: "N" for "born.N".
Dim as_written(const Dim& dim);
Shape as_written(const Shape& shape);
/// Product of the sizes; 1 for rank 0.
int64_t element_count(const Ints& sizes);

}  // namespace t2n::ir
