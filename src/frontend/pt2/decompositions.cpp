// SPDX-License-Identifier: Apache-2.0
#include "src/frontend/pt2/decompositions.h"

#include <torch/csrc/jit/api/compilation_unit.h>
#include <torch/csrc/jit/frontend/resolver.h>

namespace t2n::trace {
namespace {

constexpr std::string_view kNamespace = "quantized_decomposed::";

const torch::jit::CompilationUnit& functions() {
  static const torch::jit::CompilationUnit unit{std::string(quantized_decomposed())};
  return unit;
}

}  // namespace

torch::jit::GraphFunction* decomposition(const std::string& name, const std::string& overload) {
  if (!name.starts_with(kNamespace)) return nullptr;
  const std::string function =
      name.substr(kNamespace.size()) + (overload.empty() ? "" : "__" + overload);
  torch::jit::Function* found = functions().find_function(c10::QualifiedName(function));
  return found == nullptr ? nullptr : torch::jit::tryToGraphFunction(*found);
}

}  // namespace t2n::trace
