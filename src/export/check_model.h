// Compares an artefact's outputs in an engine with the model's, on several inputs.
#pragma once

#include <filesystem>
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
  int seeds = 2;  ///< sets that change all inputs at once, samples included; others are added
  check::RunnerOptions runner;
  bool strict = false;  ///< an inconclusive check is an error
  /// A folder for files that a check itself makes (FoundEngine::scratch); nothing: it makes none.
  std::filesystem::path scratch = {};
};

struct CheckResult {
  std::string engine;             ///< "tract 0.23.9"
  std::string reference;          ///< Agreement::words
  std::vector<std::string> sets;  ///< names of the input sets that were run
  size_t left_out = 0;            ///< further ones, which torch refused
  size_t refused = 0;             ///< those that the file refuses, and torch does not
  size_t unstable = 0;  ///< sets on which an output depends on roundings: they say nothing about it
  size_t engines_disagree = 0;  ///< sets on which LibTorch's own do, where an output is not torch's
  size_t chosen = 0;  ///< sets on which equals are ordered, or ties rounded, otherwise (choices.h)
  size_t unsettled = 0;                 ///< sets on which LibTorch's engines and an output differ
  std::vector<dynamic::Sizes> sizes;    ///< of the symbols; the sample's come first
  std::vector<check::OutputRow> rows;   ///< the worst of all input sets, by output
  std::vector<std::string> unfollowed;  ///< inputs that no output was seen to depend on
  std::string drawn;                    ///< inputs whose values nobody gave
  bool has_unvaried_sizes = false;      ///< open sizes of the artefact had only one value
  bool inconclusive = false;
  std::optional<int64_t> loaded_bytes = {};  ///< memory that the engine used for the artefact
  trace::Executor executor = trace::Executor::torch;  ///< gave the reference outputs
  // If the input comes in pieces:
  std::vector<int64_t> pulses = {};  ///< sizes of the pieces
  std::vector<int64_t> delays = {};  ///< by output, for pieces of the first size
  // If explicit states are fed back (check_calls):
  size_t calls = 0;                               ///< one after the other
  std::vector<std::string> pieces_as_whole = {};  ///< symbols: calls on pieces give what one does
  std::vector<std::string> pieces_unlike_whole = {};  ///< where the model itself does not
};

/// The samples' tensors for each input of the model's graph; complex ones as pairs.
std::vector<ir::Tensor> sample_tensors(const TracedModel& model);

/// A tensor as another dtype of its kind (floats, integers); nothing if the kind differs, or a
/// number does not fit.
std::optional<ir::Tensor> of_dtype(const ir::Tensor& tensor, ir::DType dtype);

/// For a document whose inputs are those of the model's graph, in its order.
Takes takes_of(const nnef::Document& document);

/// Runs every input set in the engine and keeps the worst comparison of each output; `names` are
/// the outputs' names. A difference beyond the tolerance is accepted if the output is as near to
/// f64 as torch; one within it is rejected if the output is far from f64 and torch is not
/// (check::Yardstick). Inputs are those of the model's graph, in its order. Types of strict NNEF
/// have no width: the model's dtypes count. Further sizes that the artefact excludes are not run.
/// Errors: `input-sizes` for the sample's sizes, or if no further ones remain.
CheckResult check_artefact(const std::string& path, TracedModel& model,
                           const std::vector<std::string>& names, const CheckOptions& options,
                           check::Runner& runner, spec::Dialect dialect, const Takes& takes);
/// The same on existing sets, for a runner that has loaded the artefact. Without its path, choices
/// of the engine count as differences.
CheckResult check_on(InputSets& sets, const TracedModel& model,
                     const std::vector<std::string>& names, const CheckOptions& options,
                     check::Runner& runner, spec::Dialect dialect,
                     const std::string& artefact = {});

/// The absolute tolerance grows with the output, compared with the samples', as rounding does.
check::Tolerance stretched(const check::Tolerance& tolerance, const ir::Tensor& of_sample,
                           const ir::Tensor& expected);

/// Keeps the worse row of both; observed dependencies of outputs are kept.
void merge_rows(CheckResult& into, const CheckResult& other);

/// Notes whether some output says nothing. `consequence` continues the reason of a mismatch: "; …".
/// Errors: `output-mismatch`; `inconclusive-check` if strict, else a warning.
void judge(CheckResult& result, const CheckOptions& options, const std::string& consequence,
           const Report& report);

}  // namespace t2n
