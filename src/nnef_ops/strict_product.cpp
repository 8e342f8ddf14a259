// Products of tensors in strict NNEF: einsum by `matmul`, Fourier transforms by a matrix.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "ir/unit_circle.h"
#include "src/diag/error.h"
#include "src/nnef_ops/arith.h"
#include "src/nnef_ops/strict_call.h"
#include "src/target/limits.h"

namespace t2n::strict {
namespace {

bool contains(const std::string& letters, char letter) {
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
    if (contains(kept, term.letters[i]))
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
    (!contains(b.letters, letter) ? left : contains(kept, letter) ? batch : sum) += letter;
  for (const char letter : b.letters)
    if (!contains(a.letters, letter)) right += letter;
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

/// Sums of products wrap around in narrow integers; scalars cannot represent the sums before
/// wrapping.
void refuse_narrow(const Call& call, Builder& out) {
  const DType dtype = call.result().dtype;
  if (ir::is_integer(dtype) && ir::dtype_size(dtype) <= 2)
    refuse(call, out, target::limit_row(target::Limit::narrow_integers).why,
           "compute the product in float32 or int64");
}

std::vector<Ref> einsum(const Call& call, Builder& out) {
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

bool is_transposed(const Call& call, size_t operand) {
  const nnef::Value* const flag = call.find(operand == 0 ? "transposeA" : "transposeB");
  return flag != nullptr && flag->logical;
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
std::vector<Ref> matmul(const Call& call, Builder& out) {
  refuse_narrow(call, out);
  const TensorType& type = call.result();
  std::vector<Ref> operands;
  for (const Ref operand : call.operands) {
    Ref x = as_number(out, operand);
    Shape shape = type.shape;
    const size_t rank = shape.size();
    if (rank > 2 && is_transposed(call, operands.size())) x = out.transpose(x, swapped(rank));
    for (const size_t i : {rank - 2, rank - 1}) shape[i] = out.shape(x).at(i);
    operands.push_back(out.broadcast_to(x, shape));
  }
  const Attributes attributes = type.shape.size() > 2 ? Attributes() : call.attributes;
  const Ref y = emit(out, "matmul", operands, attributes, {DType::f32, type.shape});
  return {wrapped(out, y, type.dtype)};
}

/// [O, I/groups, k…] with the groups outermost, as tract has it, to [I, O/groups, k…].
Ref filter_by_inputs(Builder& out, Ref filter, int64_t groups) {
  const Shape shape = out.shape(filter);
  Shape grouped = {groups, shape[0].value() / groups};
  grouped.insert(grouped.end(), shape.begin() + 1, shape.end());
  Ints swap = all_axes(static_cast<int>(grouped.size()));
  std::swap(swap[1], swap[2]);
  Shape target = {shape[1] * Dim(groups), grouped[1]};
  target.insert(target.end(), shape.begin() + 2, shape.end());
  return out.reshape(out.transpose(out.reshape(filter, grouped), swap), target);
}

/// [1, O], as in the specification, or one number.
Ref bias_row(Builder& out, Ref bias) {
  const Ref x = as_number(out, bias);
  return out.rank(x) == 1 ? out.unsqueeze(x, {0}) : x;
}

std::vector<Ref> conv(const Call& call, Builder& out) {
  const TensorType& type = call.result();
  std::vector<Ref> operands = {as_number(out, call.operands[0]), as_number(out, call.operands[1])};
  if (call.operands.size() > 2) operands.push_back(bias_row(out, call.operands[2]));
  const Ref y = emit(out, "conv", operands, call.attributes, {DType::f32, type.shape});
  return {wrapped(out, y, type.dtype)};
}

/// Padding that gives the result's size: negative at the end if torch pads the output. The bias is
/// then added separately, because NNEF-Tools' interpreter pads with zeros after adding it.
std::vector<Ref> deconv(const Call& call, Builder& out) {
  const TensorType& type = call.result();
  const Ref x = as_number(out, call.operands[0]);
  const Ref weight = as_number(out, call.operands[1]);
  const int64_t groups = call.at("groups").integer;
  const Ref filter = filter_by_inputs(out, weight, groups);
  const Ints stride = call.ints("stride"), dilation = call.ints("dilation");
  std::vector<std::pair<int64_t, int64_t>> padding;
  bool has_output_padding = false;
  for (size_t i = 0; i < stride.size(); ++i) {
    const int64_t before = call.at("padding").items[i].items.at(0).integer;
    const int64_t window = dilation[i] * (extent(out, filter, static_cast<int64_t>(i) + 2) - 1) + 1;
    const int64_t full_size =
        (extent(out, x, static_cast<int64_t>(i) + 2) - 1) * stride[i] + window;
    padding.emplace_back(before, full_size - before - type.shape[i + 2].value());
    has_output_padding = has_output_padding || padding.back().second < 0;
  }
  std::vector<Ref> operands = {x, filter};
  std::optional<Ref> bias;
  if (call.operands.size() > 2) bias = bias_row(out, call.operands[2]);
  if (bias && !has_output_padding) operands.push_back(*bias);
  const Ref y = emit(out, "deconv", operands,
                     {{"border", "constant"},
                      {"padding", padding},
                      {"stride", stride},
                      {"dilation", dilation},
                      {"groups", groups}},
                     {DType::f32, type.shape});
  if (!bias || !has_output_padding) return {retyped(out, y, type.dtype)};
  Shape column(type.shape.size(), Dim(1));
  column[1] = type.shape[1];
  const bool is_number = out.rank(*bias) == 0;
  return {retyped(out, add(out, y, is_number ? *bias : out.reshape(*bias, column)), type.dtype)};
}

/// Sums over windows that end at each entry: a product with a triangular matrix would turn
/// infinities into NaN.
std::vector<Ref> cumsum(const Call& call, Builder& out) {
  const TensorType& type = call.result();
  const size_t axis = call.at("axis").integer;
  const Ref x = as_number(out, call.operands[0]);
  const Ints sizes = out.sizes(x);
  const int64_t n = sizes.at(axis);
  const auto split = sizes.begin() + static_cast<std::ptrdiff_t>(axis);
  const int64_t outer = ir::element_count(Ints(sizes.begin(), split));
  const int64_t inner = ir::element_count(Ints(split + 1, sizes.end()));
  const Shape shape = {Dim(outer), Dim(1), Dim(n), Dim(inner)};
  const Ints ones(4, 1), window = {1, 1, n, 1};
  const Ref y = emit(
      out, "box", {out.reshape(x, shape)},
      {{"size", window},
       {"border", "constant"},
       {"padding", std::vector<std::pair<int64_t, int64_t>>{{0, 0}, {0, 0}, {n - 1, 0}, {0, 0}}},
       {"stride", ones},
       {"dilation", ones},
       {"normalize", false}},
      {DType::f32, shape});
  return {wrapped(out, out.reshape(y, type.shape), type.dtype)};
}

/// [2n, 2n]: maps pairs of real and imaginary parts to pairs of the spectrum.
ir::Tensor dft_of_pairs(int64_t n, bool is_inverse) {
  std::vector<double> values;
  const double sign = is_inverse ? 1 : -1;
  for (int64_t j = 0; j < n; ++j)
    for (const bool is_imaginary : {false, true})
      for (int64_t k = 0; k < n; ++k) {
        const ir::CirclePoint point = ir::circle_point(j * k, n);
        values.push_back(is_imaginary ? -sign * point.sin : point.cos);
        values.push_back(is_imaginary ? point.cos : sign * point.sin);
      }
  return ir::tensor_of<double>(DType::f32, {2 * n, 2 * n}, values);
}

std::vector<Ref> fourier(const Call& call, Builder& out) {
  constexpr int64_t kLongest = 1024;  // 16 MiB of matrix
  const Ref x = as_number(out, call.operands[0]);
  const int axis = static_cast<int>(call.at("axis").integer);
  const int rank = out.rank(x);
  const int64_t n = extent(out, x, axis);
  if (n > kLongest)
    refuse(call, out,
           cat("standard NNEF expresses a Fourier transform as a product with a matrix, here "
               "of ",
               2 * n, " x ", 2 * n));
  Ints order = all_axes(rank);
  order.erase(order.begin() + axis);
  order.insert(order.end() - 1, axis);
  const Ref moved = out.transpose(x, order);
  const Shape ordered_shape = out.shape(moved);
  const Dim rows = Dim(ir::element_count(ir::static_shape(ordered_shape)) / (2 * n));
  const Ref lines = out.reshape(moved, {rows, Dim(2 * n)});
  const nnef::Value* inverse_flag = call.find("inverse");
  const bool is_inverse = inverse_flag != nullptr && inverse_flag->logical;
  const Ref matrix = out.constant(dft_of_pairs(n, is_inverse), "dft");
  const Ref y = emit(out, "matmul", {lines, matrix}, {}, {DType::f32, {rows, Dim(2 * n)}});
  return {retyped(out, out.transpose(out.reshape(y, ordered_shape), inverse(order)),
                  call.result().dtype)};
}

}  // namespace

std::vector<RuleRow> product_rules() {
  return {{"tract_core_einsum", einsum}, {"matmul", matmul}, {"tract_core_fft", fourier},
          {"tract_core_cumsum", cumsum}, {"conv", conv},     {"deconv", deconv}};
}

}  // namespace t2n::strict
