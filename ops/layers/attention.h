// SPDX-License-Identifier: Apache-2.0
// Scaled dot-product attention, for the operators that contain one.
#pragma once

#include <optional>
#include <string_view>

#include "src/translate/emitter.h"
#include "src/translate/op_view.h"

namespace t2n::ops {

/// softmax(query . key^T * scale + mask) . value over the last two axes; leading axes broadcast.
struct Attention {
  Ref query;
  Ref key;
  Ref value;
  std::optional<Ref> mask;      ///< booleans (true takes part), or numbers to add
  bool is_causal = false;       ///< query i sees the keys 0..i
  std::optional<double> scale;  ///< 1 / sqrt(size of a query) where absent
  bool is_grouped = false;  ///< the axis before the last two may be shorter in key and value: each
                            ///< of their heads then serves several heads of the query
  double no_key_value = 0;  ///< the result of a query that sees no key: 0 or NaN
};

struct AttentionResult {
  Ref output;
  Ref weights;  ///< the softmax
};

/// Uses two matrix products and a softmax.
AttentionResult composed_attention(const OpView& op, Emitter& out, Attention a);
/// Only the output, by the engine's operation `name` where it computes the same.
Ref attention(const OpView& op, Emitter& out, std::string_view name, Attention a);

}  // namespace t2n::ops
