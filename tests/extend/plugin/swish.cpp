// SPDX-License-Identifier: Apache-2.0
// A library of torch operators, as a user has it, for --plugin.
#include <ATen/Functions.h>
#include <torch/library.h>

namespace {

at::Tensor swish(const at::Tensor& x, const at::Scalar& beta) {
  return at::mul(x, at::sigmoid(at::mul(x, beta)));
}

at::Tensor flat(const at::Tensor& x) { return x.view(-1); }

}  // namespace

TORCH_LIBRARY(mine, library) {
  library.def("swish(Tensor x, Scalar beta=1.0) -> Tensor", swish);
  library.def("flat(Tensor(a) x) -> Tensor(a)", flat);
}
