// The families of kernels; each registers its own.
#pragma once

namespace t2n::interp {

class Kernels;

void register_activation(Kernels& kernels);
void register_conv(Kernels& kernels);
void register_elementwise(Kernels& kernels);
void register_index(Kernels& kernels);
void register_linear(Kernels& kernels);
void register_pool(Kernels& kernels);
void register_quant(Kernels& kernels);
void register_reduce(Kernels& kernels);
void register_resample(Kernels& kernels);
void register_roi(Kernels& kernels);
void register_shape(Kernels& kernels);

}  // namespace t2n::interp
