// SPDX-License-Identifier: Apache-2.0
// The pass `narrow-floats` computes in f16 what torch's autocast computes in 16 bits. What autocast
// computes in f32, such as sums and exponentials, stays in f32.
#include <array>
#include <cmath>
#include <cstring>

#include "ir/op_traits.h"
#include "src/diag/one_of.h"
#include "src/passes/known.h"
#include "src/passes/passes.h"
#include "src/passes/rewrite.h"

namespace t2n::passes {
namespace {

constexpr double kLargestHalf = 65504;
constexpr double kLeastNormalHalf = 6.103515625e-05;

/// A number that f16 can hold without becoming infinite or losing most of its digits.
bool fits_half(double number) {
  const double size = std::abs(number);
  return !std::isfinite(number) || number == 0 ||
         (size <= kLargestHalf && size >= kLeastNormalHalf);
}

/// Arguments whose integers are operands of an arithmetic operation.
constexpr std::array<std::string_view, 9> kOperands = {
    "other", "value", "alpha", "beta", "min", "max", "fill_value", "self", "weight"};

bool numbers_fit(const Node& node) {
  for (const ir::Argument& arg : node.args) {
    if (const auto* number = std::get_if<double>(&arg.value); number && !fits_half(*number))
      return false;
    const auto* size = std::get_if<ir::Dim>(&arg.value);
    const bool is_operand = size != nullptr && is_one_of(arg.name, kOperands);
    if (is_operand && (!size->is_constant() || !fits_half(static_cast<double>(size->value()))))
      return false;
  }
  return true;
}

/// Whether the model itself names the dtype of the result.
bool names_dtype(const Node& node) {
  for (const ir::Argument& arg : node.args)
    if (std::holds_alternative<DType>(arg.value)) return true;
  return is_one_of(ir::op_short_name(node.op),
                   std::array<std::string_view, 3>{"to", "type_as", "copy"});
}

/// f32 inside, as torch's statistics are, while data keeps its width.
bool is_norm_of_data(const Node& node) {
  return is_one_of(ir::op_short_name(node.op),
                   std::array<std::string_view, 2>{"batch_norm", "instance_norm"});
}

/// Where a node comes from.
struct Origin {
  ir::ScopeId scope;
  ir::SourceId source;
};

class Narrower {
 public:
  Narrower(Graph& graph, const PassContext& context)
      : graph_(graph),
        context_(context),
        names_(graph),
        calls_(graph),
        constants_(ir::constant_index(graph)) {
    for (const ValueId id : graph.inputs) either_.insert(id);
  }

  bool run() {
    std::vector<Node> old = std::exchange(graph_.nodes, {});
    graph_.nodes.reserve(old.size());
    for (Node& node : old) rewrite(std::move(node));
    for (ValueId& id : graph_.outputs)
      if (narrowed_.contains(id)) id = cast_of(id, DType::f32, producer_.at(id));
    name_weights();
    return changed_;
  }

 private:
  ir::Value& value(ValueId id) { return graph_.values[id]; }

  bool is_constant(ValueId id) const {
    return static_cast<size_t>(id) < constants_.size() && constants_[id] >= 0;
  }

  /// Whether a constant has no finite number beyond the range of f16. A few numbers must not vanish
  /// either: a sum with them may be a divisor.
  bool constant_fits(ValueId id) const {
    const Tensor& data = graph_.constants[constants_[id]].data;
    if (!data.is_loaded() || data.dtype != DType::f32) return false;
    const Tensor plain = ir::contiguous(data);
    const auto count = static_cast<size_t>(plain.elements());
    constexpr size_t kFew = 16;
    for (size_t i = 0; i < count; ++i) {
      float number = 0;
      std::memcpy(&number, plain.bytes.data() + i * sizeof number, sizeof number);
      if (std::isfinite(number) && std::abs(number) > kLargestHalf) return false;
      if (count <= kFew && !fits_half(number)) return false;
    }
    return true;
  }

  template <typename Visit>
  void each_value(const Node& node, Visit&& visit) const {
    ir::for_each_input(node, visit);
    for (const ValueId id : node.outputs) visit(id);
  }

  /// Whether the node has f32 values, and all others can stay as they are.
  bool is_in_f32(const Node& node) {
    bool has_f32 = false;
    bool has_others = node.body != nullptr;
    each_value(node, [&](ValueId id) {
      const DType dtype = value(id).dtype;
      has_f32 |= dtype == DType::f32 || narrowed_.contains(id);
      has_others |= dtype == DType::f64 || ir::is_complex(dtype) || value(id).quant.has_value();
    });
    return has_f32 && !has_others;
  }

