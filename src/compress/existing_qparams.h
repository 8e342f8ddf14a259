// Tensors that the model rounds to grids itself: weights that are integers already, activations of
// few values.
#pragma once

#include <string>
#include <vector>

#include "ir/graph.h"
#include "src/compress/settings.h"
#include "src/passes/integer_valued.h"

namespace t2n::compress {

/// Of a graph that stays as it is in the meantime.
class ExistingQParams {
 public:
  explicit ExistingQParams(const ir::Graph& graph);

  /// Of what is, or follows from, constants of at most 8 bits; 0 for others.
  int weight_bits(ir::ValueId id) const { return bits_[static_cast<size_t>(id)]; }
  /// Whether it is proven to take at most as many values as integers of `bits` bits.
  bool is_within(ir::ValueId activation, int bits) const;

 private:
  int bits_of_result(const ir::Node& node, ir::ValueId result) const;
  /// How many values an element may take; infinite where that is not known.
  double kinds(ir::ValueId id, int depth) const;

  const ir::Graph& graph_;
  passes::IntegerValued whole_;
  std::vector<int> bits_;
};

/// What settings ask for, and the model itself has done already.
struct ExistingQParam {
  std::string name;    ///< of the weight, or of the activation
  std::string reader;  ///< address of the layer
  int bits = 0;        ///< of a weight; 0 for activations
};
/// Weights and activations of layers that keep grids of the model's own.
/// Errors: `unsupported-argument` where settings ask for less than the model's own grid: weights of
/// fewer bits, in blocks of 4 bits, or pruned.
std::vector<ExistingQParam> existing_qparams(const ir::Graph& graph, const Settings& settings);

}  // namespace t2n::compress
