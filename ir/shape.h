// Dimensions: 64-bit integers, or integer expressions over symbols such as an input's size.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace t2n::ir {

/// An integer, or an immutable expression over symbols, kept in a canonical sum-of-products form so
/// that equal polynomials compare equal. Floor division, remainder, min and max follow Python.
class Dim {
 public:
  Dim() = default;
  Dim(int64_t value) : value_(value) {}  // NOLINT: integers are dimensions
  static Dim symbol(std::string_view name);

  bool is_constant() const { return expr_ == nullptr; }
  /// The integer; an internal error if the dimension is symbolic.
  int64_t value() const;
  /// Symbols in it, in order of first use.
  std::vector<std::string> symbols() const;
  /// Replaces symbols; one that `lookup` does not know stays.
  Dim substitute(const std::function<std::optional<Dim>(std::string_view)>& lookup) const;
  /// Replaces `/` floor divisions, `%` remainders, `<` minima and `>` maxima, innermost first.
  using Combine = std::function<Dim(char kind, const Dim& a, const Dim& b)>;
  Dim rewrite(const Combine& combine) const;
  /// "3", "S", "2*S + 1", "(S + 1) // 2", "max(S, 4)".
  std::string str() const;

  friend Dim operator+(const Dim& a, const Dim& b);
  friend Dim operator-(const Dim& a, const Dim& b);
  friend Dim operator*(const Dim& a, const Dim& b);
  friend bool operator==(const Dim& a, const Dim& b);
  friend Dim floor_div(const Dim& a, const Dim& b);
  friend Dim floor_mod(const Dim& a, const Dim& b);
  friend Dim min(const Dim& a, const Dim& b);
  friend Dim max(const Dim& a, const Dim& b);

 private:
  struct Expr;
  struct Atom;
  struct Term;
  static Dim from_terms(std::vector<Term> terms);
  static Dim from_atom(Atom atom);
  static Dim binary(char kind, const Dim& a, const Dim& b);
  static std::optional<Dim> exact_quotient(Dim a, const Dim& b);
  static Dim integer_quotient(const Dim& a, int64_t b);
  static Dim reduced_quotient(const Dim& a, int64_t b);
  std::vector<Term> terms() const;
  Dim map(const std::function<Dim(const Atom&)>& replace) const;

  int64_t value_ = 0;
  std::shared_ptr<const Expr> expr_;
};

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
/// Product of the sizes; 1 for rank 0.
int64_t element_count(const Ints& sizes);

}  // namespace t2n::ir
