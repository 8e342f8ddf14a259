// SPDX-License-Identifier: Apache-2.0
#include "src/interp/kernels.h"

#include <cstdio>
#include <cstdlib>

#include "src/interp/kernel.h"

namespace t2n::interp {

void Kernels::add(std::string_view name, Kernel kernel) {
  if (by_name_.emplace(name, kernel).second) return;
  std::fprintf(stderr, "t2nnef: two kernels for %.*s\n", static_cast<int>(name.size()),
               name.data());
  std::abort();
}

Kernel Kernels::find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second;
}

const Kernels& kernels() {
  static const Kernels all = [] {
    Kernels out;
    for (const auto add : {register_activation,
                           register_conv,
                           register_elementwise,
                           register_index,
                           register_linear,
                           register_pool,
                           register_quant,
                           register_reduce,
                           register_resample,
                           register_roi,
                           register_shape,
                           register_tract_elementwise,
                           register_tract_einsum,
                           register_tract_extra,
                           register_tract_fourier,
                           register_tract_index,
                           register_tract_models,
                           register_tract_reduce,
                           register_tract_resize,
                           register_tract_rnn,
                           register_tract_scan,
                           register_tract_shape,
                           register_tract_transformers})
      add(out);
    return out;
  }();
  return all;
}

}  // namespace t2n::interp
