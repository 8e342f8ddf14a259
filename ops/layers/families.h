// SPDX-License-Identifier: Apache-2.0
// The families of operators of this folder: layers of networks. Each function adds one to the
// table.
#pragma once

namespace t2n::ops {

class Registry;

void register_adaptive_pool(Registry& registry);
void register_attention(Registry& registry);
void register_attention_layers(Registry& registry);
void register_conv(Registry& registry);
void register_grid_sample(Registry& registry);
void register_norm(Registry& registry);
void register_packed(Registry& registry);
void register_pool(Registry& registry);
void register_resize(Registry& registry);
void register_smooth_resize(Registry& registry);
void register_rnn(Registry& registry);
void register_rnn_shapes(Registry& registry);
void register_rope(Registry& registry);
void register_scan(Registry& registry);
void register_vision(Registry& registry);

}  // namespace t2n::ops
