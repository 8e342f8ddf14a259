// What an artefact is and consists of, as data and as JSON: `t2nnef.artefact/1`, to which fields
// are only added.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "src/nnef_reader/artefact.h"
#include "src/spec/dialect.h"
#include "src/spec/input_facts.h"

namespace t2n::report {

/// Weights that are stored in one way.
struct WeightGroup {
  std::string item;  ///< "f32", "q4_0"
  int64_t tensors = 0;
  int64_t values = 0;
  int64_t bytes = 0;
};

/// A tensor that graph.quant explains.
struct QuantisedTensor {
  std::string name;
  std::string function;  ///< "zero_point_linear_quantize"
  int bits = 0;          ///< 0: it does not say
  size_t scales = 1;     ///< more than one: per channel
};

struct ArtefactSummary {
  spec::Dialect dialect = spec::Dialect::khronos;
  std::string graph;                    ///< its name
  std::vector<std::string> extensions;  ///< as they are written
  std::vector<std::pair<std::string, std::string>> properties;
  std::vector<spec::InputFact> inputs;
  std::vector<std::string> outputs;
  std::vector<std::pair<std::string, int64_t>> operations;  ///< with uses, most used first
  std::vector<std::string> fragments;                       ///< without that of the properties
  std::vector<WeightGroup> weights;
  size_t quantised = 0;                    ///< tensors that graph.quant explains
  std::vector<QuantisedTensor> explained;  ///< those, in its order
  int64_t saved_bytes = 0;                 ///< by weights of fewer bits than f32 has
  int64_t fake_quantisations = 0;          ///< operations that quantise and dequantise
  std::vector<std::string> unused;         ///< files that nothing refers to
  int64_t file_bytes = 0;
  std::vector<std::string> findings;  ///< rules of strict NNEF that it breaks; of strict ones only
};

ArtefactSummary summarise(const nnef::Artefact& artefact);

/// "tract", "khronos"
std::string_view dialect_name(spec::Dialect dialect);

std::string summary_json(const std::string& path, const ArtefactSummary& summary);

}  // namespace t2n::report
