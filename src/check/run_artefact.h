// SPDX-License-Identifier: Apache-2.0
// Runs an artefact of any exporter in an engine, on inputs from the command line.
#pragma once

#include <string>
#include <vector>

#include "nnef_writer/npz.h"
#include "src/check/engine.h"
#include "src/check/fed_states.h"
#include "src/diag/sink.h"
#include "src/nnef/artefact.h"
#include "src/samples/samples.h"
#include "src/spec/input_facts.h"
#include "src/spec/input_sizes.h"
#include "src/spec/operations.h"

namespace t2n {

/// The engine for a document: tract in the document's version, if it uses an extension of tract.
EngineRequest engine_request_for(const nnef::Document& document);

/// Indices of the graph's parameters in the engine's input order: tract uses the order of the
/// `external` statements.
std::vector<size_t> feeding_order(const nnef::Document& document, spec::Dialect dialect);

/// A tensor for every input, by name or position (`input_N`). Inputs without a sample get
/// random values if the artefact declares all sizes. Errors: `input-missing`, `input-shape` (also
/// for wrong dtypes or sizes), `input-unknown`. Types of strict NNEF have no width: f64 is accepted
/// for f32. `casts_floats`: accepts any float for any other. `seed`: of random values.
std::vector<nnef::NamedTensor> bind_inputs(const std::vector<spec::InputFact>& facts,
                                           const std::vector<Sample>& samples,
                                           spec::Dialect dialect, bool casts_floats = false,
                                           uint64_t seed = 0);

/// Drops arrays of an .npz that are named like outputs: stored results.
std::vector<Sample> without_outputs(const std::vector<Sample>& samples,
                                    const std::vector<spec::InputFact>& facts,
                                    const std::vector<std::string>& outputs);

/// Errors: `input-sizes`.
void require_sizes(const spec::SizeRules& rules, const std::vector<nnef::NamedTensor>& inputs);

/// A sample with the declared shape and dtype; nothing if a size is dynamic. Errors: `nnef-limit`
/// for a very large one, whose size only the artefact declares.
std::optional<Sample> declared_sample(const spec::InputFact& fact);

struct RunOptions {
  std::string artefact;
  std::vector<Sample> samples;
  EngineChoice engine;
  check::RunnerOptions runner;
  bool casts_floats = false;
  int64_t steps = 1;                    ///< runs, each with the states of the previous one
  std::vector<std::string> feeds = {};  ///< states that the artefact does not note: OUTPUT=INPUT
  std::string output;                   ///< an .npz file; "-": standard output; "": none
  std::vector<nnef::Taken> taken = {};  ///< other files that the command reads
  Report report;
};

struct RunResult {
  std::string engine;  ///< "tract 0.23.9"
  std::vector<spec::State> states;
  std::vector<nnef::NamedTensor> inputs;  ///< of the first step
  std::vector<nnef::NamedTensor> outputs;
  int64_t bytes = 0;  ///< of the output file
};

/// Errors: those of reading, binding, finding an engine and running; then nothing is written.
RunResult run_artefact(const RunOptions& options);

}  // namespace t2n
