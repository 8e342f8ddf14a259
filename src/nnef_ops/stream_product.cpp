// Products: the streaming axis may remain, but must not be summed over.
#include <algorithm>
#include <string_view>

#include "src/nnef_ops/flow_call.h"

namespace t2n::stream {
namespace {

constexpr const char* kSums = "sums over the entire stream";
constexpr const char* kTimeByTime = "builds a time × time matrix";
constexpr const char* kHelp =
    "attention over the complete input cannot stream: use recurrent layers or convolutions";

/// [.., M, K] x [.., K, N]
Flows matmul(const FlowCall& call) {
  const Flow a = call.flow("A"), b = call.flow("B");
  const int rank = std::max(a.rank, b.rank);
  if (rank < 2) blocked("multiplies a stream in an unsupported way");
  // Axes of the result; rank: summed over.
  const int columns = rank - 1, rows = rank - 2;
  const auto result_axis = [&](const Flow& flow, bool transposed, bool is_left) {
    if (flow.axis < rows) return flow.axis;
    const bool is_last = (flow.axis == columns) != transposed;
    if (is_left) return is_last ? rank : rows;
    return is_last ? columns : rank;
  };
  Flow out;
  for (const bool is_left : {true, false}) {
    const Flow& flow = is_left ? a : b;
    if (!flow.streams()) continue;
    const int axis = result_axis(flow, call.flag(is_left ? "transposeA" : "transposeB"), is_left);
    if (axis == rank) blocked(kSums, kHelp);
    if (out.streams() && out.axis != axis) blocked(kTimeByTime, kHelp);
    out.axis = axis;
    out.delayed = out.delayed || flow.delayed;
  }
  out.rank = rank;
  return {out};
}

Flows linear(const FlowCall& call) {
  if (call.flow("filter").streams() || call.flow("bias").streams()) blocked("has streamed weights");
  Flow out = call.flow("input");
  if (out.axis != 0) blocked(kSums, kHelp);
  out.shape = nullptr;
  return {out};
}

Flows einsum(const FlowCall& call) {
  std::string expr = call.text("expr");
  std::erase(expr, ' ');
  const size_t arrow = expr.find("->");
  if (arrow == std::string::npos) blocked("multiplies a stream in an unsupported way");
  const std::string result = expr.substr(arrow + 2);
  const std::vector<Flow> inputs = call.flows("inputs");
  size_t begin = 0;
  char letter = 0;
  Flow out;
  for (const Flow& flow : inputs) {
    const size_t end = std::min(expr.find(',', begin), arrow);
    const std::string term = expr.substr(begin, end - begin);
    begin = end + 1;
    if (!flow.streams()) continue;
    if (static_cast<size_t>(flow.axis) >= term.size()) blocked("multiplies in an unsupported way");
    const char own_letter = term[flow.axis];
    if (result.find(own_letter) == std::string::npos) blocked(kSums, kHelp);
    if (letter != 0 && letter != own_letter) blocked(kTimeByTime, kHelp);
    letter = own_letter;
    out.delayed = out.delayed || flow.delayed;
  }
  out.axis = static_cast<int>(result.find(letter));
  out.rank = static_cast<int>(result.size());
  return {out};
}

}  // namespace

std::vector<FlowRow> product_flows() {
  return {{"matmul", matmul}, {"linear", linear}, {"tract_core_einsum", einsum}};
}

}  // namespace t2n::stream
