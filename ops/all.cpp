// Registers every family of operators.
#include "ops/all.h"

#include "ops/registry.h"

namespace t2n::ops {

void register_all(Registry& registry) {
  register_activation(registry);
  register_adaptive_pool(registry);
  register_attention(registry);
  register_attention_layers(registry);
  register_complex(registry);
  register_conv(registry);
  register_creation(registry);
  register_diagonal(registry);
  register_einsum(registry);
  register_elementwise(registry);
  register_fft(registry);
  register_grid_sample(registry);
  register_index(registry);
  register_join(registry);
  register_loss(registry);
  register_matmul(registry);
  register_norm(registry);
  register_pad(registry);
  register_points(registry);
  register_pool(registry);
  register_reduce(registry);
  register_resize(registry);
  register_rnn(registry);
  register_rope(registry);
  register_scan(registry);
  register_scatter(registry);
  register_shape(registry);
  register_slice(registry);
  register_small_matrix(registry);
  register_special(registry);
  register_stft(registry);
  register_unfold(registry);
}

}  // namespace t2n::ops
