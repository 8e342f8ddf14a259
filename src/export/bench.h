// SPDX-License-Identifier: Apache-2.0
// The command `bench`: times of one or two artefacts in tract.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/check/run_artefact.h"

namespace t2n {

struct BenchOptions {
  std::vector<std::string> artefacts;  ///< one or two
  std::vector<Sample> samples;
  std::vector<std::string> sizes;  ///< of dynamic axes without a sample: "S=64"
  EngineChoice engine;
  check::RunnerOptions runner;
  check::Runner* running = nullptr;  ///< an engine that runs already, to use instead
  tract::BenchRequest times;         ///< without its models
  Report report;
};

/// The distribution of times in seconds, or of their ratios.
struct Spread {
  double median = 0;
  double quarter = 0;         ///< a quarter of all is less
  double three_quarters = 0;  ///< a quarter of all is more
  double least = 0;
  double most = 0;
  size_t count = 0;
};

/// Zeros for no values.
Spread spread_of(std::vector<double> values);

/// An operation of the optimised graph, in one run.
struct BenchedOperation {
  std::string operation;  ///< tract's name: "OptMatMul"
  std::string name;       ///< of the node; tract derives it from the names in the file
  double seconds = 0;
};

struct BenchedArtefact {
  std::string path;
  std::vector<nnef::NamedTensor> inputs;
  std::vector<spec::State> states;
  tract::BenchTimes times;
  std::vector<BenchedOperation> operations;  ///< the slowest first; without a profile none
};

struct BenchResult {
  std::string engine;  ///< "tract 0.23.9"
  std::vector<BenchedArtefact> artefacts;
};

/// Errors: those of run_artefact; `usage` for sizes and for the reference interpreter.
BenchResult bench_artefacts(const BenchOptions& options);

/// The ratios of the second artefact's times to the first one's, measured one after the other.
Spread ratios(const std::vector<double>& first, const std::vector<double>& second);

/// Operations of the same kind together: their number and time, the slowest first.
struct OperationTotal {
  std::string operation;
  size_t uses = 0;
  double seconds = 0;
};
std::vector<OperationTotal> totals_of(const std::vector<BenchedOperation>& operations);

}  // namespace t2n
