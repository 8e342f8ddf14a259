// Something that runs an exported model: the one virtual class of the project.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ir/tensor.h"
#include "src/interp/interp.h"
#include "src/tract/find.h"
#include "src/tract/library.h"

namespace t2n::check {

/// Of a model in pulses, per output.
struct InPulses {
  std::vector<int64_t> axes;
  std::vector<int64_t> delays;
  std::vector<int64_t> input_axes;  ///< per input
};

class Runner {
 public:
  virtual ~Runner() = default;

  /// "tract 0.23.9"
  virtual std::string name() const = 0;
  /// Loads an artefact: a folder, a .tar or a .tgz.
  virtual void load(const std::string& artefact) = 0;
  /// Outputs for the model's inputs, both in the order of its signature.
  virtual std::vector<ir::Tensor> run(const std::vector<ir::Tensor>& inputs) = 0;
  /// Memory that the artefact takes since it was loaded, if it was the first one; nothing where
  /// nobody measures it.
  virtual std::optional<int64_t> loaded_bytes() const { return {}; }

  /// Makes the artefact that was loaded ready to take its input in pieces; says along which axis
  /// each output comes, -1 where it is there as a whole, and how late. Nothing where the runner
  /// knows no pieces.   Errors: `engine-rejects`.
  virtual std::optional<InPulses> pulse(const tract::Pulse&) { return {}; }
  /// Outputs for whole inputs that are fed piece by piece, without what comes before their first
  /// entries; only after pulse().
  virtual std::vector<ir::Tensor> run_in_pulses(const std::vector<ir::Tensor>&) { return {}; }
};

struct RunnerOptions {
  std::chrono::milliseconds timeout = std::chrono::minutes(5);  ///< per load or run
  int64_t memory_bytes = int64_t{16} << 30;                     ///< 0: unbounded
};

/// tract in an engine worker; main has to call tract::maybe_run_worker. Errors of load and run:
/// those of tract::WorkerClient.
std::unique_ptr<Runner> tract_runner(const tract::Engine& engine, RunnerOptions options = {});

/// Our own interpreter, in this process: it has no time-out. Errors of load and run: those of
/// nnef::read_artefact and of the interpreter.
std::unique_ptr<Runner> reference_runner(const interp::InterpModule& module, spec::Dialect dialect);

}  // namespace t2n::check
