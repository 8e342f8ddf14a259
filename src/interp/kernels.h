// SPDX-License-Identifier: Apache-2.0
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

void register_tract_elementwise(Kernels& kernels);
void register_tract_einsum(Kernels& kernels);
void register_tract_extra(Kernels& kernels);
void register_tract_fourier(Kernels& kernels);
void register_tract_index(Kernels& kernels);
void register_tract_models(Kernels& kernels);
void register_tract_reduce(Kernels& kernels);
void register_tract_resize(Kernels& kernels);
void register_tract_rnn(Kernels& kernels);
void register_tract_scan(Kernels& kernels);
void register_tract_shape(Kernels& kernels);
void register_tract_transformers(Kernels& kernels);

}  // namespace t2n::interp
