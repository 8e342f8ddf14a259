// What a check feeds: the samples, and sets that each change something of them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/check/compare.h"
#include "src/export/reference.h"
#include "src/export/traced_model.h"
#include "src/spec/input_sizes.h"

namespace t2n {

/// What an artefact takes: per input, its place among the inputs of the model's graph.
struct Takes {
  spec::SizeRules rules;
  std::vector<size_t> places;
};

/// What another engine of LibTorch's for quantised layers gives.
struct EngineRun {
  trace::Executor engine;
  std::vector<ir::Tensor> outputs;
};

struct InputSet {
  std::string name;  ///< "" of the samples; "only 'mask' changed", "signs flipped"
  std::vector<trace::SampleInput> inputs;
  std::vector<ir::Tensor> expected;  ///< of LibTorch
  dynamic::Sizes sizes;              ///< of the dynamic axes; none for the sample's
  /// In f64 (in_f64), once somebody asked for it; empty where there is no such measure.
  std::optional<std::vector<ir::Tensor>> exact = {};
  /// The same beside its inputs (in_f64_nearby).
  std::optional<std::vector<std::vector<ir::Tensor>>> nearby = {};
  std::optional<std::vector<EngineRun>> engines = {};  ///< once somebody asked for them
  /// Per output, how much of it `expected` is, from the first entries on; none: all of it.
  std::vector<ir::Ints> compared = {};
};

struct InputSets {
  std::vector<InputSet> sets;              ///< the samples first
  std::vector<check::Movement> movements;  ///< per output, over the sets of the sample's sizes
  std::vector<std::string> unfollowed;     ///< inputs that no output was seen to follow
  size_t left_out = 0;                     ///< torch refuses them, or gives NaN where it did not
  std::vector<dynamic::Sizes> sizes;       ///< the sample's first; none without open sizes
  bool has_unvaried_sizes = false;         ///< the artefact has open sizes, the sets one of each
  std::string reference;                   ///< Agreement::words
  trace::Executor executor = trace::Executor::torch;  ///< whose outputs they are
};

/// What the sets give for each input of the model's graph, complex ones as pairs.
std::vector<ir::Tensor> graph_inputs(const std::vector<trace::SampleInput>& inputs,
                                     const TracedModel& model);

/// Errors: `input-sizes` where the samples' sizes are none of the artefact's.
void require_sizes(const TracedModel& model, const Takes& takes);

/// Runs the model on all of them. `seeds`: how many sets change all inputs at once, the samples
/// counted. Sizes that the artefact excludes are not run.
/// Errors: `trace-differs`; `input-sizes` where a declared axis has no further size.
InputSets make_input_sets(TracedModel& model, int seeds, const check::Tolerance& tolerance,
                          const Takes& takes);

}  // namespace t2n
