// SPDX-License-Identifier: Apache-2.0
// The inputs of a check: the samples, and variations of them.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "src/check/artefact_inputs.h"
#include "src/check/compare.h"
#include "src/check/reference.h"

namespace t2n {

/// The result of another quantised engine of LibTorch.
struct EngineRun {
  trace::Executor engine;
  std::vector<ir::Tensor> outputs;
};

/// The results of a quantised model's graph in its own precision. Depending on the processor,
/// LibTorch's convolutions multiply by two scales one after the other, or by their product.
struct KernelRuns {
  std::vector<ir::Tensor> one_by_one;  ///< like artefacts
  std::vector<ir::Tensor> by_product;
};

/// How a part of a set is fed with --stream.
struct Pulses {
  std::string symbol;
  int64_t size = 0;
  int64_t count = 0;
};

struct InputSet {
  std::string name;  ///< "" for the samples; "only 'mask' changed", "signs flipped"
  std::vector<trace::SampleInput> inputs;
  std::vector<ir::Tensor> expected = {};  ///< by LibTorch
  dynamic::Sizes sizes = {};              ///< of the dynamic axes; empty: the sample's
  /// In f64 (in_f64), computed on first use; empty if it is no reference.
  std::optional<std::vector<ir::Tensor>> exact = {};
  /// The same for nearby inputs (in_f64_nearby).
  std::optional<std::vector<std::vector<ir::Tensor>>> nearby = {};
  std::optional<std::vector<EngineRun>> engines = {};            ///< in_other_engines
  std::optional<std::vector<ir::Tensor>> exact_of_engines = {};  ///< in_f64_of_engines
  std::optional<KernelRuns> kernels = {};                        ///< in_both_kernels
  /// By output, the shape of its leading part that is compared; empty: all of it.
  std::vector<ir::Ints> compared = {};
  /// The engine's inputs are its own results, near these: its distance from f64 is not conclusive.
  bool is_fed_back = false;
  std::optional<Pulses> pulses = {};  ///< the engine gets the first part of the inputs, in pulses
};

/// Facts about input sets.
struct SetSummary {
  std::vector<std::string> without_effect = {};  ///< inputs that changed no output
  size_t left_out = 0;                           ///< sets that torch rejects, or that give NaN
  size_t refused = 0;  ///< sets that torch accepts, and runtime assertions of the graph do not
  std::vector<dynamic::Sizes> sizes = {};  ///< the sample's first; empty without dynamic sizes
  bool has_unvaried_sizes = false;         ///< every dynamic size has the same value in all sets
  std::string reference = {};              ///< Agreement::description
  trace::Executor executor = trace::Executor::torch;  ///< gave the reference outputs
};

struct InputSets : SetSummary {
  std::vector<InputSet> sets = {};  ///< the samples first
  std::vector<check::Movement> movements =
      {};  ///< by output, over the sets with the sample's sizes
};

/// Called with the sets made so far, when their last one is complete.
using OnSet = std::function<void(const std::vector<InputSet>&)>;

/// Runs the model on all sets. `seeds`: the number of sets that change all inputs at once,
/// including the samples. Sizes that the artefact excludes are not run. Errors: `trace-differs`;
/// `input-sizes` if a declared axis has no other size; those of `on_set`.
InputSets make_input_sets(const SourceModel& model, int seeds, const check::Tolerance& tolerance,
                          const ArtefactInputs& artefact_inputs, const OnSet& on_set = {});

}  // namespace t2n
