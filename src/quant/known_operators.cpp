// SPDX-License-Identifier: Apache-2.0
#include "src/quant/known_operators.h"

#include <algorithm>
#include <initializer_list>

#include "ir/op_registry.h"
#include "src/quant/rules.h"

namespace t2n::quant {

bool is_expanded(std::string_view op) {
  const auto is_in = [name =
                          ir::op_base_name(op)](std::initializer_list<const QuantRules*> tables) {
    return std::any_of(tables.begin(), tables.end(),
                       [&](const QuantRules* table) { return table->contains(name); });
  };
  if (op.starts_with("quantized::"))
    return is_in({&layer_rules(), &dynamic_rules(), &cell_rules(), &embedding_rules(),
                  &function_rules(), &norm_rules()});
  return op.starts_with("aten::") && is_in({&recurrent_rules(), &fake_rules(), &integer_rules(),
                                            &any_scale_rules(), &tensor_rules()});
}

}  // namespace t2n::quant
