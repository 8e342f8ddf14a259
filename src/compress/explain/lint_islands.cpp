// Float regions between quantised operators: all their operands are dequantised, and all their
// results are quantised again.
#include <algorithm>
#include <map>
#include <numeric>

#include "src/compress/calibrate/observe.h"
#include "src/compress/data_movement.h"
#include "src/compress/explain/lint_view.h"
#include "src/diag/error.h"

namespace t2n::compress {
namespace {

using ir::Node;
using ir::ValueId;

/// Connected operations on floats.
struct Island {
  std::vector<size_t> nodes;
  bool is_enclosed = true;    ///< all operands and results are quantised
  bool has_entrance = false;  ///< an operand is quantised
  bool has_exit = false;
};

class Islands {
 public:
  explicit Islands(const LintView& view) : view_(view), group_(view.graph.nodes.size()) {
    std::iota(group_.begin(), group_.end(), size_t{0});
    for (const Node& node : view.graph.nodes) is_float_.push_back(computes_floats(node));
    for (size_t i = 0; i < group_.size(); ++i) join_with_operands(i);
  }

  std::map<size_t, Island> all() {
    std::map<size_t, Island> out;
    for (size_t i = 0; i < group_.size(); ++i)
      if (is_float_[i]) add(i, out[root(i)]);
    return out;
  }

 private:
  bool computes_floats(const Node& node) const {
    const bool is_boundary = is_quantise(node) || is_dequantise(node) || is_fake_quant(node) ||
                             is_observe(node) || view_.is_quantised_layer(node);
    return !is_boundary && std::any_of(node.outputs.begin(), node.outputs.end(), [&](ValueId id) {
      return ir::is_float(view_.value(id).dtype) && !view_.value(id).quant && !view_.is_known(id);
    });
  }

  size_t root(size_t i) {
    while (group_[i] != i) i = group_[i] = group_[group_[i]];
    return i;
  }

  /// Merges the operation with the producers of its float operands, up to quantised values.
  void join_with_operands(size_t i) {
    if (!is_float_[i]) return;
    ir::for_each_input(view_.graph.nodes[i], [&](ValueId id) {
      const int producer = view_.producers[id];
      if (producer >= 0 && is_float_[producer] && !is_entrance(id))
        group_[root(i)] = root(static_cast<size_t>(producer));
    });
  }

  /// True if the value is quantised, or a rearrangement of quantised elements.
  bool is_entrance(ValueId id) const {
    const size_t at = id;
    return view_.is_rounded[at] && !view_.is_known(id);
  }

  void add(size_t i, Island& island) const {
    const Node& node = view_.graph.nodes[i];
    island.nodes.push_back(i);
    ir::for_each_input(node, [&](ValueId id) {
      const int producer = view_.producers[id];
      if (view_.is_known(id) || !ir::is_float(view_.value(id).dtype)) return;
      if (is_entrance(id))
        island.has_entrance = true;
      else if (producer < 0 || !is_float_[producer])
        island.is_enclosed = false;
    });
    for (const ValueId id : node.outputs) {
      const size_t at = id;
      if (view_.is_output[at]) island.is_enclosed = false;
      for (const size_t reader : view_.readers[at]) {
        const Node& next = view_.graph.nodes[reader];
        if (is_quantise(next) || is_fake_quant(next))
          island.has_exit = true;
        else if (!is_float_[reader])
          island.is_enclosed = false;
      }
    }
  }

  const LintView& view_;
  std::vector<size_t> group_;
  std::vector<bool> is_float_;
};

/// "softmax, mul, and 3 more"
std::string operator_list(const LintView& view, const std::vector<size_t>& nodes) {
  constexpr size_t kShown = 4;
  std::string out;
  for (size_t i = 0; i < std::min(nodes.size(), kShown); ++i)
    out += cat(i == 0 ? "" : ", ", ir::op_base_name(view.graph.nodes[nodes[i]].op));
  return nodes.size() > kShown ? cat(out, ", and ", nodes.size() - kShown, " more") : out;
}

}  // namespace

void find_float_islands(const LintView& view, Findings& findings) {
  for (auto& [root, island] : Islands(view).all()) {
    if (!island.is_enclosed || !island.has_entrance || !island.has_exit) continue;
    std::erase_if(island.nodes, [&](size_t i) { return keeps_qparams(view.graph.nodes[i]); });
    if (island.nodes.empty()) continue;  // it only rearranges elements
    findings.add(
        "float-island", view, view.graph.nodes[island.nodes.front()],
        cat("computed in floats between quantised operators: ", operator_list(view, island.nodes)));
  }
}

}  // namespace t2n::compress
