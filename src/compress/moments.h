// What a calibration set gives layers to multiply their weights with: second moments and sums.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "ir/evaluator.h"
#include "src/compress/settings.h"

namespace t2n::compress {

/// Of one layer. Its inputs are rows: of a convolution one for each place of the result. A row is
/// one vector of K numbers for each group, K of the weight's.
struct SeenInputs {
  std::vector<double> second;  ///< X^T X of each group: [groups, K, K]; empty if nobody wants it
  std::vector<double> sum;     ///< over all rows: [groups, K]; empty if nobody wants it
  double rows = 0;
  ir::Tensor weight;  ///< with `sum`: as it was before it was rounded
};

/// Graph attribute: by the address of the layer (node_address).
inline constexpr const char* kSeenInputs = "seen_inputs";
using Moments = std::map<std::string, std::shared_ptr<SeenInputs>>;

/// What settings want to know of a layer's inputs.
struct InputsWanted {
  bool second = false;  ///< for weights rounded by them
  bool sum = false;     ///< for corrections of the bias
};

/// Why a layer's inputs cannot be written as such rows: all but linear layers and convolutions over
/// one or two axes. "" if they can.
std::string inputs_problem(const ir::Graph& graph, const ir::Node& node);
/// Rows of tables are looked up one by one: nothing is summed.
bool is_lookup(const ir::Node& node);
/// Groups of a convolution, each of which reads its own channels.
int64_t weight_groups(const ir::Node& node);

/// By address, of layers whose inputs can be followed.
std::map<std::string, InputsWanted> inputs_wanted(const ir::Graph& graph, const Settings& settings);
/// Of those, whether any has been seen nothing of yet.
bool lacks_moments(const ir::Graph& graph, const Settings& settings);
/// nullptr where nobody has seen any.
const SeenInputs* seen_inputs(const ir::Graph& graph, const ir::Node& node);
/// Second moments; empty where nobody has seen any.
std::vector<double> moments_of(const ir::Graph& graph, const ir::Node& node);

/// Adds what a layer is given in one run.
void add_moments(Moments& moments, InputsWanted wanted, const ir::Graph& graph,
                 const ir::Node& node, const ir::Operand& operand, const ir::Evaluator& evaluate);
/// Fills in the weights of those that have sums: observers and fake quantisers are looked through.
void keep_weights(Moments& moments, const ir::Graph& graph, const ir::Evaluator& evaluate);

}  // namespace t2n::compress
