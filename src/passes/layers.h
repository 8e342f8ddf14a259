// SPDX-License-Identifier: Apache-2.0
// Operations with weights: which operands are weights, and which are activations.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/graph.h"

namespace t2n::passes {

struct Weight {
  ir::ValueId value = ir::kNoValue;
  std::string_view argument;
  /// The axis of output channels in the weight; nothing if there is no such axis.
  std::optional<int> channel_axis;
};

/// An operation whose weights depend on constants only.
struct Layer {
  std::vector<Weight> weights;
  std::vector<ir::ValueId> activations;  ///< operands that are multiplied with weights
  ir::ValueId bias = ir::kNoValue;
};

/// `is_known`: for each value, whether it depends on constants only (known_values()).
std::optional<Layer> layer_of(const ir::Graph& graph, const ir::Node& node,
                              const std::vector<bool>& is_known);

/// For each value, whether it is constant, or depends on constants only.
std::vector<bool> known_values(const ir::Graph& graph);

bool is_linear(const ir::Node& node);
/// A convolution, transposed or not, whose padding is numbers.
bool is_conv(const ir::Node& node);
/// True for embeddings, which read single rows and sum nothing.
bool is_lookup(const ir::Node& node);
bool is_transposed(const ir::Node& convolution);
/// Groups of a convolution; each reads its own channels.
int64_t groups_of(const ir::Node& node);
/// For the equation of an einsum that is a linear layer: whether the second operand has columns
/// where a linear layer's weight has rows. Nothing for other equations.
std::optional<bool> is_transposed_einsum(std::string equation);

bool is_absent(const ir::Node& node, std::string_view argument);
void set_operand(ir::Node& node, std::string_view argument, ir::ValueId id);

/// The channels that a weight's element connects. Weights are [O, I/groups, k...], those of
/// transposed convolutions [I, O/groups, k...], those of linear layers [O, I].
class WeightChannels {
 public:
  WeightChannels(const ir::Node& layer, const ir::Ints& weight);

  /// False if shape and groups do not match: then no other member may be called.
  bool is_valid() const { return valid_; }
  int64_t outputs() const { return transposed_ ? columns_ * groups_ : rows_; }
  int64_t inputs() const { return transposed_ ? rows_ : columns_ * groups_; }
  /// The output channel of the element, in row-major order.
  int64_t output_of(int64_t element) const { return transposed_ ? far(element) : near(element); }
  int64_t input_of(int64_t element) const { return transposed_ ? near(element) : far(element); }

 private:
  int64_t near(int64_t element) const { return element / (columns_ * rest_); }
  int64_t far(int64_t element) const {
    return near(element) / (rows_ / groups_) * columns_ + element / rest_ % columns_;
  }

  bool transposed_ = false;
  bool valid_ = false;
  int64_t groups_ = 1;
  int64_t rows_ = 0;
  int64_t columns_ = 0;
  int64_t rest_ = 1;
};

}  // namespace t2n::passes
