#include "src/quant/known_operators.h"

#include "src/quant/rules.h"

namespace t2n::quant {

bool is_expanded(std::string_view op) {
  const size_t colon = op.find("::");
  if (colon == std::string_view::npos) return false;
  const std::string_view word = op.substr(colon + 2);
  if (op.starts_with("quantized::")) {
    for (const auto find : {find_layer_rule, find_dynamic_rule, find_recurrent_rule,
                            find_embedding_rule, find_function_rule, find_norm_rule})
      if (find(word) != nullptr) return true;
    return false;
  }
  if (find_integer_rule(op) != nullptr) return true;
  if (!op.starts_with("aten::")) return false;
  return find_aten_rule(word) != nullptr || find_fake_rule(word) != nullptr ||
         find_recurrent_rule(word) != nullptr || word == "quantized_batch_norm";
}

}  // namespace t2n::quant
