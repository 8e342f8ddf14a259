// SPDX-License-Identifier: Apache-2.0
// Compares an artefact's outputs in an engine with the model's, on several inputs.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/check/compare.h"
#include "src/check/engine.h"
#include "src/check/input_sets.h"
#include "src/check/localisation.h"
#include "src/check/runner.h"
#include "src/check/stream_properties.h"
#include "src/check/verdict_table.h"

namespace t2n {

struct CheckOptions {
  check::Tolerance tolerance;
  std::vector<check::OutputTolerance> by_output = {};  ///< the last one that matches counts
  EngineChoice engine;
  int seeds = 2;  ///< sets that change all inputs at once, including the samples; more are added
  check::RunnerOptions runner;
  bool strict = false;  ///< an inconclusive check is an error
  /// A folder for temporary files of the check (FoundEngine::scratch); empty: writes none.
  std::filesystem::path scratch = {};
  /// Called before the engine runs a set, without results, and after it.
  std::function<void(const InputSet& set, const std::vector<ir::Tensor>* results)> observe = {};
  Localise localise = Localise::on_failure;
  Localiser localiser = {};  ///< set with `scratch`
};

const check::Tolerance& tolerance_for(const CheckOptions& options, std::string_view output);
/// "approximate (atol 0.0001, rtol 0.0005), 'probs*' close (…)"
std::string tolerances_str(const CheckOptions& options);

struct CheckResult : SetSummary {
  std::string engine;             ///< "tract 0.23.9"
  std::vector<std::string> sets;  ///< names of the input sets that were run
  size_t unstable = 0;  ///< sets on which rounding decides an output: not conclusive for it
  size_t engines_disagree =
      0;                 ///< sets on which LibTorch's own engines differ, and an output differs
  size_t chosen = 0;     ///< sets with another order of equals or rounding of ties (choices.h)
  size_t undecided = 0;  ///< sets on which LibTorch's engines and an output differ
  std::vector<check::OutputRow> rows;  ///< the worst of all input sets, by output
  std::string drawn;                   ///< inputs with random values
  bool inconclusive = false;
  std::optional<InputSet> differing = {};  ///< the first set with which an output differs
  std::optional<Localisation> localisation = {};
  std::optional<int64_t> loaded_bytes = {};  ///< memory that the engine used for the artefact
  // With --stream:
  std::vector<int64_t> pulses = {};  ///< sizes of the pulses
  std::vector<int64_t> delays = {};  ///< by output, for the first pulse size
  // If explicit states are fed back (check_calls):
  size_t calls = 0;                                 ///< number of consecutive calls
  std::vector<std::string> equal_in_pieces = {};    ///< symbols: calls on pieces equal one call
  std::vector<std::string> unequal_in_pieces = {};  ///< symbols: they differ in the model itself
};

/// An artefact and the model that it is compared with.
struct Checking {
  const SourceModel& model;
  ArtefactInputs accepted;
  std::vector<std::string> outputs;  ///< the artefact's names, in the model's order
  const CheckOptions& options;
  check::Runner& runner;  ///< takes the artefact's inputs, and returns outputs in the model's order
  spec::Dialect dialect = spec::Dialect::tract;
  std::string path = {};       ///< "": other choices of the engine (choices.h) are differences
  target::Stream stream = {};  ///< of --stream: checks pulses as well
  StreamProperties properties = {};
  /// What was written to `path`, with its origins; nullptr for a file of unknown origin.
  const nnef::Document* written = nullptr;
};

/// Runs every input set in the engine, then calls that feed states back (calls.h), then pulses, and
/// keeps the worst comparison of each output. A difference beyond the tolerance is accepted if the
/// output is as near to f64 as torch; one within it is rejected if the output is far from f64 and
/// torch is not (check::F64Distance). Types of strict NNEF have no width: the model's dtypes apply.
/// Sizes that the artefact excludes are not run. Errors: `input-sizes` if it excludes the sample's
/// sizes, or all others; `usage` for a tolerance of no output.
CheckResult check_artefact(const Checking& checking);
/// Whether an output is wrong.
bool has_difference(const CheckResult& result);
/// The same for existing sets and a runner that has loaded the artefact.
CheckResult check_on(InputSets& sets, const Checking& checking);

/// By set, the results of an engine.
using Results = std::vector<std::vector<ir::Tensor>>;
/// Compares results with the references of the sets. No engine runs.
CheckResult compare_results(InputSets& sets, const Checking& checking, Results actual);
/// Errors: `engine-failed` if the numbers of outputs differ.
void require_count(size_t outputs, size_t expected);

/// Scales the absolute tolerance with the output, relative to the samples' output.
check::Tolerance stretched(const check::Tolerance& tolerance, const ir::Tensor& sample,
                           const ir::Tensor& expected);

/// Keeps the worse row of both in `result`, and its observed dependencies on inputs.
void merge_rows(CheckResult& result, const CheckResult& other);

/// What a message about a mismatch adds: the continuation of its reason, "; …", and its help.
struct MismatchText {
  std::string consequence = {};
  std::string help = {};
};

/// Gives the overall verdict. Errors: `output-mismatch`; `inconclusive-check` if strict, else a
/// warning.
void judge(CheckResult& result, const CheckOptions& options, const MismatchText& text,
           const Report& report);

}  // namespace t2n
