// SPDX-License-Identifier: Apache-2.0
#include "src/translate/integer_range.h"

#include <algorithm>
#include <limits>
#include <set>
#include <string_view>
#include <vector>

#include "src/diag/error.h"
#include "src/translate/integer_rules.h"

namespace t2n::ops {
namespace {

using ir::Node;
using ir::ValueId;

/// Clamps to large finite numbers, so that no infinity becomes NaN.
Bounds bounded(Bounds b) {
  constexpr double kFar = 1e100;
  return {std::clamp(b.low, -kFar, kFar), std::clamp(b.high, -kFar, kFar)};
}

bool is_wide(ir::DType dtype) { return ir::dtype_size(dtype) > 2; }

/// A value beyond a type's range wraps around.
Bounds wrapped(Bounds b, ir::DType dtype) {
  const Bounds limits = limits_of(dtype);
  return b.low < limits.low || b.high > limits.high ? limits : b;
}

Bounds stored_bounds(const ir::Tensor& tensor) {
  if (!is_integral(tensor.dtype)) return {};
  if (tensor.bytes.empty() && tensor.elements() > 0) return limits_of(tensor.dtype);
  const ir::Tensor data = ir::contiguous(tensor);
  Bounds out{std::numeric_limits<double>::max(), std::numeric_limits<double>::lowest()};
  for (int64_t i = 0; i < data.elements(); ++i) {
    const double value = ir::element_f64(data, i);
    out = hull(out, {value, value});
  }
  return data.elements() == 0 ? Bounds{} : out;
}

/// "t2n::cast", and the casts of aten that remain.
bool is_cast(const Node& node) {
  constexpr std::string_view kNames[] = {"t2n::cast", "aten::to", "aten::_to_copy", "aten::type_as",
                                         "aten::_cast_Byte"};
  const std::string_view name = ir::op_name(node.op);
  return std::any_of(std::begin(kNames), std::end(kNames), [&](std::string_view each) {
    return name == each || name.starts_with(std::string(each) + ".");
  });
}

class Analysis {
 public:
  Analysis(const ir::Graph& graph, const ir::OpTable& operators)
      : graph_(graph), operators_(operators), uses_(ir::use_counts(graph)) {
    if (const auto found = graph.attributes.find(kInputRanges); found != graph.attributes.end())
      ranges_ = std::any_cast<const InputRanges&>(found->second);
    stored_.resize(graph.values.size());
    for (const ir::Constant& constant : graph.constants)
      stored_[constant.value] = stored_bounds(constant.data);
  }

  struct Excess {
    const Node* node;
    bool is_certain;
  };
  /// The first operation that leaves +-2^24 if unknown values stay within `unknown`; one that
  /// certainly does comes first.
  std::optional<Excess> run(double unknown);
  /// Describes the unknown values that reach a node.
  std::string sources(const Node& node) const;

 private:
  const ir::Value& value(ValueId id) const { return graph_.values[id]; }
  bool is_unknown(const Node& node) const;
  bool is_of_integers(const Node& node) const;
  Bounds of_output(const Node& node, const IntegerRule* rule, size_t i) const;

