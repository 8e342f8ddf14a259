// SPDX-License-Identifier: Apache-2.0
// Parses types in TorchScript's notation.
#include "src/samples/placeholder.h"

#include <utility>

#include "src/diag/error.h"

namespace t2n {
namespace {

/// The types inside the brackets of "Tuple[Tensor, List[int]]".
std::vector<std::string> inner_types(const std::string& type) {
  std::vector<std::string> out(1);
  int depth = 0;
  for (size_t i = type.find('[') + 1; i + 1 < type.size(); ++i) {
    const char c = type[i];
    depth += c == '[' ? 1 : c == ']' ? -1 : 0;
    if (c == ',' && depth == 0)
      out.emplace_back();
    else if (c != ' ')
      out.back() += c;
  }
  return out;
}

void add(const std::string& path, const std::string& type, std::vector<std::string>& specs) {
  constexpr std::pair<std::string_view, std::string_view> kLeaves[] = {{"Tensor", "SHAPE,f32"},
                                                                       {"int", "int:1"},
                                                                       {"float", "float:1.0"},
                                                                       {"bool", "bool:true"},
                                                                       {"str", "str:text"}};
  for (const auto& [name, value] : kLeaves)
    if (type == name) return specs.push_back(cat(path, "=", value));
  if (type.starts_with("Optional[")) return;
  if (type.starts_with("Tuple[")) {
    const std::vector<std::string> types = inner_types(type);
    for (size_t i = 0; i < types.size(); ++i) add(cat(path, "_", i), types[i], specs);
  } else if (type.starts_with("List[")) {
    add(path + "_0", inner_types(type)[0], specs);
  } else if (type.starts_with("Dict[")) {
    add(path + "_KEY", inner_types(type).back(), specs);
  } else {
    specs.push_back(path + "=…");
  }
}

}  // namespace

std::vector<std::string> placeholders(const trace::ArgumentInfo& argument) {
  std::vector<std::string> specs;
  if (!argument.has_default) add(argument.name, argument.type, specs);
  return specs;
}

}  // namespace t2n
