// SPDX-License-Identifier: Apache-2.0
// einsum: resolves the equation (ellipses, diagonals, broadcasting, lone labels), then contracts
// pair by pair.
#include <algorithm>
#include <map>
#include <optional>

#include "ops/matrix/families.h"
#include "ops/structure/diagonal.h"
#include "ops/structure/product.h"
#include "src/diag/error.h"
#include "src/translate/arith.h"
#include "src/translate/registry.h"

namespace t2n::ops {
namespace {

/// A tensor with one letter per axis.
struct Term {
  Ref x;
  std::string labels;
};

struct Equation {
  std::vector<std::string> inputs;
  std::string output;
};

bool holds(std::string_view labels, char label) {
  return labels.find(label) != std::string_view::npos;
}

Equation split_equation(const std::string& text) {
  Equation out;
  out.inputs.emplace_back();
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ' ') continue;
    if (text[i] == '-') break;
    if (text[i] == ',')
      out.inputs.emplace_back();
    else
      out.inputs.back() += text[i];
  }
  return out;
}

std::optional<std::string> explicit_output(const std::string& text) {
  const size_t arrow = text.find("->");
  if (arrow == std::string::npos) return {};
  std::string out = text.substr(arrow + 2);
  std::erase(out, ' ');
  return out;
}

/// Letters that the equation does not use, for the axes that `...` stands for.
std::string unused_letters(const std::string& equation) {
  std::string out;
  for (const std::string_view range : {"AZ", "az"})
    for (char c = range[0]; c <= range[1]; ++c)
      if (!holds(equation, c)) out += c;
  return out;
}

constexpr std::string_view kEllipsis = "...";

/// The axes of all ellipses align at their last one.
std::string without_ellipsis(std::string labels, std::string_view letters) {
  if (const size_t at = labels.find(kEllipsis); at != std::string::npos)
    labels.replace(at, kEllipsis.size(), letters);
  return labels;
}

/// Torch's implicit output: the ellipsis, then the letters that occur once, sorted.
std::string implicit_output(const std::vector<std::string>& inputs) {
  std::map<char, int> counts;
  for (const std::string& labels : inputs)
    for (const char c : labels)
      if (c != '.') ++counts[c];
  std::string out(kEllipsis);
  for (const auto& [label, count] : counts)
    if (count == 1) out += label;
  return out;
}

Equation read_equation(const std::string& text, const std::vector<int>& ranks) {
  Equation out = split_equation(text);
  out.output = explicit_output(text).value_or(implicit_output(out.inputs));
  const std::string unused = unused_letters(text);
  size_t widest = 0;
  for (size_t i = 0; i < out.inputs.size(); ++i) {
    const size_t named = out.inputs[i].size() - (holds(out.inputs[i], '.') ? kEllipsis.size() : 0);
    const size_t hidden = static_cast<size_t>(ranks[i]) - named;
    T2N_ASSERT(hidden <= unused.size(), "einsum ", text, ": rank ", ranks[i]);
    widest = std::max(widest, hidden);
    out.inputs[i] = without_ellipsis(out.inputs[i], unused.substr(unused.size() - hidden));
  }
  out.output = without_ellipsis(out.output, unused.substr(unused.size() - widest));
  return out;
}

/// tract's einsum gives its result the accumulator's dtype.
Ref call_einsum(Emitter& out, const std::vector<Ref>& operands, const std::string& expression,
                const Shape& shape) {
  const DType dtype = out.dtype(operands[0]);
  const DType wide = dtype == DType::f16 ? DType::f32 : dtype;
  const Ref y = out.call_list("tract_core_einsum", operands,
                              {{"expr", expression}, {"acc", std::string(ir::dtype_name(wide))}},
                              wide, shape);
  return out.cast(y, dtype);
}

bool has_einsum(DType dtype) { return ir::is_float(dtype) || dtype == DType::i32; }

/// The first pair of equal letters becomes their diagonal, as the last axis.
Term one_diagonal(Emitter& out, Term term) {
  for (size_t first = 0; first < term.labels.size(); ++first) {
    const size_t second = term.labels.find(term.labels[first], first + 1);
    if (second == std::string::npos) continue;
    term.x = diagonal_of(out, term.x, static_cast<int>(first), static_cast<int>(second));
    term.labels += term.labels[first];
    term.labels.erase(second, 1).erase(first, 1);
    return term;
  }
  return term;
}

/// A letter that occurs twice takes the diagonal.
Term diagonal_free(Emitter& out, const Term& term) {
  std::string kept;
  Shape shape;
  for (size_t i = 0; i < term.labels.size(); ++i)
    if (!holds(kept, term.labels[i])) {
      kept += term.labels[i];
      shape.push_back(out.shape(term.x)[i]);
    }
  if (kept.size() == term.labels.size()) return term;
  if (!has_einsum(out.dtype(term.x))) return diagonal_free(out, one_diagonal(out, term));
  return {call_einsum(out, {term.x}, term.labels + "->" + kept, shape), kept};
}

/// Drops axes of extent 1 that another term has with a larger one.
Term without_broadcast(Emitter& out, const Term& term, const std::map<char, Dim>& sizes) {
  Ints axes;
  std::string kept;
  for (size_t i = 0; i < term.labels.size(); ++i) {
    if (out.shape(term.x)[i] == Dim(1) && sizes.at(term.labels[i]) != Dim(1))
      axes.push_back(static_cast<int64_t>(i));
    else
      kept += term.labels[i];
  }
  return {out.squeeze(term.x, axes), kept};
}

