// SPDX-License-Identifier: Apache-2.0
#include "src/frontend/pt2/decompositions.h"

#include <torch/csrc/jit/api/compilation_unit.h>
#include <torch/csrc/jit/frontend/resolver.h>

#include <array>
#include <utility>

namespace t2n::trace {
namespace {

using torch::jit::CompilationUnit;

/// The names of dtypes that the text has. LibTorch's compiler knows only their numbers.
constexpr std::array<std::pair<std::string_view, at::ScalarType>, 6> kDTypeNames = {{
    {"torch.float16", at::kHalf},
    {"torch.float32", at::kFloat},
    {"torch.float64", at::kDouble},
    {"torch.int32", at::kInt},
    {"torch.int64", at::kLong},
    {"torch.uint8", at::kByte},
}};

std::string with_numbers(std::string_view text) {
  std::string out(text);
  for (const auto& [name, type] : kDTypeNames)
    for (size_t at = out.find(name); at != std::string::npos; at = out.find(name, at))
      out.replace(at, name.size(), std::to_string(static_cast<int>(type)));
  return out;
}

/// The functions of a namespace; nullptr if it has none.
const CompilationUnit* functions_of(std::string_view space) {
  if (space == "quantized_decomposed") {
    static const CompilationUnit unit(with_numbers(quantized_decomposed()));
    return &unit;
  }
  if (space == "torchao") {
    static const CompilationUnit unit(with_numbers(torchao()));
    return &unit;
  }
  if (space == "aten") {
    static const CompilationUnit unit(with_numbers(integers()));
    return &unit;
  }
  return nullptr;
}

}  // namespace

torch::jit::GraphFunction* decomposition(const std::string& name, const std::string& overload) {
  const size_t colons = name.find("::");
  const CompilationUnit* unit = colons == std::string::npos
                                    ? nullptr
                                    : functions_of(std::string_view(name).substr(0, colons));
  if (unit == nullptr) return nullptr;
  const std::string function = name.substr(colons + 2) + (overload.empty() ? "" : "__" + overload);
  torch::jit::Function* found = unit->find_function(c10::QualifiedName(function));
  return found == nullptr ? nullptr : torch::jit::tryToGraphFunction(*found);
}

}  // namespace t2n::trace
