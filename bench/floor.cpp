// SPDX-License-Identifier: Apache-2.0
// The floor of an export: what LibTorch and the disk take to load a model, run it once and write its weights.
// usage: t2n_floor MODEL OUT f32|i64 SIZE...   (one input, of zeros)
#include <torch/script.h>

#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fputs("usage: t2n_floor MODEL OUT f32|i64 SIZE...\n", stderr);
    return 2;
  }
  std::vector<int64_t> sizes;
  for (int i = 4; i < argc; ++i) sizes.push_back(std::stoll(argv[i]));
  const c10::InferenceMode guard;
  auto module = torch::jit::load(argv[1]);
  module.forward({at::zeros(sizes, std::string(argv[3]) == "i64" ? at::kLong : at::kFloat)});
  std::ofstream out(argv[2], std::ios::binary);
  for (const at::Tensor& each : module.parameters()) {
    const at::Tensor plain = each.contiguous();
    out.write(static_cast<const char*>(plain.const_data_ptr()), static_cast<std::streamsize>(plain.nbytes()));
  }
  return out.flush() ? 0 : 1;
}
