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
  void load(const std::string& artefact) override { worker_.load(artefact); }
  std::vector<ir::Tensor> run(const std::vector<ir::Tensor>& inputs) override {
    return worker_.run(inputs);
  }

 private:
  std::string name_;
  tract::WorkerClient worker_;
};

}  // namespace

std::unique_ptr<Runner> tract_runner(const tract::Engine& engine, RunnerOptions options) {
  return std::make_unique<TractRunner>(engine, options);
}

}  // namespace t2n::check
