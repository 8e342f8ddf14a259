// The table of translations, made of every family of operators.
#include "ops/all.h"

#include "src/translate/registry.h"

namespace t2n::ops {

const Registry& registry() {
  static const Registry table = [] {
    Registry r;
    for (const auto family : {register_activation, register_adaptive_pool,
                              register_attention,  register_attention_layers,
                              register_complex,    register_conv,
                              register_creation,   register_diagonal,
                              register_einsum,     register_elementwise,
                              register_fft,        register_grid_sample,
                              register_index,      register_join,
                              register_loss,       register_matmul,
                              register_norm,       register_packed,
                              register_pad,        register_points,
                              register_pool,       register_reduce,
                              register_resize,     register_rnn,
                              register_rope,       register_scan,
                              register_scatter,    register_shape,
                              register_slice,      register_small_matrix,
                              register_special,    register_stft,
                              register_unfold,     register_vision,
                              register_windows})
      family(r);
    return r;
  }();
  return table;
}

}  // namespace t2n::ops
