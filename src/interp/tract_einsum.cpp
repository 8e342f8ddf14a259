// SPDX-License-Identifier: Apache-2.0
// Products whose axes are matched by letters.
#include <ATen/Functions.h>

#include <algorithm>
#include <cctype>

#include "src/diag/error.h"
#include "src/interp/kernel.h"
#include "src/interp/kernels.h"
#include "src/interp/tract_support.h"

namespace t2n::interp {
namespace {

struct Expression {
  std::vector<std::string> inputs;
  std::string output;
};

/// "mk,kn->mn"
Expression parse(const std::string& text) {
  std::string letters;
  for (const char each : text)
    if (std::isspace(static_cast<unsigned char>(each)) == 0) letters += each;
  const size_t arrow = letters.find("->");
  if (arrow == std::string::npos) fail(cat("the expression ", quoted(text), " lacks '->'"));
  Expression out{{""}, letters.substr(arrow + 2)};
  for (const char each : letters.substr(0, arrow)) {
    if (each == ',') {
      out.inputs.emplace_back();
    } else if (std::isalpha(static_cast<unsigned char>(each)) != 0) {
      out.inputs.back() += each;
    } else {
      fail(cat("tract accepts only letters in ", quoted(text)));
    }
  }
  return out;
}

/// Integers are summed in i64, which wraps like any narrower type after a cast; f16 in f32.
at::ScalarType working_dtype(at::ScalarType acc) {
  if (at::isIntegralType(acc, /*includeBool=*/false)) return at::kLong;
  return acc == at::kHalf ? at::kFloat : acc;
}

/// Letters of the output that no input has are axes of size 1.
at::Tensor contract(const Expression& expression, Tensors operands, at::ScalarType acc) {
  if (operands.size() != expression.inputs.size())
    fail(cat("the expression has ", expression.inputs.size(), " terms, there are ", operands.size(),
             " inputs"));
  for (size_t i = 0; i < operands.size(); ++i) {
    if (operands[i].dim() != static_cast<int64_t>(expression.inputs[i].size()))
      fail(cat(quoted(expression.inputs[i]), " does not fit ", shape_text(operands[i].sizes())));
    operands[i] = operands[i].to(working_dtype(acc));
  }
  const std::string inputs = joined(expression.inputs, ",");
  std::string known, all = expression.output;
  for (const char letter : all)
    if (inputs.find(letter) != std::string::npos) known += letter;
  at::Tensor out = at::einsum(inputs + "->" + known, operands).to(acc);
  for (size_t i = 0; i < all.size(); ++i)
    if (known.find(all[i]) == std::string::npos) out = out.unsqueeze(static_cast<int64_t>(i));
  return out;
}

/// `acc` is also the result's type.
Tensors einsum(const KernelCall& call) {
  const at::ScalarType acc = dtype_named(call.str("acc"));
  return {contract(parse(call.str("expr")), call.tensors("inputs"), acc)};
}

/// Six axes: m and k of A, k and n of B, m and n of the result; the others are batches.
Tensors legacy_matmul(const KernelCall& call) {
  const at::Tensor a = call.tensor("A"), b = call.tensor("B");
  const Ints axes = call.ints("axes");
  if (axes.size() != 6) fail(cat("there are ", axes.size(), " axes, not six"));
  std::string terms[3];
  for (std::string& term : terms)
    for (int64_t i = 0; i < a.dim(); ++i) term += static_cast<char>('a' + i);
  const char letters[] = {'M', 'K', 'K', 'N', 'M', 'N'};
  for (size_t i = 0; i < axes.size(); ++i) terms[i / 2].at(axes[i]) = letters[i];
  return {contract({{terms[0], terms[1]}, terms[2]}, {a, b}, a.scalar_type())};
}

}  // namespace

void register_tract_einsum(Kernels& kernels) {
  kernels.add("tract_core_einsum", einsum);
  kernels.add("tract_core_matmul", legacy_matmul);
}

}  // namespace t2n::interp
