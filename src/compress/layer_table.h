// SPDX-License-Identifier: Apache-2.0
// The layers of a graph, by address, and their weights.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ir/evaluator.h"
#include "src/passes/layers.h"

namespace t2n::compress {

/// How a file stores integers of fewer than 8 bits.
enum class Storage { bytes, bit_fields };

/// For a graph that does not change meanwhile.
class LayerTable {
 public:
  explicit LayerTable(const ir::Graph& graph, ir::Evaluator evaluate = {},
                      Storage storage = Storage::bytes);

  /// Addresses of all layers, in execution order. An address denotes the same layer before and
  /// after a pass.
  std::vector<std::string> addresses() const;
  std::optional<passes::Layer> layer(const std::string& address) const;
  /// The name of its first result.
  const std::string& result(const std::string& address) const;
  /// The address of the layer with this result; "" if there is none. A product that became a linear
  /// layer has another address and the same result.
  std::string address_of_result(const std::string& result) const;
  /// The path of the module that contains it: "layer1.0.conv1".
  std::string module(const std::string& address) const;

  /// The value of a constant expression; nothing if a constant is not loaded.
  std::optional<ir::Tensor> value(ir::ValueId id) const;
  /// The bytes of all constants that a value depends on, scales included, and the one with the most
  /// elements.
  std::pair<int64_t, ir::ValueId> stored(ir::ValueId id) const;
  /// The same, of constants that are not in `counted` yet; they are added to it.
  std::pair<int64_t, ir::ValueId> stored(ir::ValueId id, std::set<ir::ValueId>& counted) const;

 private:
  const ir::Graph& graph_;
  ir::Evaluator evaluate_;
  Storage storage_;
  std::vector<int> producers_;
  std::vector<int> constants_;
  std::vector<bool> known_;
  std::map<std::string, size_t> at_;
};

/// Bytes of a constant in the file, with its scales and zero points per channel; a single scale is
/// a number in the text.
int64_t constant_bytes(const ir::Graph& graph, const ir::Constant& constant, Storage storage);

/// Constants that replaced weights get the weights' names, if these are free.
void keep_weight_names(const ir::Graph& before, ir::Graph& after);

}  // namespace t2n::compress