/// Sums over the axes whose letters nothing else needs.
Term without_lone(Emitter& out, const Term& term, std::string_view needed) {
  Ints axes;
  std::string kept;
  for (size_t i = 0; i < term.labels.size(); ++i) {
    if (holds(needed, term.labels[i]))
      kept += term.labels[i];
    else
      axes.push_back(static_cast<int64_t>(i));
  }
  if (axes.empty()) return term;
  return {out.squeeze(reduce(out, "sum_reduce", term.x, axes), axes), kept};
}

/// The axes in the order of `labels`, with extent 1 if the term lacks one.
Ref arranged(Emitter& out, const Term& term, std::string_view labels) {
  Ints order, missing;
  for (size_t i = 0; i < labels.size(); ++i) {
    const size_t at = term.labels.find(labels[i]);
    if (at == std::string::npos)
      missing.push_back(static_cast<int64_t>(i));
    else
      order.push_back(static_cast<int64_t>(at));
  }
  return out.unsqueeze(out.transpose(term.x, order), missing);
}

Term multiplied(Emitter& out, const Term& a, const Term& b, std::string_view needed) {
  std::string all, kept;
  for (const char c : a.labels + b.labels)
    if (!holds(all, c)) all += c;
  Ints axes;
  for (size_t i = 0; i < all.size(); ++i) {
    if (holds(needed, all[i]))
      kept += all[i];
    else
      axes.push_back(static_cast<int64_t>(i));
  }
  return {sum_of_products(out, arranged(out, a, all), arranged(out, b, all), axes), kept};
}

/// Contracts both to the letters that later terms or the output need.
Term contracted_term(Emitter& out, const Term& first, const Term& second, const std::string& needed,
                     const std::map<char, Dim>& sizes) {
  const Term a = without_lone(out, first, needed + second.labels);
  const Term b = without_lone(out, second, needed + a.labels);
  std::string kept;
  for (const char c : a.labels + b.labels)
    if (holds(needed, c) && !holds(kept, c)) kept += c;
  // tract's einsum accepts and returns no tensor of rank 0.
  if (a.labels.empty() || b.labels.empty() || kept.empty() || !has_einsum(out.dtype(a.x)))
    return multiplied(out, a, b, needed);
  // tract's einsum gives no rank 0: one letter is kept and summed separately.
  if (kept.empty()) kept = a.labels.substr(0, 1);
  // The last pair directly gets the order of the output.
  if (std::is_permutation(kept.begin(), kept.end(), needed.begin(), needed.end())) kept = needed;
  Shape shape;
  for (const char c : kept) shape.push_back(sizes.at(c));
  return {call_einsum(out, {a.x, b.x}, cat(a.labels, ",", b.labels, "->", kept), shape), kept};
}

std::map<char, Dim> label_sizes(Emitter& out, const std::vector<Term>& terms) {
  std::map<char, Dim> sizes;
  for (const Term& term : terms)
    for (size_t i = 0; i < term.labels.size(); ++i) {
      const auto [found, is_new] = sizes.try_emplace(term.labels[i], out.shape(term.x)[i]);
      if (!is_new && found->second == Dim(1)) found->second = out.shape(term.x)[i];
    }
  return sizes;
}

std::vector<Term> read_terms(Emitter& out, const std::vector<Ref>& tensors,
                             const Equation& equation) {
  std::vector<Term> terms;
  for (size_t i = 0; i < tensors.size(); ++i)
    terms.push_back(diagonal_free(out, {tensors[i], equation.inputs.at(i)}));
  const auto sizes = label_sizes(out, terms);
  if (terms.size() > 1)
    for (Term& term : terms) term = without_broadcast(out, term, sizes);
  return terms;
}

void einsum(const OpView& op, Emitter& out) {
  op.ignore("path", "orders the products, does not change them");
  std::vector<Ref> tensors = op.tensors("tensors");
  std::vector<int> ranks;
  for (Ref& tensor : tensors) {
    ranks.push_back(out.rank(tensor));
    tensor = out.cast(tensor, op.dtype());  // sums of small integers are i64
  }
  const Equation equation = read_equation(op.str("equation"), ranks);
  const std::vector<Term> terms = read_terms(out, tensors, equation);
  const auto sizes = label_sizes(out, terms);
  Term y = terms[0];
  for (size_t i = 1; i < terms.size(); ++i) {
    std::string needed = equation.output;
    for (size_t later = i + 1; later < terms.size(); ++later) needed += terms[later].labels;
    y = contracted_term(out, y, terms[i], needed, sizes);
  }
  y = without_lone(out, y, equation.output);
  out.result(arranged(out, y, equation.output));
}

/// Axes with the same letter broadcast.
Shapes einsum_shapes(const ShapeView& op) {
  const Shapes x = op.shapes("tensors");
  std::vector<int> ranks;
  for (const Shape& shape : x) ranks.push_back(static_cast<int>(shape.size()));
  const Equation equation = read_equation(op.str("equation"), ranks);
  std::map<char, Dim> sizes;
  for (size_t k = 0; k < x.size(); ++k)
    for (size_t axis = 0; axis < x[k].size(); ++axis) {
      const Dim& size = x[k][axis];
      const auto [known, is_new] = sizes.emplace(equation.inputs.at(k).at(axis), size);
      if (!is_new) known->second = op.broadcast_dim(known->second, size);
    }
  Shape out;
  for (const char label : equation.output) out.push_back(sizes.at(label));
  return {out};
}

}  // namespace

void register_einsum(Registry& r) {
  r.same({"aten::einsum"},
         {"tract_core_einsum", "sum of products over the letters that the output lacks", einsum});
  r.shapes(einsum_shapes, "einsum");
  r.bounds({bounds::mixed_product, true}, "einsum");
  r.zero_signs(ZeroSign::dropped, "einsum");
}

}  // namespace t2n::ops
