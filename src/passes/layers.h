// Convolutions and linear layers, as seen by passes that rewrite weights.
#pragma once

#include <string>
#include <string_view>

#include "ir/graph.h"

namespace t2n::passes {

bool is_linear(const ir::Node& node);
bool is_conv(const ir::Node& node);

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
