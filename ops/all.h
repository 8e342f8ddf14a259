// The table of translations, and one function per family that adds to it. A new family adds a line
// here and in all.cpp.
#pragma once

namespace t2n::ops {

class Registry;

/// The table with every family, built once.
const Registry& registry();

void register_activation(Registry& registry);
void register_adaptive_pool(Registry& registry);
void register_attention(Registry& registry);
void register_attention_layers(Registry& registry);
void register_complex(Registry& registry);
void register_conv(Registry& registry);
void register_creation(Registry& registry);
void register_diagonal(Registry& registry);
void register_einsum(Registry& registry);
void register_elementwise(Registry& registry);
void register_fft(Registry& registry);
void register_grid_sample(Registry& registry);
void register_index(Registry& registry);
void register_join(Registry& registry);
void register_loss(Registry& registry);
void register_matmul(Registry& registry);
void register_norm(Registry& registry);
void register_packed(Registry& registry);
void register_pad(Registry& registry);
void register_points(Registry& registry);
void register_pool(Registry& registry);
void register_reduce(Registry& registry);
void register_resize(Registry& registry);
void register_rnn(Registry& registry);
void register_rope(Registry& registry);
void register_scan(Registry& registry);
void register_scatter(Registry& registry);
void register_shape(Registry& registry);
void register_slice(Registry& registry);
void register_small_matrix(Registry& registry);
void register_special(Registry& registry);
void register_stft(Registry& registry);
void register_unfold(Registry& registry);
void register_vision(Registry& registry);
void register_windows(Registry& registry);

}  // namespace t2n::ops
