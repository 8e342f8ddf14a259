// SPDX-License-Identifier: Apache-2.0
// Runs an exported model. Runner is the only virtual class of the project.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ir/tensor.h"
#include "src/interp/interp.h"
#include "src/tract/bench.h"
#include "src/tract/find.h"
#include "src/tract/library.h"

namespace t2n::check {

/// The result of a model in pulses, by output.
struct InPulses {
  std::vector<int64_t> axes;
  std::vector<int64_t> delays;
  std::vector<int64_t> input_axes;  ///< by input
};

class Runner {
 public:
  virtual ~Runner() = default;

  /// "tract 0.23.9"
  virtual std::string name() const = 0;
  /// The runner that computes, if this one only changes the order of inputs and outputs.
  virtual Runner& engine() { return *this; }
  /// Loads an artefact: a folder, a .tar or a .tgz.
  virtual void load(const std::string& artefact) = 0;
  /// Outputs for the model's inputs; both in the order of its signature.
  virtual std::vector<ir::Tensor> run(const std::vector<ir::Tensor>& inputs) = 0;
  /// Begins to load where the runner is another process; load() waits for it.
  virtual void start_load(const std::string&) {}
  /// Begins to run where the runner is another process; finish_run() has the outputs. One at a
  /// time, and nothing else in between.
  virtual void start_run(const std::vector<ir::Tensor>& inputs) { started_ = inputs; }
  virtual std::vector<ir::Tensor> finish_run() { return run(started_); }
  /// The memory that the artefact takes since it was loaded, if it was the first one; nothing if
  /// unknown.
  virtual std::optional<int64_t> loaded_bytes() const { return {}; }

  /// Measures models; nothing if the runner is no engine.   Errors: also `engine-rejects`.
  virtual std::vector<tract::BenchTimes> bench(const tract::BenchRequest&) { return {}; }

  /// Prepares the loaded artefact for input in pulses. Returns the axis along which each output is
  /// streamed, or -1 if it is not, and the delays. Nothing if the runner does not support pulses.
  /// Errors: `engine-rejects`.
  virtual std::optional<InPulses> pulse(const tract::Pulse&) { return {}; }
  /// Outputs for full inputs that are fed pulse by pulse, without the initial delay. Call it after
  /// pulse().
  virtual std::vector<ir::Tensor> run_in_pulses(const std::vector<ir::Tensor>&) { return {}; }

 private:
  std::vector<ir::Tensor> started_;
};

struct RunnerOptions {
  std::chrono::milliseconds timeout = std::chrono::minutes(5);  ///< for each load or run
  int64_t memory_bytes = int64_t{16} << 30;                     ///< 0: unlimited
};

/// tract in an engine worker; main must call tract::maybe_run_worker. Errors of load and run: those
/// of tract::WorkerClient.
std::unique_ptr<Runner> tract_runner(const tract::Engine& engine, RunnerOptions options = {});

/// Our own interpreter, in this process, without a timeout. Errors of load and run: those of
/// nnef::read_artefact and of the interpreter.
std::unique_ptr<Runner> reference_runner(const interp::InterpModule& module, spec::Dialect dialect);

}  // namespace t2n::check

namespace t2n {

/// The reference interpreter, loaded on first use.   Errors: those of torch_module().
const interp::InterpModule& interp_module();

}  // namespace t2n
