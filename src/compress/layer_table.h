// The layers of a graph by address, and what their weights are.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ir/evaluator.h"
#include "src/compress/layers.h"

namespace t2n::compress {

/// Of a graph that stays as it is in the meantime.
class LayerTable {
 public:
  explicit LayerTable(const ir::Graph& graph, ir::Evaluator evaluate = {});

  /// Of all layers, in execution order: an address names the same layer in graphs that passes made
  /// of one another.
  std::vector<std::string> addresses() const;
  std::optional<Layer> layer(const std::string& address) const;
  /// The name of its first result.
  const std::string& result(const std::string& address) const;
  /// The address of the layer that gives a result; "" if none does. A product that became a linear
  /// layer has another address, and the same result.
  std::string giving(const std::string& result) const;
  /// The path of the module that it is in: "layer1.0.conv1".
  std::string module(const std::string& address) const;

  /// What follows from constants; nothing where one of them is not at hand.
  std::optional<ir::Tensor> value(ir::ValueId id) const;
  /// Bytes of all constants that a value follows from, scales included, and the one with most
  /// elements.
  std::pair<int64_t, ir::ValueId> stored(ir::ValueId id) const;

 private:
  const ir::Graph& graph_;
  ir::Evaluator evaluate_;
  std::vector<int> producers_;
  std::vector<int> constants_;
  std::vector<bool> known_;
  std::map<std::string, size_t> at_;
};

/// What scales and zero points of channels take in the file beside the integers that they belong
/// to; one of each is a number of the text.
int64_t scale_bytes(const ir::Value& integers);

/// Constants that took the place of weights get their names, where nobody bears them any more.
void keep_weight_names(const ir::Graph& before, ir::Graph& after);

}  // namespace t2n::compress
