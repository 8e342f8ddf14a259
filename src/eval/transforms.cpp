// SPDX-License-Identifier: Apache-2.0
#include "src/eval/transforms.h"

#include <ATen/Functions.h>

#include "src/frontend/load/convert.h"

namespace t2n::eval {
namespace {

template <typename T>
T argument(const ir::Node& node, const char* name) {
  return std::get<T>(*node.find(name));
}

int64_t integer(const ir::Node& node, const char* name) {
  return argument<ir::Dim>(node, name).value();
}

at::Tensor tensor(const ir::Node& node, const char* name, const ir::Operand& operand) {
  return trace::to_torch(operand(argument<ir::TensorRef>(node, name).id));
}

at::Tensor complex(const ir::Node& node, const ir::Operand& operand) {
  return at::view_as_complex(tensor(node, "self", operand).contiguous());
}

constexpr int64_t kUnscaled = 0;

at::Tensor c2c(const ir::Node& node, const ir::Operand& operand) {
  return at::_fft_c2c(complex(node, operand), integer(node, "dim"), kUnscaled,
                      !argument<bool>(node, "inverse"));
}

at::Tensor r2c(const ir::Node& node, const ir::Operand& operand) {
  const at::Tensor y = at::_fft_r2c(tensor(node, "self", operand), integer(node, "dim"), kUnscaled,
                                    argument<bool>(node, "onesided"));
  return argument<bool>(node, "inverse") ? at::conj_physical(y) : y;
}

at::Tensor c2r(const ir::Node& node, const ir::Operand& operand) {
  const at::Tensor z = complex(node, operand);
  return at::_fft_c2r(argument<bool>(node, "inverse") ? z : at::conj_physical(z),
                      integer(node, "dim"), kUnscaled, integer(node, "n"));
}

at::Tensor stft(const ir::Node& node, const ir::Operand& operand) {
  const bool has_window = std::holds_alternative<ir::TensorRef>(*node.find("window"));
  const int64_t size = integer(node, "n_fft");
  return at::stft(tensor(node, "self", operand), size, integer(node, "hop_length"), size,
                  has_window ? std::optional(tensor(node, "window", operand)) : std::nullopt,
                  /*normalized=*/false, argument<bool>(node, "onesided"), /*return_complex=*/true);
}

}  // namespace

bool is_transform(const ir::Node& node) {
  const std::string_view name = ir::op_name(node.op);
  return name.starts_with("t2n::fft_") || name == "t2n::stft";
}

std::vector<ir::Tensor> transform(const ir::Node& node, const ir::Operand& operand) {
  const std::string_view name = ir::op_name(node.op);
  at::Tensor y = name == "t2n::fft_c2c"   ? c2c(node, operand)
                 : name == "t2n::fft_r2c" ? r2c(node, operand)
                 : name == "t2n::fft_c2r" ? c2r(node, operand)
                                          : stft(node, operand);
  if (y.is_complex()) y = at::view_as_real(y);
  return {trace::share(at::mul(y, at::Scalar(argument<double>(node, "scale"))))};
}

}  // namespace t2n::eval
