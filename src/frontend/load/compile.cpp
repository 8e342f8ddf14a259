// SPDX-License-Identifier: Apache-2.0
// A model from source text and named buffers: for tests.
#include <torch/csrc/jit/frontend/resolver.h>
#include <torch/csrc/jit/frontend/sugared_value.h>

#include "src/diag/error.h"
#include "src/frontend/load/convert.h"
#include "src/frontend/load/loader.h"
#include "src/frontend/load/operator_scan.h"
#include "src/frontend/load/torch_error.h"

namespace t2n::trace {
namespace {

using Sugared = std::shared_ptr<torch::jit::SugaredValue>;

/// `ops.quantized.add`: the notation of operators outside the namespace aten.
struct Namespaces : torch::jit::SugaredValue {
  std::string kind() const override { return "ops"; }
  Sugared attr(const torch::jit::SourceRange&, torch::jit::GraphFunction&,
               const std::string& name) override {
    return std::make_shared<torch::jit::BuiltinModule>(name);
  }
};

struct Names : torch::jit::NativeResolver {
  Sugared resolveValue(const std::string& name, torch::jit::GraphFunction& function,
                       const torch::jit::SourceRange& range) override {
    if (name == "ops") return std::make_shared<Namespaces>();
    return NativeResolver::resolveValue(name, function, range);
  }
};

}  // namespace

Loaded compile_model(const InlineModel& model) {
  prepare_process();
  Loaded out;
  out.sources = std::make_shared<SourceMap>([](const std::string&) { return std::nullopt; });
  out.module = torch::jit::Module("Model");
  out.module.register_attribute("training", c10::BoolType::get(), false);
  for (const auto& [name, value] : model.parameters)
    out.module.register_buffer(name, to_torch_copy(value));
  try {
    out.module.define(model.source + "\n", std::make_shared<Names>());  // ends the last line
  } catch (const std::exception&) {
    throw Error("model-corrupt", "the source text does not compile", current_torch_message());
  }
  OperatorScan().require(*out.module._ivalue()->compilation_unit(), out.sources.get());
  return out;
}

}  // namespace t2n::trace
