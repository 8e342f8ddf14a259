// SPDX-License-Identifier: Apache-2.0
#include "src/frontend/run/mode_rules.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace t2n::trace {

bool is_grad_query(const torch::jit::Node& node) {
  static const auto is_grad_enabled = c10::Symbol::fromQualString("aten::is_grad_enabled");
  return node.kind() == is_grad_enabled || node.kind() == c10::prim::requires_grad;
}

bool is_torch_function(const std::string& qualified_name) {
  return qualified_name.starts_with("__torch__.torch.nn.");
}

bool is_causal_detection(const std::string& qualified_name) {
  return qualified_name == "__torch__.torch.nn.modules.transformer._detect_is_causal_mask";
}

bool is_inference_module(const c10::ivalue::Object& object) {
  constexpr std::array<std::string_view, 5> kModules = {
      "__torch__.torch.nn.modules.dropout.", "__torch__.torch.nn.modules.rnn.",
      "__torch__.torch.nn.modules.activation.", "__torch__.torch.nn.modules.batchnorm.",
      "__torch__.torch.nn.modules.instancenorm."};
  const std::string name = object.type()->name() ? object.type()->name()->qualifiedName() : "";
  return std::any_of(kModules.begin(), kModules.end(),
                     [&](std::string_view prefix) { return name.starts_with(prefix); });
}

}  // namespace t2n::trace
