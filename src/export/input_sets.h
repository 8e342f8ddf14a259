// The inputs of a check: the samples, and sets that each change something about them.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "src/check/compare.h"
#include "src/export/reference.h"
#include "src/export/traced_model.h"
#include "src/spec/input_sizes.h"

namespace t2n {

/// The inputs of an artefact: for each, its index among those of the model's graph.
struct Takes {
  spec::SizeRules rules;
  std::vector<size_t> places;
  std::set<int64_t> lengths = {};  ///< constant ones in the file
  bool has_wide_integers = true;   ///< exact beyond 2^24: strict NNEF computes them as scalars
};

/// The result of another quantised engine of LibTorch.
struct EngineRun {
  trace::Executor engine;
  std::vector<ir::Tensor> outputs;
};

/// What the graph of a quantised model gives in its own precision. LibTorch's convolutions multiply
/// by two scales one after the other, or by their product: the processor decides.
struct KernelRuns {
  std::vector<ir::Tensor> one_by_one;  ///< as files do
  std::vector<ir::Tensor> by_product;
};

struct InputSet {
  std::string name;  ///< "" for the samples; "only 'mask' changed", "signs flipped"
  std::vector<trace::SampleInput> inputs;
  std::vector<ir::Tensor> expected;  ///< by LibTorch
  dynamic::Sizes sizes;              ///< of the dynamic axes; none for the sample's
  /// In f64 (in_f64), computed on first use; empty if there is no such measure.
  std::optional<std::vector<ir::Tensor>> exact = {};
  /// The same for nearby inputs (in_f64_nearby).
  std::optional<std::vector<std::vector<ir::Tensor>>> nearby = {};
  std::optional<std::vector<EngineRun>> engines = {};            ///< in_other_engines
  std::optional<std::vector<ir::Tensor>> exact_of_engines = {};  ///< in_f64_of_engines
  std::optional<KernelRuns> kernels = {};                        ///< in_both_kernels
  /// By output, how much of it `expected` is, from the first entries on; none: all of it.
  std::vector<ir::Ints> compared = {};
  /// The engine's inputs are results of its own, near these: how far it is from f64 says nothing.
  bool is_fed_back = false;
};

struct InputSets {
  std::vector<InputSet> sets;              ///< the samples first
  std::vector<check::Movement> movements;  ///< by output, over the sets with the sample's sizes
  std::vector<std::string> unfollowed;     ///< inputs that no output was seen to depend on
  size_t left_out = 0;                     ///< torch refuses them, or gives NaN
  size_t refused = 0;                      ///< the graph's demands exclude what torch computes
  std::vector<dynamic::Sizes> sizes;       ///< the sample's come first; none without open sizes
  bool has_unvaried_sizes = false;         ///< the sets have one size for each open one
  std::string reference;                   ///< Agreement::words
  trace::Executor executor = trace::Executor::torch;  ///< gave the outputs
};

/// The set's tensors for each input of the model's graph; complex ones as pairs.
std::vector<ir::Tensor> graph_inputs(const std::vector<trace::SampleInput>& inputs,
                                     const TracedModel& model);

/// Errors: `input-sizes` if the artefact does not allow the samples' sizes.
void require_sizes(const TracedModel& model, const Takes& takes);

/// Runs the model on all sets. `seeds`: the number of sets that change all inputs at once, samples
/// included. Sizes that the artefact excludes are not run. Errors: `trace-differs`; `input-sizes`
/// if a declared axis has no further size.
InputSets make_input_sets(TracedModel& model, int seeds, const check::Tolerance& tolerance,
                          const Takes& takes);

}  // namespace t2n