  bool is_narrow(const Node& node) {
    const std::string_view name = ir::op_short_name(node.op);
    if (!is_in_f32(node) || !ir::op_name(node.op).starts_with("aten::") || names_dtype(node) ||
        has_trait(name, ir::OpTrait::autocast_wide) || !numbers_fit(node) ||
        (context_.keeps_f32 && context_.keeps_f32(graph_, node)))
      return false;
    const bool is_layer = has_trait(name, ir::OpTrait::autocast_narrow);
    // Integers that take part in the arithmetic may be larger than those that f16 has.
    const bool promotes = context_.operators == nullptr ||
                          context_.operators->find<ir::Promotion>(node.op) != nullptr;
    bool fits = true;
    // Tables of positions, ranges and decisions on inputs need the numbers of f32: what is no layer
    // follows operands in f16.
    bool follows = is_layer;
    ir::for_each_input(node, [&](ValueId id) {
      const DType dtype = value(id).dtype;
      fits &= !promotes || !ir::is_integer(dtype) || dtype == DType::boolean;
      follows |= narrowed_.contains(id);
      if (dtype != DType::f32) return;
      fits &= is_constant(id) ? constant_fits(id) : is_layer || either_.contains(id);
    });
    return fits && follows;
  }

  void rewrite(Node node) {
    const bool narrow = is_narrow(node);
    const Origin origin{node.scope, node.source};
    bool reads_narrow = false;
    for (ir::Argument& arg : node.args)
      ir::change_refs(arg.value, [&](ValueId& id) {
        reads_narrow |= narrowed_.contains(id) || either_.contains(id);
        if (narrow && value(id).dtype == DType::f32)
          id = cast_of(id, DType::f16, origin);
        else if (!narrow && narrowed_.contains(id))
          id = cast_of(id, DType::f32, origin);
      });
    if (narrow && node.compute_dtype == DType::f32) node.compute_dtype = DType::f16;
    for (const ValueId id : node.outputs) {
      producer_[id] = origin;
      if (narrow && value(id).dtype == DType::f32) {
        value(id).dtype = DType::f16;
        narrowed_.insert(id);
        changed_ = true;
      }
    }
    if (is_norm_of_data(node) && reads_narrow) either_.insert(node.outputs.at(0));
    graph_.nodes.push_back(std::move(node));
  }

  /// `id` in another dtype; later operations share one cast.
  ValueId cast_of(ValueId id, DType dtype, const Origin& origin) {
    const auto [entry, is_new] = casts_.try_emplace(id, ir::kNoValue);
    if (!is_new) return entry->second;
    static const ir::OpId cast_op = ir::op_id("t2n::cast");
    ir::Value result = value(id);
    result.name = names_.take(cat(value(id).name, "_as_", ir::dtype_name(dtype)));
    result.dtype = dtype;
    entry->second = ir::add_value(graph_, std::move(result));
    Node cast;
    cast.op = cast_op;
    cast.args = {{"self", TensorRef{id}}, {"dtype", dtype}};
    cast.outputs = {entry->second};
    cast.scope = origin.scope;
    cast.call = calls_.take(cast_op, origin.scope);
    cast.source = origin.source;
    graph_.nodes.push_back(std::move(cast));
    changed_ = true;
    return entry->second;
  }

  /// A weight that only its cast reads passes its name on.
  void name_weights() {
    const std::vector<int> uses = ir::use_counts(graph_);
    for (const auto& [id, cast] : casts_)
      if (is_constant(id) && uses[id] == 1) std::swap(value(id).name, value(cast).name);
  }

  Graph& graph_;
  const PassContext& context_;
  FreshNames names_;
  FreshCalls calls_;
  std::vector<int> constants_;            ///< per value
  std::map<ValueId, ValueId> casts_;      ///< to the other of the two widths
  std::map<ValueId, Origin> producer_;    ///< of each result
  std::unordered_set<ValueId> narrowed_;  ///< results in f16 that were f32
  std::unordered_set<ValueId> either_;    ///< f32 values that a node may as well read in f16
  bool changed_ = false;
};

}  // namespace

bool narrow_floats(Graph& graph, const PassContext& context) {
  return Narrower(graph, context).run();
}

}  // namespace t2n::passes