  const ir::Graph& graph_;
  const ir::OpTable& operators_;
  std::vector<int> uses_;
  InputRanges ranges_;
  std::vector<Bounds> stored_;
  std::vector<Bounds> known_;
  double unknown_ = 0;
};

/// Whether the result is unrelated to the integers of the operands.
bool Analysis::is_unknown(const Node& node) const {
  if (!is_cast(node)) return operators_.find<IntegerRule>(node.op) == nullptr;
  bool from_float = false;
  ir::for_each_input(node, [&](ValueId id) { from_float |= !is_integral(value(id).dtype); });
  return from_float;
}

bool Analysis::is_of_integers(const Node& node) const {
  bool out = false;
  ir::for_each_input(node, [&](ValueId id) { out |= ir::is_integer(value(id).dtype); });
  return out;
}

Bounds Analysis::of_output(const Node& node, const IntegerRule* rule, size_t i) const {
  const OperandBounds x(graph_, node, known_);
  const ir::DType dtype = value(node.outputs[i]).dtype;
  if (dtype == ir::DType::boolean) return limits_of(dtype);
  if (is_unknown(node)) return intersection(up_to(unknown_), limits_of(dtype));
  if (rule == nullptr) return x.at("self", x.at("input"));
  return i > 0 && rule->has_indices ? Bounds{-1, x.most()} : rule->range(x);
}

std::optional<Analysis::Excess> Analysis::run(double unknown) {
  unknown_ = unknown;
  known_ = stored_;
  for (const ValueId id : graph_.inputs) {
    const ir::Value& input = value(id);
    if (!is_integral(input.dtype)) continue;
    const auto declared = ranges_.find(input.name);
    known_[id] = declared == ranges_.end()
                     ? intersection(up_to(unknown), limits_of(input.dtype))
                     : Bounds{static_cast<double>(declared->second.first),
                              static_cast<double>(declared->second.second) - 1};
  }
  std::optional<Excess> first;
  for (const Node& node : graph_.nodes) {
    const IntegerRule* rule = is_cast(node) ? nullptr : operators_.find<IntegerRule>(node.op);
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      const ir::Value& output = value(node.outputs[i]);
      if (!is_integral(output.dtype) || uses_[node.outputs[i]] == 0) continue;
      const Bounds bounds = bounded(of_output(node, rule, i));
      // 16-bit products are computed in two parts.
      const bool is_split = !is_wide(output.dtype) && rule != nullptr && is_integer_product(*rule);
      const bool is_computed = rule != nullptr && rule->is_computed && !is_split;
      const bool may_be_any =
          ir::is_integer(output.dtype) && !is_cast(node) && rule == nullptr && is_of_integers(node);
      const bool is_certain =
          is_computed && (bounds.low > kExactIntegers || bounds.high < -kExactIntegers);
      const bool may_leave = may_be_any || (is_computed && magnitude(bounds) > kExactIntegers);
      if ((may_leave && !first) || (is_certain && !first->is_certain))
        first = Excess{&node, is_certain};
      known_[node.outputs[i]] = wrapped(bounds, output.dtype);
    }
  }
  return first;
}

std::string Analysis::sources(const Node& node) const {
  const std::vector<int> producers = ir::producers(graph_);
  std::set<ValueId> seen;
  std::vector<std::string> names;
  const auto add = [&](std::string name) {
    if (std::find(names.begin(), names.end(), name) == names.end())
      names.push_back(std::move(name));
  };
  std::vector<const Node*> pending = {&node};
  while (!pending.empty()) {
    const Node* each = pending.back();
    pending.pop_back();
    ir::for_each_input(*each, [&](ValueId id) {
      if (!ir::is_integer(value(id).dtype) || !seen.insert(id).second) return;
      const int producer = producers[id];
      const bool is_input = std::count(graph_.inputs.begin(), graph_.inputs.end(), id) > 0;
      if (is_input && !ranges_.contains(value(id).name) && is_wide(value(id).dtype))
        add(quoted(value(id).name));
      if (producer < 0) return;
      const Node& from = graph_.nodes[producer];
      if (is_unknown(from))
        add(cat("the result of ",
                is_cast(from) ? "a conversion from floats" : ir::op_name(from.op)));
      else
        pending.push_back(&from);
    });
  }
  std::sort(names.begin(), names.end());
  std::string out;
  for (size_t i = 0; i < names.size(); ++i)
    out += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
  return out;
}

}  // namespace

std::optional<InexactIntegers> find_inexact_integers(const ir::Graph& graph,
                                                     const ir::OpTable& operators) {
  Analysis analysis(graph, operators);
  std::optional<Analysis::Excess> excess = analysis.run(kExactIntegers);
  if (!excess) return {};
  InexactIntegers out;
  out.is_certain = excess->is_certain;
  out.node = excess->node;
  if (!out.is_certain)
    for (out.limit = kExactIntegers / 2; out.limit >= 1; out.limit /= 2) {
      const auto smaller = analysis.run(out.limit);
      if (!smaller) break;
      out.node = smaller->node;
    }
  if (out.limit < 1) out.limit = 0;
  out.sources = analysis.sources(*out.node);
  return out;
}

Diagnostic describe(const ir::Graph& graph, const InexactIntegers& excess, const std::string& op,
                    const std::string& target) {
  const std::string tract = "export for tract, which has integers of 64 bits";
  Diagnostic out;
  out.where = {ir::node_where(graph, *excess.node)};
  out.why =
      "standard NNEF computes with scalars, which readers store as f32: beyond 2^24 f32 does not "
      "represent every integer";
  out.help = excess.sources.empty() ? tract
                                    : cat("give the range of an input where it is known, as in "
                                          "--input ids=1,8,i64:0..999; or ",
                                          tract);
  out.id = excess.is_certain ? "unsupported-argument" : "integer-range";
  if (excess.is_certain) {
    out.message = cat(op, ": integers beyond 2^24 have no translation for ", target);
    return out;
  }
  out.severity = excess.limit < kExactIntegers / 2 ? Severity::warning : Severity::note;
  const auto limit = static_cast<int64_t>(excess.limit);
  out.message = limit == 0 || excess.sources.empty()
                    ? cat(op, " may compute integers beyond 2^24, which are not exact")
                    : cat("integers are exact only for ", excess.sources, " within ", -limit, "..",
                          limit, ": ", op, " goes beyond 2^24");
  return out;
}

}  // namespace t2n::ops
