// The families of kernels; each registers its own.
#pragma once

namespace t2n::interp {

class Kernels;

void register_elementwise(Kernels& kernels);

}  // namespace t2n::interp
