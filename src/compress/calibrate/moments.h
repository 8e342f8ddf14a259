// SPDX-License-Identifier: Apache-2.0
// Inputs of layers over a calibration set, summarised: second moments and sums.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "ir/evaluator.h"
#include "src/compress/settings/settings.h"

namespace t2n::compress {

/// The moments of one layer's inputs, as rows; a convolution has one row for each position of the
/// result. A row has one vector of K numbers, as many as a weight row, for each group.
struct InputMoments {
  std::vector<double> second;  ///< X^T X of each group: [groups, K, K]; empty if not requested
  std::vector<double> sum;     ///< over all rows: [groups, K]; empty if not requested
  double rows = 0;
  ir::Tensor weight;  ///< with `sum`: the weight before rounding
};

/// Graph attribute: by the layer's address (node_address).
inline constexpr const char* kInputMoments = "seen_inputs";
using Moments = std::map<std::string, std::shared_ptr<InputMoments>>;

/// The moments that settings require of a layer's inputs.
struct MomentRequest {
  bool second = false;  ///< to round weights
  bool sum = false;     ///< to correct the bias
};

/// Why a layer's inputs cannot be written as such rows; only linear layers and convolutions over
/// one or two axes can. "" if they can.
std::string inputs_problem(const ir::Graph& graph, const ir::Node& node);

/// By address, for layers whose inputs can be written as rows.
std::map<std::string, MomentRequest> moment_requests(const ir::Graph& graph,
                                                     const Settings& settings);
/// Whether settings require moments that the graph lacks.
bool lacks_moments(const ir::Graph& graph, const Settings& settings);
/// nullptr if there are none.
const InputMoments* input_moments(const ir::Graph& graph, const ir::Node& node);
/// Second moments; empty if there are none.
std::vector<double> moments_of(const ir::Graph& graph, const ir::Node& node);

/// Adds the inputs of a layer in one run.
void add_moments(Moments& moments, MomentRequest request, const ir::Graph& graph,
                 const ir::Node& node, const ir::Operand& operand, const ir::Evaluator& evaluate);
/// Fills in the weights for sums, looking through observers and fake quantisers.
void keep_weights(Moments& moments, const ir::Graph& graph, const ir::Evaluator& evaluate);

}  // namespace t2n::compress
