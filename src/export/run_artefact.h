// An artefact of any exporter, run in an engine on inputs from the command line.
#pragma once

#include <string>
#include <vector>

#include "nnef_writer/npz.h"
#include "src/diag/sink.h"
#include "src/export/dynamic_model.h"
#include "src/export/engine.h"
#include "src/export/samples.h"
#include "src/nnef_reader/artefact.h"
#include "src/spec/input_facts.h"
#include "src/spec/operations.h"

namespace t2n {

/// What may run it: tract if it names one of its extensions, of the version that it says it was
/// written for.
Wanted wanted_for(const nnef::Document& document);

/// Places in the graph's parameters, in the order in which engines for the dialect take inputs:
/// tract looks at the `external` statements and at nothing else.
std::vector<size_t> feeding_order(const nnef::Document& document, spec::Dialect dialect);

/// A tensor for every input, by name or position (`input_N`); those that the samples leave out are
/// drawn where the artefact says all sizes. Errors: `input-missing`, `input-shape` (also where
/// dtype or sizes do not fit), `input-unknown`.
/// Strict NNEF knows no widths: f64 may be given for f32. `casts_floats`: any float for any other.
std::vector<nnef::NamedTensor> bind_inputs(const std::vector<spec::InputFact>& facts,
                                           const std::vector<Sample>& samples,
                                           spec::Dialect dialect, bool casts_floats = false);

/// Nobody wants values to be drawn for an input of a size that only the file says.
/// Errors: `nnef-limit`.
void refuse_large(const spec::InputFact& fact, const ir::Ints& shape);

struct RunOptions {
  std::string artefact;
  std::vector<Sample> samples;
  EngineChoice engine;
  check::RunnerOptions runner;
  bool casts_floats = false;
  std::string output;                   ///< an .npz file; "-": standard output; "": none
  std::vector<nnef::Taken> taken = {};  ///< what the command reads besides
  Report report;
};

struct RunResult {
  std::string engine;  ///< "tract 0.23.9"
  std::vector<nnef::NamedTensor> inputs;
  std::vector<nnef::NamedTensor> outputs;
  int64_t bytes = 0;  ///< of the output file
};

/// Errors: those of reading, binding, finding an engine and running; nothing is written then.
RunResult run_artefact(const RunOptions& options);

}  // namespace t2n
