// SPDX-License-Identifier: Apache-2.0
// A stream rule's view of a call: which operands stream, and along which axis.
#pragma once

#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/diag/error.h"
#include "src/nnef_ops/book.h"
#include "src/spec/bound_call.h"

namespace t2n::nnef_ops {

/// The flow of a tensor, or of a literal, which does not stream.
struct Flow {
  int axis = -1;                     ///< the streaming axis; -1: the same in each run
  bool delayed = false;              ///< its first entry may come later than the input's
  bool known = true;                 ///< false after a refusal
  int rank = -1;                     ///< -1: unknown
  int64_t least = 0;                 ///< the minimum number of entries of a piece along the axis
  const ir::Shape* shape = nullptr;  ///< of a named tensor
  bool streams() const { return axis >= 0; }
};
using Flows = std::vector<Flow>;

/// Arguments that are tensors have flows. The arguments themselves are names or literals.
class FlowCall : public spec::BoundCall {
 public:
  using FlowOf = std::function<Flow(const nnef::Value&)>;
  using LiteralOf = std::function<const nnef::Value&(const nnef::Value&)>;
  FlowCall(const nnef::Fragment& declaration, const nnef::Value& invocation, const FlowOf& flow,
           const LiteralOf& literal, std::string symbol, const ir::Shape* result);

  const std::string& symbol() const { return symbol_; }
  Flow flow(std::string_view parameter) const { return flow_(value(parameter)); }
  Flows flows(std::string_view parameter) const;
  /// The flow of the first parameter.
  Flow first_flow() const { return flow_(first()); }
  /// The flows of all tensor operands, lists included.
  Flows operands() const;
  // Numbers; anything else is `blocked`.
  int64_t integer(std::string_view parameter) const;
  bool flag(std::string_view parameter) const;
  ir::Ints ints(std::string_view parameter) const;
  /// `padding` and similar parameters: one pair for each axis.
  spec::Pairs pairs(std::string_view parameter) const;
  /// Whether an argument contains the stream's length.
  bool reads_length() const;
  /// Only shapes may contain it.
  void refuse_length(std::initializer_list<std::string_view> parameters) const;
  /// An item of a list: a number, or std::nullopt for an expression.
  std::optional<int64_t> number(const nnef::Value& value) const;
  /// The statement's result; null inside an expression.
  const ir::Shape* result() const { return result_; }

 private:
  const FlowOf& flow_;
  const LiteralOf& literal_;
  std::string symbol_;
  const ir::Shape* result_;
};

/// Whether an expression, or a size, contains the symbol.
bool mentions(const nnef::Value& value, const std::string& symbol);
bool mentions(const ir::Dim& dim, const std::string& symbol);
/// The only axis whose size contains the symbol; -1 for none, -2 for several.
int streaming_axis(const ir::Shape& shape, const std::string& symbol);

/// The asymptotic rate: `up` entries for each `down` input entries. std::nullopt if it is not
/// fixed.
struct Rate {
  int64_t up = 0;
  int64_t down = 1;
  friend bool operator==(const Rate&, const Rate&) = default;
};
std::optional<Rate> rate_of(const ir::Dim& dim, const std::string& symbol);

/// Throws the error `not-streamable`. `what` reads "sums over the entire stream"; find_pulses()
/// adds the statement's location, and check_pulses() its operator.
[[noreturn]] void blocked(std::string what, std::string help = {});
inline constexpr const char* kNoEnd = "the end of a stream is unknown while it runs";

// Helpers of rules.

/// The only result, with a shape other than the operand's.
inline Flows with_new_shape(Flow flow) {
  flow.shape = nullptr;
  return {flow};
}
/// The flow of operands that are combined elementwise. Errors: `not-streamable` if they stream
/// along several axes.
Flow combined_flow(const Flows& flows);
Flows elementwise_flow(const FlowCall& call);
/// For operations over `axes` that keep the other axes unchanged.
Flow along_other_axes(const FlowCall& call, const ir::Ints& axes, const char* what);

}  // namespace t2n::nnef_ops
