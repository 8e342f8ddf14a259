// SPDX-License-Identifier: Apache-2.0
#include "ir/readable.h"

#include <cstdint>

#include "src/diag/error.h"

namespace t2n::ir {
namespace {

std::string sum_text(const Dim& dim);

/// Whether it needs no parentheses next to an operator: a name, or a number without a sign.
bool is_plain(const Dim& dim) {
  if (dim.is_constant()) return dim.value() >= 0;
  if (dim.constant_part() != 0 || dim.terms().size() != 1) return false;
  const Term& term = dim.terms()[0];
  if (term.factor != 1 || term.atoms.size() != 1) return false;
  const Atom& atom = term.atoms[0];
  return !std::holds_alternative<FloorDiv>(atom) && !std::holds_alternative<Mod>(atom);
}

std::string operand_text(const Dim& dim) {
  return is_plain(dim) ? sum_text(dim) : cat("(", sum_text(dim), ")");
}

/// "N", "min(N, 4)", "N//64"
std::string atom_text(const Atom& atom) {
  const Operands* const operands = operands_of(atom);
  if (operands == nullptr) return std::get<Symbol>(atom).str();
  const bool is_min = std::holds_alternative<Min>(atom);
  if (is_min || std::holds_alternative<Max>(atom))
    return cat(is_min ? "min(" : "max(", sum_text(operands->a), ", ", sum_text(operands->b), ")");
  return cat(operand_text(operands->a), std::holds_alternative<FloorDiv>(atom) ? "//" : "%",
             operand_text(operands->b));
}

/// The product without its sign; quotients in a product have parentheses.
std::string product_text(const Term& term) {
  const auto bits = static_cast<uint64_t>(term.factor);
  const uint64_t magnitude = term.factor < 0 ? -bits : bits;
  if (magnitude == 1 && term.atoms.size() == 1) return atom_text(term.atoms[0]);
  std::string out = magnitude == 1 && !term.atoms.empty() ? "" : std::to_string(magnitude);
  for (const Atom& atom : term.atoms) {
    const bool is_quotient =
        std::holds_alternative<FloorDiv>(atom) || std::holds_alternative<Mod>(atom);
    const std::string text = atom_text(atom);
    out += cat(out.empty() ? "" : "*", is_quotient ? cat("(", text, ")") : text);
  }
  return out;
}

std::string sum_text(const Dim& dim) {
  if (dim.is_constant()) return std::to_string(dim.value());
  std::string out;
  const auto add = [&](const Term& term) {
    const bool is_negative = term.factor < 0;
    out += out.empty() ? (is_negative ? "-" : "") : (is_negative ? " - " : " + ");
    // Python divides the negated dividend of -N//2.
    const bool is_alone = term.atoms.size() == 1 && term.factor == -1 && out == "-" &&
                          !is_plain(sum_of({Term{1, term.atoms}}));
    const std::string product = product_text(term);
    out += is_alone ? cat("(", product, ")") : product;
  };
  for (const Term& term : dim.terms()) add(term);
  if (dim.constant_part() != 0) add({dim.constant_part(), {}});
  return out;
}

}  // namespace

std::string readable(const Dim& dim) { return sum_text(as_written(dim)); }

std::string readable(const Shape& shape) {
  std::string out = "[";
  for (const Dim& dim : shape) out += cat(out.size() > 1 ? "," : "", readable(dim));
  return out + "]";
}

std::string readable(const Comparison& comparison) {
  return cat(readable(comparison.left), " ", str(comparison.relation), " ",
             readable(comparison.right));
}

std::string type_text(DType dtype, const Shape& shape) {
  return cat(dtype_name(dtype), shape_str(as_written(shape)));
}

}  // namespace t2n::ir
