// Second moments of what layers multiply their weights with: X^T X, summed over a calibration set.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "ir/evaluator.h"
#include "src/compress/settings.h"

namespace t2n::compress {

/// Graph attribute: moments [K, K] row by row, by the address of the layer (node_address).
inline constexpr const char* kSecondMoments = "second_moments";
using Moments = std::map<std::string, std::shared_ptr<std::vector<double>>>;

/// Layers whose weights settings want rounded by them, and that can be: linear layers, and
/// convolutions over one or two axes without groups.
std::set<std::string> layers_wanting_moments(const ir::Graph& graph, const Settings& settings);
/// Of those, whether any has none yet.
bool lacks_moments(const ir::Graph& graph, const Settings& settings);
/// Empty where nobody has seen any.
std::vector<double> moments_of(const ir::Graph& graph, const ir::Node& node);

/// Adds what a layer is given in one run.
void add_moments(Moments& moments, const ir::Graph& graph, const ir::Node& node,
                 const ir::Operand& operand, const ir::Evaluator& evaluate);

}  // namespace t2n::compress
