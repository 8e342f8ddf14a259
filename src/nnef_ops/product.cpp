// SPDX-License-Identifier: Apache-2.0
// Products of matrices: by names of axes, of layers, and in attention.
#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "src/diag/error.h"
#include "src/nnef_ops/arith.h"
#include "src/nnef_ops/book.h"
#include "src/nnef_ops/flow_call.h"
#include "src/nnef_ops/shape_call.h"
#include "src/nnef_ops/strict_call.h"
#include "src/target/limits.h"

namespace t2n::nnef_ops {
namespace {

/// Summed axes must be equal; in tract, one of them may have extent 1.
void check_inner(const ShapeCall& call, int64_t a, int64_t b, bool is_tract) {
  call.require(a == b || (is_tract && (a == 1 || b == 1)), "rows of ", a,
               " do not match columns of ", b);
}

Shapes matmul_in(const ShapeCall& call, bool is_tract) {
  Ints a = call.shape("A"), b = call.shape("B");
  const size_t rank = a.size();
  const bool fits = rank == b.size() && rank >= 2;
  if (is_tract && !fits) return {};  // packed weights may have another rank
  call.require(fits, "the shapes are ", shape_text(a), " and ", shape_text(b),
               ": their ranks must be equal, and 2 or more");
  if (call.flag("transposeA")) std::swap(a[rank - 1], a[rank - 2]);
  if (call.flag("transposeB")) std::swap(b[rank - 1], b[rank - 2]);
  check_inner(call, a[rank - 1], b[rank - 2], is_tract);
  Ints out = broadcast(call, Ints(axis_at(a, 0), axis_at(a, rank - 2)),
                       Ints(axis_at(b, 0), axis_at(b, rank - 2)));
  out.push_back(a[rank - 2]);
  out.push_back(b[rank - 1]);
  return {out};
}

Shapes matmul_shape(const ShapeCall& call) { return matmul_in(call, false); }
Shapes tract_matmul_shape(const ShapeCall& call) { return matmul_in(call, true); }

constexpr const char* kSums = "sums over the entire stream";

constexpr const char* kTimeByTime = "builds a time × time matrix";

constexpr const char* kHelp =
    "attention over the complete input cannot stream: use recurrent layers or convolutions";

/// [.., M, K] x [.., K, N]
Flows matmul_flow(const FlowCall& call) {
  const Flow a = call.flow("A"), b = call.flow("B");
  const int rank = std::max(a.rank, b.rank);
  if (rank < 2) blocked("multiplies a stream in an unsupported way");
  // Axes of the result; rank: summed over.
  const int columns = rank - 1, rows = rank - 2;
  const auto result_axis = [&](const Flow& flow, bool transposed, bool is_left) {
    if (flow.axis < rows) return flow.axis;
    const bool is_last = (flow.axis == columns) != transposed;
    if (is_left) return is_last ? rank : rows;
    return is_last ? columns : rank;
  };
  Flow out;
  for (const bool is_left : {true, false}) {
    const Flow& flow = is_left ? a : b;
    if (!flow.streams()) continue;
    const int axis = result_axis(flow, call.flag(is_left ? "transposeA" : "transposeB"), is_left);
    if (axis == rank) blocked(kSums, kHelp);
    if (out.streams() && out.axis != axis) blocked(kTimeByTime, kHelp);
    out.axis = axis;
    out.delayed = out.delayed || flow.delayed;
  }
  out.rank = rank;
  return {out};
}

/// Sums of products wrap around in narrow integers; scalars cannot represent the sums before
/// wrapping.
void refuse_narrow(const StrictCall& call, Builder& out) {
  const DType dtype = call.result().dtype;
  if (ir::is_integer(dtype) && ir::dtype_size(dtype) <= 2)
    refuse(call, out, target::limit_row(target::Limit::narrow_integers).why,
           "compute the product in float32 or int64");
}

/// The order of the axes with the last two swapped.
Ints swapped(size_t rank) {
  Ints out = all_axes(static_cast<int>(rank));
  std::swap(out[rank - 2], out[rank - 1]);
  return out;
}

/// Operands get equal rank, and above rank 2 transpositions become statements, which NNEF-Tools'
/// converter to ONNX requires. Leading axes are broadcast explicitly, because NNEF-Tools' C++
/// runtime reads beyond smaller tensors.
Refs lower_matmul(const StrictCall& call, Builder& out) {
  refuse_narrow(call, out);
  const TensorType& type = call.result();
  Refs operands;
  for (const Ref operand : call.operands) {
    Ref x = as_number(out, operand);
    Shape shape = type.shape;
    const size_t rank = shape.size();
    if (rank > 2 && call.at(operands.empty() ? "transposeA" : "transposeB").logical)
      x = out.transpose(x, swapped(rank));
    for (const size_t i : {rank - 2, rank - 1}) shape[i] = out.shape(x).at(i);
    operands.push_back(out.broadcast_to(x, shape));
  }
  const Attributes attributes = type.shape.size() > 2 ? Attributes() : call.attributes;
  const Ref y = emit(out, "matmul", operands, attributes, {DType::f32, type.shape});
  return {wrapped(out, y, type.dtype)};
}

Shapes linear_shape(const ShapeCall& call) {
  const Ints input = call.shape("input");
  const Ints filter = call.shape("filter");
  const Ints bias = call.shape("bias");
  call.require(input.size() == 2 && filter.size() == 2, "the shapes are ", shape_text(input),
               " and ", shape_text(filter), ": both ranks must be 2");
  call.require(input[1] == filter[1], "filters over ", filter[1],
               " channels do not fit an input of ", input[1], " channels");
  call.require(broadcasts_to(bias, {1, filter[0]}), "'bias' has the shape ", shape_text(bias),
               ", and can be [1,", filter[0], "]");
  return {{input[0], filter[0]}};
}

Shapes tract_linear_shape(const ShapeCall& call) {
  const Ints input = call.shape("input"), filter = call.shape("filter");
  if (input.size() != 2 || filter.size() != 2) return {};
  check_inner(call, input[1], filter[1], true);
  return {broadcast(call, {input[0], filter[0]}, call.shape("bias"))};
}

Flows linear_flow(const FlowCall& call) {
  if (call.flow("filter").streams() || call.flow("bias").streams()) blocked("has streamed weights");
  Flow out = call.flow("input");
  if (out.axis != 0) blocked(kSums, kHelp);
  return with_new_shape(out);
}

/// The letters of an expression such as "bij,bjk->bik": for each operand, then for the result.
std::vector<std::string> einsum_terms(const std::string& expression) {
  std::vector<std::string> out(1);
  for (const char c : expression) {
    if (c == ',' || c == '>') out.emplace_back();
    if (std::isalpha(static_cast<unsigned char>(c)) != 0) out.back() += c;
  }
  return out;
}

Shapes einsum_shape(const ShapeCall& call) {
  const Shapes inputs = call.shapes("inputs");
  const std::vector<std::string> terms = einsum_terms(call.text("expr"));
  if (terms.size() != inputs.size() + 1) return {};
  std::map<char, int64_t> extents;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (terms[i].size() != inputs[i].size()) return {};
    for (size_t axis = 0; axis < inputs[i].size(); ++axis) {
      int64_t& extent = extents.try_emplace(terms[i][axis], 1).first->second;
      const int64_t size = inputs[i][axis];
      call.require(extent == size || extent == 1 || size == 1, "the axes '", terms[i][axis],
                   "' have ", extent, " and ", size, " entries");
      extent = extent == 1 ? size : extent;
    }
  }
  Ints out;
  for (const char letter : terms.back()) {
    const auto found = extents.find(letter);
    if (found == extents.end()) return {};
    out.push_back(found->second);
  }
  return {out};
}

Flows einsum_flow(const FlowCall& call) {
  std::string expr = call.text("expr");
  std::erase(expr, ' ');
  const size_t arrow = expr.find("->");
  if (arrow == std::string::npos) blocked("multiplies a stream in an unsupported way");
  const std::string result = expr.substr(arrow + 2);
  const std::vector<Flow> inputs = call.flows("inputs");
  size_t begin = 0;
  char letter = 0;
  Flow out;
  for (const Flow& flow : inputs) {
    const size_t end = std::min(expr.find(',', begin), arrow);
    const std::string term = expr.substr(begin, end - begin);
    begin = end + 1;
    if (!flow.streams()) continue;
    if (static_cast<size_t>(flow.axis) >= term.size()) blocked("multiplies in an unsupported way");
    const char own_letter = term[flow.axis];
    if (result.find(own_letter) == std::string::npos) blocked(kSums, kHelp);
    if (letter != 0 && letter != own_letter) blocked(kTimeByTime, kHelp);
    letter = own_letter;
    out.delayed = out.delayed || flow.delayed;
  }
  out.axis = static_cast<int>(result.find(letter));
  out.rank = static_cast<int>(result.size());
  return {out};
}

bool has_letter(const std::string& letters, char letter) {
  return letters.find(letter) != std::string::npos;
}

/// A tensor whose axes have letters.
struct Term {
  Ref x;
  std::string letters;
};

/// Takes the diagonal of letters that occur twice.
Term diagonal_free(Builder& out, Term term) {
  for (size_t i = 0; i < term.letters.size(); ++i) {
    const char letter = term.letters[i];
    const size_t other = term.letters.find(letter, i + 1);
    if (other == std::string::npos) continue;
    term.x = diagonal_of(out, term.x, static_cast<int>(i), static_cast<int>(other));
    term.letters.erase(other, 1).erase(i, 1);
    term.letters += letter;
    return diagonal_free(out, std::move(term));
  }
  return term;
}

Term summed(Builder& out, Term term, const std::string& kept) {
  Ints axes;
  std::string remaining;
  for (size_t i = 0; i < term.letters.size(); ++i)
    if (has_letter(kept, term.letters[i]))
      remaining += term.letters[i];
    else
      axes.push_back(static_cast<int64_t>(i));
  if (axes.empty()) return term;
  Shape shape = out.shape(term.x);
  for (const int64_t axis : axes) shape[axis] = 1;
  const Ref sum =
      emit(out, "sum_reduce", {as_number(out, term.x)}, {{"axes", axes}}, {DType::f32, shape});
  return {out.squeeze(sum, axes), remaining};
}

Term ordered(Builder& out, const Term& term, const std::string& letters) {
  Ints order;
  for (const char letter : letters)
    order.push_back(static_cast<int64_t>(term.letters.find(letter)));
  return {out.transpose(term.x, order), letters};
}

Dim size_of(const Builder& out, const Term& term, char letter) {
  return out.shape(term.x)[term.letters.find(letter)];
}

Dim product_of(const Builder& out, const Term& term, const std::string& letters) {
  Dim n = 1;
  for (const char letter : letters) n = n * size_of(out, term, letter);
  return n;
}

/// Multiplies two terms; `kept` are the letters that are still needed.
Term multiplied(Builder& out, Term a, Term b, const std::string& kept) {
  std::string batch, sum, left, right;
  for (const char letter : a.letters)
    (!has_letter(b.letters, letter) ? left : has_letter(kept, letter) ? batch : sum) += letter;
  for (const char letter : b.letters)
    if (!has_letter(a.letters, letter)) right += letter;
  a = ordered(out, a, batch + left + sum);
  b = ordered(out, b, batch + sum + right);
  Shape shape;
  for (const char letter : batch + left) shape.push_back(size_of(out, a, letter));
  for (const char letter : right) shape.push_back(size_of(out, b, letter));
  const Dim n = product_of(out, a, batch), k = product_of(out, a, sum);
  const Dim rows = product_of(out, a, left), columns = product_of(out, b, right);
  const Ref x = out.reshape(a.x, {n, rows, k}), y = out.reshape(b.x, {n, k, columns});
  const Ref product = emit(out, "matmul", {x, y}, {}, {DType::f32, {n, rows, columns}});
  return {out.reshape(product, shape), batch + left + right};
}

Refs lower_einsum(const StrictCall& call, Builder& out) {
  refuse_narrow(call, out);
  const std::string& text = call.at("expr").text;
  const size_t arrow = text.find("->");
  const std::string output = text.substr(arrow + 2);
  std::vector<Term> terms;
  size_t begin = 0;
  for (const Ref x : call.operands) {
    const size_t end = std::min(text.find(',', begin), arrow);
    terms.push_back(diagonal_free(out, {as_number(out, x), text.substr(begin, end - begin)}));
    begin = end + 1;
  }
  for (size_t i = 0; i < terms.size(); ++i) {
    std::string kept = output;
    for (size_t j = 0; j < terms.size(); ++j)
      if (j != i) kept += terms[j].letters;
    terms[i] = summed(out, terms[i], kept);
  }
  while (terms.size() > 1) {
    std::string kept = output;
    for (size_t j = 2; j < terms.size(); ++j) kept += terms[j].letters;
    terms[1] = multiplied(out, terms[0], terms[1], kept);
    terms.erase(terms.begin());
  }
  const Ref y = ordered(out, terms[0], output).x;
  return {wrapped(out, out.reshape(y, call.result().shape), call.result().dtype)};
}

Shapes attention_shape(const ShapeCall& call) {
  Ints q = call.shape("q");
  const Ints k = call.shape("k"), v = call.shape("v");
  if (q.size() < 3 || k.size() != q.size() || v.size() != q.size()) return {};
  const size_t last = q.size() - 1;
  call.require(q[last] == k[last], "queries of ", q[last], " do not match keys of ", k[last]);
  call.require(k[last - 1] == v[last - 1], "there are ", k[last - 1], " keys and ", v[last - 1],
               " values");
  q[last] = v[last];
  return {q};
}

Shapes lstm_epilogue_shape(const ShapeCall& call) {
  return Shapes{call.shape("c_prev"), call.shape("c_prev")};
}

Shapes gru_epilogue_shape(const ShapeCall& call) { return {call.shape("h_prev")}; }

}  // namespace

void add_product(Book& book) {
  book.add("matmul",
           {matmul_shape, tract_matmul_shape, matmul_flow, lower_matmul, kLayer | kProduct});
  book.add("linear", {linear_shape, tract_linear_shape, linear_flow, nullptr, kLayer | kProduct});
  book.add("tract_core_einsum",
           {nullptr, einsum_shape, einsum_flow, lower_einsum, kLayer | kProduct});
  book.add("tract_transformers_sdpa", {nullptr, attention_shape});
  book.add("tract_transformers_apply_rope", {nullptr, unary_shape});
  book.add("tract_core_lstm_epilogue", {nullptr, lstm_epilogue_shape});
  book.add("tract_core_gru_epilogue", {nullptr, gru_epilogue_shape});
}

}  // namespace t2n::nnef_ops
