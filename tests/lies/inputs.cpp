// SPDX-License-Identifier: Apache-2.0
// Files that do not look at an input, and states that are not fed back.
#include "tests/lies/lies.h"

namespace t2n::test {
namespace {

bool is_real(ir::DType dtype) { return ir::is_float(dtype); }

/// Zeros, or false, of the input's own shape.
nnef::Value nothing_of(const std::string& name, ir::DType dtype) {
  const nnef::Value input = nnef::identifier(name);
  if (dtype == ir::DType::boolean) return call("and", {input, call("not", {input})});
  return is_real(dtype) ? call("mul", {input, nnef::scalar(0)}) : call("sub", {input, input});
}

nnef::Document baked(const Truth& truth, size_t input) {
  const std::string& name = truth.document.graph.parameters[input];
  nnef::Document out = replaced(truth.document, name, nnef::identifier(name));
  nnef::Assignment variable = add_variable(out, "t2n_baked", truth.inputs[input]);
  for (nnef::Assignment& each : out.graph.body)
    if (each.left.text == "t2n_lie") each.right = nnef::identifier("t2n_baked");
  return out;
}

}  // namespace

void lie_of_inputs(const Truth& truth, Lies& out) {
  const std::vector<std::string>& names = truth.document.graph.parameters;
  for (size_t i = 0; i < names.size(); ++i) {
    const ir::DType dtype = truth.inputs[i].dtype;
    out.push_back({"input-ignored", names[i],
                   replaced(truth.document, names[i], nothing_of(names[i], dtype))});
    if (truth.sizes.empty()) {
      // tract wants an operation; adding nothing is one for numbers.
      nnef::Document document = baked(truth, i);
      for (nnef::Assignment& each : document.graph.body)
        if (each.left.text == "t2n_lie" && dtype != ir::DType::boolean)
          each.right = call("add", {each.right, nothing_of(names[i], dtype)});
        else if (each.left.text == "t2n_lie")
          each.right = call("or", {each.right, nothing_of(names[i], dtype)});
      out.push_back({"input-baked", names[i], std::move(document)});
    }
    if (is_real(dtype))
      out.push_back(
          {"input-sign-lost", names[i],
           replaced(truth.document, names[i], call("abs", {nnef::identifier(names[i])}))});
  }
  for (const auto& [input, output] : truth.states) {
    nnef::Document document = truth.document;
    document.graph.results[output] = document.graph.parameters[input];
    out.push_back({"state-not-fed", names[input], std::move(document)});
  }
}

}  // namespace t2n::test
