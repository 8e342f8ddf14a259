// SPDX-License-Identifier: Apache-2.0
// The table of operators, made of every family.
#include "ops/all.h"

#include "ops/indexing/families.h"
#include "ops/layers/families.h"
#include "ops/matrix/families.h"
#include "ops/pointwise/families.h"
#include "ops/reduction/families.h"
#include "ops/signal/families.h"
#include "ops/structure/families.h"
#include "src/translate/own_operators.h"
#include "src/translate/registry.h"

namespace t2n::ops {

namespace {

using Family = void (*)(Registry& registry);

constexpr Family kFamilies[] = {register_activation,
                                register_bessel,
                                register_complex,
                                register_division,
                                register_elementwise,
                                register_error_functions,
                                register_gamma,
                                register_logic,
                                register_math,
                                register_polynomials,
                                register_special,
                                register_creation,
                                register_creation_shapes,
                                register_diagonal,
                                register_index,
                                register_join,
                                register_pad,
                                register_shape,
                                register_shape_shapes,
                                register_slice,
                                register_slice_shapes,
                                register_unfold,
                                register_class_losses,
                                register_cumulative,
                                register_loss,
                                register_points,
                                register_quantile,
                                register_reduce,
                                register_sort,
                                register_statistics,
                                register_einsum,
                                register_grouped,
                                register_matmul,
                                register_matmul_shapes,
                                register_small_matrix,
                                register_triangular,
                                register_data_dependent,
                                register_embedding_bag,
                                register_index_writes,
                                register_nonzero,
                                register_scatter,
                                register_scatter_elements,
                                register_adaptive_pool,
                                register_attention,
                                register_attention_layers,
                                register_conv,
                                register_grid_sample,
                                register_norm,
                                register_packed,
                                register_pool,
                                register_resize,
                                register_smooth_resize,
                                register_rnn,
                                register_rnn_shapes,
                                register_rope,
                                register_scan,
                                register_vision,
                                register_fft,
                                register_stft,
                                register_windows};

}  // namespace

const Registry& registry() {
  static const Registry book = [] {
    Registry out;
    for (const Family family : kFamilies) family(out);
    register_own_operators(out);
    return out;
  }();
  return book;
}

}  // namespace t2n::ops
