// SPDX-License-Identifier: Apache-2.0
// tract in this process, through its C interface. A panic aborts the process, so only the engine
// worker uses it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ir/tensor.h"
#include "src/tract/abi.h"
#include "src/tract/version.h"

namespace t2n::tract {

/// An input or output, as the engine describes it.
struct EnginePort {
  std::string name;  ///< tract's own: outputs are often named after an inner node
  std::string fact;  ///< "1,3,S,f32", "2,tdim"; types are upper case before 0.23
  // In pulses:
  int64_t axis = -1;  ///< the streamed axis; -1: not streamed
  int64_t delay = 0;  ///< for an output: entries along the axis before the first valid one
};

/// The parameters of streaming.
struct Pulse {
  std::string symbol;  ///< in the inputs' sizes
  int64_t size = 0;    ///< its value for each piece
};

struct EngineModelInfo {
  std::vector<EnginePort> inputs;
  std::vector<EnginePort> outputs;
  /// The permanent growth of the worker's memory; exact for the first model of a worker.
  int64_t resident_bytes = 0;
};

struct Destroy {
  Status (*destroy)(Handle*) = nullptr;
  void operator()(Handle handle) const { destroy(&handle); }
};
using Owned = std::unique_ptr<void, Destroy>;

/// A loaded library. It is never unloaded: Rust's threads and statics do not survive that.
class Library {
 public:
  /// Errors: `engine-not-found` if the file cannot be loaded, or is not tract.
  explicit Library(const std::string& path);

  std::string version() const { return abi_.version(); }
  const Abi& abi() const { return abi_; }
  /// Throws Error `id` with tract's last error, unless `status` is success. `what`: such as
  /// "refuses the model".
  void check(Status status, std::string_view id, std::string_view what) const;
  /// Reads NNEF with all of tract's registries. Made once: tract parses the fragments of its
  /// standard library for it, which takes longer than to load a small model.
  Handle reader() const;

 private:
  Abi abi_;
  mutable Owned reader_;
};

/// An artefact (folder, .tar or .tgz), loaded and optimised.
class Model {
 public:
  /// Errors: `engine-rejects`.
  Model(const Library& library, const std::string& artefact, std::optional<Pulse> pulse = {});

  const EngineModelInfo& info() const { return info_; }
  /// Runs in a fresh state. Inputs may have any strides. Dimensions are returned as i64, quantised
  /// values as f32.   Errors: `engine-failed`.
  std::vector<ir::Tensor> run(const std::vector<ir::Tensor>& inputs) const;
  /// For a model in pulses: feeds the inputs piece by piece to a new state (complete pieces only),
  /// and returns the results without the entries of the delay.
  std::vector<ir::Tensor> run_in_pulses(const std::vector<ir::Tensor>& inputs) const;
  /// tract's JSON about the optimised graph: an entry per node with its operator's name. With
  /// inputs also the time of each node, for which tract runs the model for up to 5 s, or 100,000
  /// times.   Errors: `engine-failed`.
  std::string profile_json(const std::vector<ir::Tensor>& inputs = {}) const;

 private:
  friend class TimedRun;
  Owned load_optimised() const;
  void apply_pulse(Owned& model) const;
  void note_pulses(Handle model);
  /// Runs in `state`, or in a fresh one if it is null.
  std::vector<ir::Tensor> run_in(Handle state, const std::vector<ir::Tensor>& inputs) const;
  std::vector<Owned> import_inputs(const std::vector<ir::Tensor>& inputs) const;
  ir::Tensor export_output(const Owned& tensor, const EnginePort& port) const;

  const Library& library_;
  std::string artefact_;
  std::optional<Pulse> pulse_;
  EngineModelInfo info_;
  Owned runnable_;
};

/// Runs a model repeatedly on the same inputs, in one state. Both outlive it.
class TimedRun {
 public:
  /// Errors: `engine-failed`.
  TimedRun(const Model& model, const std::vector<ir::Tensor>& inputs);
  /// The seconds that the engine took.   Errors: `engine-failed`.
  double run();

 private:
  const Model& model_;
  std::vector<Owned> inputs_;
  Owned state_;
};

}  // namespace t2n::tract
