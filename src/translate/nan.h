// SPDX-License-Identifier: Apache-2.0
// NaN that the program itself creates, and operators in which engines lose a NaN.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "ir/graph.h"
#include "src/diag/sink.h"
#include "src/translate/emitter.h"
#include "src/translate/size_numbers.h"

namespace t2n::ops {

/// Graph attribute (string): "keep": operators keep every NaN, those of inputs included; "report":
/// those that do not are listed.
inline constexpr const char* kNanOption = "nan";

/// Sizes at which an operation gives NaN: `count` of `least` or less.
struct NanSizes {
  ir::Dim count;
  int64_t least = 0;
};

/// The elements of a constant of floats; none for weights, which are larger.
std::vector<double> analysed_floats(const ir::Tensor& tensor);

/// Determines which values may hold a NaN that the program creates from numbers: statistics of too
/// few elements, 0 / 0 of sizes, attention without keys, constants.
class NanAnalysis {
 public:
  /// `all`: the inputs of the graph may be NaN. `assertions`: those of the exported model about
  /// sizes.
  NanAnalysis(const ir::Graph& graph, const std::vector<ir::Comparison>& assertions, bool all);
  bool may_be_nan(ir::ValueId id) const { return nan_[id] != 0; }
  bool any() const { return any_; }

 private:
  void add_constants(const ir::Graph& graph);
  void add_results(const ir::Graph& graph, const ir::Node& node, const SizeNumbers& numbers,
                   const std::vector<ir::Comparison>& assertions);

  bool all_;
  bool any_ = false;
  std::vector<char> nan_;
  std::vector<char> masked_;  ///< may be -inf along an entire axis
};

/// Whether an operand of the operation being translated may hold a NaN that must be preserved.
bool may_meet_nan(Emitter& out);
bool may_meet_nan(Emitter& out, std::string_view argument);

/// Copies the NaN of the operands into the result of the translated operation: engines lose them in
/// maxima, minima and products with 0.
void keep_nan(Emitter& out, const ir::Node& node);

/// Warns of operations that give NaN at sizes that the exported model allows. If requested, a note
/// lists the operations that lose a NaN of an input.
void report_nan(const ir::Graph& graph, const target::Target& target, const Report& report);

}  // namespace t2n::ops
