// SPDX-License-Identifier: Apache-2.0
#include "src/frontend/pt2/decompositions.h"

#include <torch/csrc/jit/api/compilation_unit.h>
#include <torch/csrc/jit/frontend/resolver.h>

#include <array>
#include <utility>

namespace t2n::trace {
namespace {

constexpr std::string_view kNamespace = "quantized_decomposed::";

/// The names of dtypes that the text has. LibTorch's compiler knows only their numbers.
constexpr std::array<std::pair<std::string_view, at::ScalarType>, 6> kDTypeNames = {{
    {"torch.float16", at::kHalf},
    {"torch.float32", at::kFloat},
    {"torch.float64", at::kDouble},
    {"torch.int32", at::kInt},
    {"torch.int64", at::kLong},
    {"torch.uint8", at::kByte},
}};

std::string text_with_numbers() {
  std::string out(quantized_decomposed());
  for (const auto& [name, type] : kDTypeNames)
    for (size_t at = out.find(name); at != std::string::npos; at = out.find(name, at))
      out.replace(at, name.size(), std::to_string(static_cast<int>(type)));
  return out;
}

const torch::jit::CompilationUnit& functions() {
  static const torch::jit::CompilationUnit unit{text_with_numbers()};
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
