// SPDX-License-Identifier: Apache-2.0
// Tensors that the model already quantises: integer weights, and activations with few distinct
// values.
#pragma once

#include <string>
#include <vector>

#include "ir/graph.h"
#include "src/compress/settings/settings.h"
#include "src/passes/integer_valued.h"

namespace t2n::compress {

/// For a graph that does not change meanwhile.
class ExistingQParams {
 public:
  explicit ExistingQParams(const ir::Graph& graph);

  /// The bits of a value that depends only on constants of at most 8 bits; 0 for others.
  int weight_bits(ir::ValueId id) const { return bits_[id]; }
  /// Whether it provably has at most as many distinct values as integers of `bits` bits.
  bool is_within(ir::ValueId activation, int bits) const;

 private:
  int bits_of_result(const ir::Node& node, ir::ValueId result) const;
  /// The number of values that an element may take; infinite if unknown.
  double distinct_values(ir::ValueId id, int depth) const;

  const ir::Graph& graph_;
  passes::IntegerValued integer_valued_;
  std::vector<int> bits_;
};

/// A requested quantisation that the model already contains.
struct ExistingQParam {
  std::string name;    ///< of the weight, or of the activation
  std::string reader;  ///< address of the layer
  int bits = 0;        ///< of a weight; 0 for activations
};
/// Weights and activations of layers that keep the model's own quantisation parameters.
/// Errors: `unsupported-argument` for settings that would change them: weights of fewer bits, in
/// blocks of 4 bits, or pruned.
std::vector<ExistingQParam> existing_qparams(const ir::Graph& graph, const Settings& settings);

}  // namespace t2n::compress
