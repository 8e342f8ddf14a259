// SPDX-License-Identifier: Apache-2.0
// Runs models in a tract engine worker.
#include "src/check/runner.h"
#include "src/diag/error.h"
#include "src/tract/worker.h"

namespace t2n::check {
namespace {

class TractRunner final : public Runner {
 public:
  TractRunner(const tract::Engine& engine, const RunnerOptions& options)
      : name_(cat("tract ", tract::version_str(engine.version))),
        worker_(engine.library,
                {.timeout = options.timeout, .memory_bytes = options.memory_bytes}) {}

  std::string name() const override { return name_; }
  void start_load(const std::string& artefact) override {
    is_first_ = !worker_.pid().has_value();
    worker_.start_load(artefact);
  }
  void load(const std::string& artefact) override {
    is_first_ = is_first_ || !worker_.pid().has_value();
    const int64_t bytes = worker_.load(artefact).resident_bytes;
    loaded_bytes_ = is_first_ ? std::optional(bytes) : std::nullopt;
    is_first_ = false;
  }
  std::vector<ir::Tensor> run(const std::vector<ir::Tensor>& inputs) override {
    return worker_.run(inputs);
  }
  void start_run(const std::vector<ir::Tensor>& inputs) override { worker_.start_run(inputs); }
  std::vector<ir::Tensor> finish_run() override { return worker_.finish_run(); }

  std::optional<InPulses> pulse(const tract::Pulse& pulse) override {
    InPulses out;
    const tract::EngineModelInfo info = worker_.pulse(pulse);
    for (const tract::EnginePort& port : info.inputs) out.input_axes.push_back(port.axis);
    for (const tract::EnginePort& port : info.outputs) {
      out.axes.push_back(port.axis);
      out.delays.push_back(port.delay);
    }
    return out;
  }
  std::vector<ir::Tensor> run_in_pulses(const std::vector<ir::Tensor>& inputs) override {
    return worker_.run_in_pulses(inputs);
  }

  std::vector<tract::BenchTimes> bench(const tract::BenchRequest& request) override {
    return worker_.bench(request);
  }

  std::optional<int64_t> loaded_bytes() const override { return loaded_bytes_; }

 private:
  std::string name_;
  tract::WorkerClient worker_;
  bool is_first_ = false;  ///< the load that began is the worker's first
  std::optional<int64_t> loaded_bytes_;
};

}  // namespace

std::unique_ptr<Runner> tract_runner(const tract::Engine& engine, RunnerOptions options) {
  return std::make_unique<TractRunner>(engine, options);
}

}  // namespace t2n::check
