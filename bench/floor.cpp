// SPDX-License-Identifier: Apache-2.0
// The floor of an export: what LibTorch and the disk take to load a model, run it once and write its weights.
// usage: t2n_floor MODEL OUT f32|i64:SIZE,SIZE...   (inputs of zeros)
#include <torch/script.h>

#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace {

at::Tensor zeros(const std::string& spec) {
  std::istringstream text(spec.substr(spec.find(':') + 1));
  std::vector<int64_t> sizes;
  for (std::string size; std::getline(text, size, ',');) sizes.push_back(std::stoll(size));
  return at::zeros(sizes, spec.starts_with("i64") ? at::kLong : at::kFloat);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fputs("usage: t2n_floor MODEL OUT f32|i64:SIZE,SIZE...\n", stderr);
    return 2;
  }
  const c10::InferenceMode guard;
  auto module = torch::jit::load(argv[1]);
  std::vector<c10::IValue> inputs;
  for (int i = 3; i < argc; ++i) inputs.emplace_back(zeros(argv[i]));
  module.forward(inputs);
  std::ofstream out(argv[2], std::ios::binary);
  for (const at::Tensor& each : module.parameters()) {
    const at::Tensor plain = each.contiguous();
    out.write(static_cast<const char*>(plain.const_data_ptr()), static_cast<std::streamsize>(plain.nbytes()));
  }
  return out.flush() ? 0 : 1;
}
