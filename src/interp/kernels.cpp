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
    register_activation(out);
    register_conv(out);
    register_elementwise(out);
    register_index(out);
    register_linear(out);
    register_pool(out);
    register_quant(out);
    register_reduce(out);
    register_resample(out);
    register_roi(out);
    register_shape(out);
    register_tract_elementwise(out);
    register_tract_einsum(out);
    register_tract_extra(out);
    register_tract_fourier(out);
    register_tract_index(out);
    register_tract_models(out);
    register_tract_reduce(out);
    register_tract_resize(out);
    register_tract_rnn(out);
    register_tract_scan(out);
    register_tract_shape(out);
    register_tract_transformers(out);
    return out;
  }();
  return all;
}

}  // namespace t2n::interp
