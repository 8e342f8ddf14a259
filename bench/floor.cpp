// The floor of an export: what LibTorch and the disk take to load a model, run it once and write its weights.
// usage: t2n_floor MODEL OUT
#include <torch/script.h>

#include <cstdio>
#include <fstream>
#include <vector>

namespace {

/// The samples that a traced file keeps have shapes and no values: zeros of these shapes.
std::vector<c10::IValue> samples(const torch::jit::Module& module) {
  std::vector<c10::IValue> out;
  const auto graph = module.get_method("forward").graph();
  for (const torch::jit::Value* input : graph->inputs().slice(1)) {
    const auto type = input->type()->cast<c10::TensorType>();
    const auto sizes = type ? type->sizes().concrete_sizes() : std::nullopt;
    if (!sizes) throw std::runtime_error("an input of unknown shape: trace the model");
    out.emplace_back(at::zeros(*sizes, type->scalarType().value_or(at::kFloat)));
  }
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: t2n_floor MODEL OUT\n", stderr);
    return 2;
  }
  const c10::InferenceMode guard;
  auto module = torch::jit::load(argv[1]);
  module.forward(samples(module));
  std::ofstream out(argv[2], std::ios::binary);
  for (const at::Tensor& each : module.parameters()) {
    const at::Tensor plain = each.contiguous();
    out.write(static_cast<const char*>(plain.const_data_ptr()), static_cast<std::streamsize>(plain.nbytes()));
  }
  return out.flush() ? 0 : 1;
}
