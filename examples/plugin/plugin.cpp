// SPDX-License-Identifier: Apache-2.0
// Two operators with their kernels for LibTorch and their translations for t2nnef, one with a shape
// rule.
#include <ATen/Functions.h>
#include <torch/library.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "t2nnef_plugin.h"

namespace {

/// x[:, lag:] - x[:, :-lag], or the square of it. Shapes: x [B, S]; result [B, S - lag].
at::Tensor delta(const at::Tensor& x, int64_t lag, bool squared) {
  const at::Tensor out = at::sub(at::slice(x, 1, lag), at::slice(x, 1, 0, x.size(1) - lag));
  return squared ? at::mul(out, out) : out;
}

constexpr const char* kFragments = R"(
fragment difference( x: tensor<scalar>, lag: integer, end: integer, back: integer ) -> ( y: tensor<scalar> )
{
    late = slice(x, axes = [1], begin = [lag], end = [end]);
    early = slice(x, axes = [1], begin = [0], end = [back]);
    y = late - early;
}
fragment squared_difference( x: tensor<scalar>, lag: integer, end: integer, back: integer ) -> ( y: tensor<scalar> )
{
    d = difference(x, lag, end, back);
    y = d * d;
}
fragment trimmed( xs: tensor<scalar>[], begin: integer, end: integer ) -> ( y: tensor<scalar> )
{
    y = slice(concat(xs, axis = 1), axes = [1], begin = [begin], end = [end]);
}
)";

/// An end of 0 is that of the axis, whose size may be a symbol; strict NNEF wants the number.
const char* fragment_of_delta(const t2nnef_host* host, t2nnef_call* call) {
  int64_t lag = 0;
  int squared = 0;
  host->integer(call, "lag", &lag);
  host->boolean(call, "squared", &squared);
  if (lag < 1) host->refuse(call, "lag is less than 1");
  const int64_t size = std::atoll(host->size(call, "x", 1));
  host->set(call, "end", std::to_string(size).c_str());
  host->set(call, "back", std::to_string(size - lag).c_str());
  return squared != 0 ? "squared_difference" : "difference";
}

const char* shape_of_delta(const t2nnef_host* host, t2nnef_call* call, size_t /*result*/) {
  static std::string text;
  int64_t lag = 0;
  host->integer(call, "lag", &lag);
  text = std::string("[") + host->size(call, "x", 0) + "," + host->size(call, "x", 1) + "-" +
         std::to_string(lag) + "]";
  return text.c_str();
}

/// The tensors side by side, without the entries that `trim` counts at the ends of axis 1.
at::Tensor joined(const std::vector<at::Tensor>& xs, at::IntArrayRef trim) {
  const at::Tensor all = at::cat(xs, 1);
  return at::slice(all, 1, trim.at(0), all.size(1) - trim.at(1));
}

/// A list of tensors is passed as it is; one of numbers is read here.
const char* fragment_of_joined(const t2nnef_host* host, t2nnef_call* call) {
  size_t count = 0;
  const int64_t* const trim = host->integers(call, "trim", &count);
  if (trim == nullptr || count != 2) {
    host->refuse(call, "trim is not two numbers");
    return nullptr;
  }
  int64_t size = 0;
  for (int i = 0; i < host->tensors(call, "xs"); ++i)
    size += std::atoll(host->size(call, ("xs[" + std::to_string(i) + "]").c_str(), 1));
  host->set(call, "begin", std::to_string(trim[0]).c_str());
  host->set(call, "end", std::to_string(size - trim[1]).c_str());
  return "trimmed";
}

constexpr t2nnef_operator kOperators[] = {{"signals::delta", fragment_of_delta, shape_of_delta},
                                          {"signals::joined", fragment_of_joined, nullptr}};
constexpr t2nnef_plugin kPlugin = {T2NNEF_PLUGIN_VERSION, kFragments, 2, kOperators};

}  // namespace

TORCH_LIBRARY(signals, library) {
  library.def("delta(Tensor x, int lag=1, bool squared=False) -> Tensor", delta);
  library.def("joined(Tensor[] xs, int[2] trim) -> Tensor", joined);
}

const t2nnef_plugin* t2nnef_plugin_v1(void) { return &kPlugin; }
