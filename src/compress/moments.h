// Inputs of layers over a calibration set, summarised: second moments and sums.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "ir/evaluator.h"
#include "src/compress/settings.h"

namespace t2n::compress {

/// Of one layer. Its inputs are rows; a convolution has one for each position of the result. A row
/// is one vector of K numbers, those of the weight, for each group.
struct SeenInputs {
  std::vector<double> second;  ///< X^T X of each group: [groups, K, K]; empty if not requested
  std::vector<double> sum;     ///< over all rows: [groups, K]; empty if not requested
  double rows = 0;
  ir::Tensor weight;  ///< with `sum`: before rounding
};

/// Graph attribute: by the layer's address (node_address).
inline constexpr const char* kSeenInputs = "seen_inputs";
using Moments = std::map<std::string, std::shared_ptr<SeenInputs>>;

/// The moments that settings require of a layer's inputs.
struct InputsWanted {
  bool second = false;  ///< to round weights
  bool sum = false;     ///< to correct the bias
};

/// Why a layer's inputs cannot be written as such rows; only linear layers and convolutions over
/// one or two axes can. "" if they can.
std::string inputs_problem(const ir::Graph& graph, const ir::Node& node);
/// Rows of tables are read one by one: nothing is summed.
bool is_lookup(const ir::Node& node);
/// Groups of a convolution; each reads its own channels.
int64_t weight_groups(const ir::Node& node);

/// By address, for layers whose inputs can be followed.
std::map<std::string, InputsWanted> inputs_wanted(const ir::Graph& graph, const Settings& settings);
/// Whether any of these has no moments yet.
bool lacks_moments(const ir::Graph& graph, const Settings& settings);
/// nullptr if there are none.
const SeenInputs* seen_inputs(const ir::Graph& graph, const ir::Node& node);
/// Second moments; empty if there are none.
std::vector<double> moments_of(const ir::Graph& graph, const ir::Node& node);

/// Adds the inputs of a layer in one run.
void add_moments(Moments& moments, InputsWanted wanted, const ir::Graph& graph,
                 const ir::Node& node, const ir::Operand& operand, const ir::Evaluator& evaluate);
/// Fills in the weights for sums, looking through observers and fake quantisers.
void keep_weights(Moments& moments, const ir::Graph& graph, const ir::Evaluator& evaluate);

}  // namespace t2n::compress
