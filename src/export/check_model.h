// The outputs of an artefact in an engine against those of the model, on several inputs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/check/compare.h"
#include "src/check/runner.h"
#include "src/check/verdict_table.h"
#include "src/export/engine.h"
#include "src/export/input_sets.h"

namespace t2n {

struct CheckOptions {
  check::Tolerance tolerance;
  EngineChoice engine;
  int seeds = 2;  ///< sets that change all inputs at once, the samples counted; others come on top
  check::RunnerOptions runner;
  bool strict = false;  ///< an inconclusive check is an error
};

struct CheckResult {
  std::string engine;             ///< "tract 0.23.9"
  std::string reference;          ///< Agreement::words
  std::vector<std::string> sets;  ///< names of the input sets that were run
  size_t left_out = 0;            ///< further ones that torch refused
  size_t unstable =
      0;  ///< of the sets, on which an output follows roundings: they say nothing of it
  size_t engines_disagree = 0;  ///< sets on which LibTorch's own do, where an output is not torch's
  size_t unsettled = 0;         ///< sets on which an output is not known to be right
  std::vector<dynamic::Sizes> sizes;    ///< of the symbols, the sample's first
  std::vector<check::OutputRow> rows;   ///< the worst of all input sets per output
  std::vector<std::string> unfollowed;  ///< inputs that no output was seen to follow
  bool has_unvaried_sizes = false;      ///< open sizes of the artefact had one value only
  bool inconclusive = false;
  std::optional<int64_t> loaded_bytes = {};  ///< memory that the engine took for the artefact
  trace::Executor executor = trace::Executor::torch;  ///< whose outputs the reference is
  // Where the input comes in pieces:
  std::vector<int64_t> pulses = {};  ///< sizes of the pieces
  std::vector<int64_t> delays = {};  ///< per output, with pieces of the first size
};

/// What the samples give for each input of the model's graph, complex ones as pairs.
std::vector<ir::Tensor> sample_tensors(const TracedModel& model);

/// A tensor as another dtype of its kind (floats, integers); nothing where that is another kind, or
/// a number does not fit.
std::optional<ir::Tensor> of_dtype(const ir::Tensor& tensor, ir::DType dtype);

/// Of a document whose inputs are those of the model's graph, in its order.
Takes takes_of(const nnef::Document& document);

/// Runs every input set in the engine and keeps the worst comparison of each output, of which
/// `names` are the names. What is outside of the tolerance is right if it is as near to f64 as
/// torch; what is inside is wrong if it is far from it, and torch is not (check::Yardstick). Inputs
/// are those of the model's graph, in its order. Strict NNEF knows scalars and integers without
/// widths: those of the model's outputs count then. Further sizes that the artefact excludes are
/// not run. Errors: `input-sizes` for those of the sample, or where no further ones are left.
CheckResult check_artefact(const std::string& path, TracedModel& model,
                           const std::vector<std::string>& names, const CheckOptions& options,
                           check::Runner& runner, spec::Dialect dialect, const Takes& takes);
/// The same on sets that are there already, for a loaded runner.
CheckResult check_on(InputSets& sets, const TracedModel& model,
                     const std::vector<std::string>& names, const CheckOptions& options,
                     check::Runner& runner, spec::Dialect dialect);

/// Rows become the worse of both; what outputs were seen to follow stays.
void merge_rows(CheckResult& into, const CheckResult& other);

/// Notes whether some output says nothing. `consequence` continues the reason of a mismatch: "; …".
/// Errors: `output-mismatch`; `inconclusive-check` if strict, else a warning.
void judge(CheckResult& result, const CheckOptions& options, const std::string& consequence,
           const Report& report);

}  // namespace t2n
