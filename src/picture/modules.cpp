// SPDX-License-Identifier: Apache-2.0
#include "src/picture/modules.h"

#include "src/nnef/names.h"
#include "src/nnef/walk.h"

namespace t2n::picture {

Modules::Modules(const nnef::Document& document) {
  for (const nnef::Assignment& statement : document.graph.body) {
    const nnef::Value* const label = statement.right.text == "variable"
                                         ? nnef::find_argument(statement.right, "label", 0)
                                         : nullptr;
    constexpr size_t kLongest = 1000;
    if (label == nullptr || label->text.size() > kLongest) continue;
    for (std::string_view module = of_label(label->text); !module.empty();
         module = of_label(module))
      by_identifier_.emplace(nnef::identifier_for(module), std::string(module));
  }
}

std::string_view Modules::of_label(std::string_view label) {
  const size_t end = label.find_last_of("./");
  return end == std::string_view::npos ? std::string_view() : label.substr(0, end);
}

std::string_view Modules::of_name(std::string_view name) const {
  for (size_t end = name.rfind('_'); end != std::string_view::npos && end > 0;
       end = name.rfind('_', end - 1)) {
    const auto found = by_identifier_.find(name.substr(0, end));
    if (found != by_identifier_.end()) return found->second;
  }
  return {};
}

}  // namespace t2n::picture
