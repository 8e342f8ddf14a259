// A rule's view of one call: which operands stream, and along which axis.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/shape.h"
#include "src/diag/error.h"
#include "src/nnef/ast.h"
#include "src/spec/operations.h"

namespace t2n::stream {

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

/// Arguments by parameter. Those that are tensors have flows.
class FlowCall {
 public:
  using FlowOf = std::function<Flow(const nnef::Value&)>;
  using LiteralOf = std::function<const nnef::Value&(const nnef::Value&)>;
  FlowCall(const nnef::Fragment& declaration, const spec::Arguments& arguments, const FlowOf& flow,
           const LiteralOf& literal, std::string symbol, const ir::Shape* result)
      : declaration_(declaration),
        arguments_(arguments),
        flow_(flow),
        literal_(literal),
        symbol_(std::move(symbol)),
        result_(result) {}

  std::string_view name() const { return declaration_.name; }
  const std::string& symbol() const { return symbol_; }
  bool has(std::string_view parameter) const;
  Flow flow(std::string_view parameter) const { return flow_(value(parameter)); }
  std::vector<Flow> flows(std::string_view parameter) const;
  /// The flow of the first parameter.
  Flow first() const { return flow(declaration_.parameters[0].name); }
  /// The flows of all tensor operands, lists included.
  std::vector<Flow> operands() const;
  const nnef::Value& value(std::string_view parameter) const;
  int64_t integer(std::string_view parameter) const;
  bool flag(std::string_view parameter) const;
  std::string text(std::string_view parameter) const;
  ir::Ints ints(std::string_view parameter) const;
  /// `padding` and similar parameters: one pair for each axis.
  std::vector<std::pair<int64_t, int64_t>> pairs(std::string_view parameter) const;
  /// Whether the argument contains the stream's length.
  bool reads_length(std::string_view parameter) const;
  /// An item of a list: a number, or std::nullopt for an expression.
  std::optional<int64_t> number(const nnef::Value& value) const;
  /// The statement's result; null inside an expression.
  const ir::Shape* result() const { return result_; }

 private:
  const nnef::Fragment& declaration_;
  const spec::Arguments& arguments_;
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

using Flows = std::vector<Flow>;
/// The flows of the results. Errors: `not-streamable`. Called only if an operand streams, or
/// an argument contains the stream's length.
using FlowRule = Flows (*)(const FlowCall& call);
/// nullptr for operations that do not run in pulses.
FlowRule flow_rule(std::string_view operation);

struct FlowRow {
  std::string_view operation;
  FlowRule rule;
};
std::vector<FlowRow> structure_flows();
std::vector<FlowRow> window_flows();
std::vector<FlowRow> product_flows();

/// The flow of operands that are combined elementwise. Errors: `not-streamable` if they stream
/// along several axes.
Flow combined_flow(const std::vector<Flow>& flows);
/// Throws the error `not-streamable`. `what` reads "sums over the entire stream"; find_pulses()
/// adds the statement's location, and check_pulses() its operator.
[[noreturn]] void blocked(std::string what, std::string help = {});

}  // namespace t2n::stream
