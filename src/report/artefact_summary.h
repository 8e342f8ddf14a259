// SPDX-License-Identifier: Apache-2.0
// The kind and content of an artefact, as data and in a report.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "src/lint/tensor_types.h"
#include "src/nnef/artefact.h"
#include "src/report/command_report.h"
#include "src/spec/dialect.h"
#include "src/spec/input_facts.h"
#include "src/spec/states.h"

namespace t2n::report {

/// Weights with the same storage format.
struct WeightGroup {
  std::string item;  ///< "f32", "q4_0"
  int64_t tensors = 0;
  int64_t values = 0;
  int64_t bytes = 0;
};

/// A tensor with an entry in graph.quant.
struct ExplainedTensor {
  std::string name;
  std::string function;  ///< "zero_point_linear_quantize"
  int bits = 0;          ///< 0: unknown
  size_t scales = 1;     ///< more than one: per channel
};

struct OutputFact {
  std::string name;
  spec::TensorType type;
};

struct ArtefactSummary {
  spec::Dialect dialect = spec::Dialect::khronos;
  std::string graph;                    ///< its name
  std::vector<std::string> extensions;  ///< as written
  std::vector<std::pair<std::string, std::string>> properties;
  std::vector<spec::InputFact> inputs;
  ir::Sizes sample_sizes;  ///< small values of its symbols that satisfy the assertions
  std::vector<OutputFact> outputs;
  std::vector<spec::State> states;
  std::vector<std::pair<std::string, int64_t>> operations;  ///< with counts, most used first
  std::vector<std::string> fragments;                       ///< without the one for properties
  std::vector<WeightGroup> weights;
  size_t quantised = 0;                    ///< tensors with an entry in graph.quant
  std::vector<ExplainedTensor> explained;  ///< those, in its order
  int64_t saved_bytes = 0;                 ///< by weights of fewer bits than f32
  int64_t fake_quantisations = 0;          ///< operations that quantise and dequantise
  std::vector<std::string> unused;         ///< files without a reference
  int64_t file_bytes = 0;
  std::vector<std::string> findings;  ///< violated rules of strict NNEF; for strict artefacts only
};

ArtefactSummary summarise(const nnef::Artefact& artefact);

/// "tract", "khronos"
std::string_view dialect_name(spec::Dialect dialect);

/// Adds the fields "artifact", "inputs", "outputs" and "states".
void add_summary(CommandReport& report, const std::string& path, const ArtefactSummary& summary);

}  // namespace t2n::report
