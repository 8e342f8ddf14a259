// SPDX-License-Identifier: Apache-2.0
// The pass `fold-constants` evaluates operations that do not depend on the inputs, unless the
// target has the operation and folding would enlarge the exported model.
#include <algorithm>
#include <functional>
#include <unordered_map>

#include "ir/print.h"
#include "ir/spilled.h"
#include "src/passes/known.h"
#include "src/passes/passes.h"
#include "src/passes/rewrite.h"

namespace t2n::passes {
namespace {

/// Results up to this size are always folded, and shared if equal.
constexpr int64_t kSmallBytes = int64_t{64} << 10;
constexpr int64_t kScalarBytes = 16;

int64_t byte_count(const Tensor& tensor) {
  return tensor.elements() * ir::dtype_size(tensor.dtype);
}

class ConstantFolder {
 public:
  ConstantFolder(Graph& graph, const PassContext& context)
      : graph_(graph),
        context_(context),
        constant_(ir::constant_index(graph)),
        uses_(ir::use_counts(graph)) {
    for (size_t i = 0; i < graph.values.size(); ++i) same_as_.push_back(static_cast<ValueId>(i));
  }

  bool run() {
    const size_t before = graph_.nodes.size();
    std::erase_if(graph_.nodes, [this](const Node& node) { return fold(node); });
    if (graph_.nodes.size() == before) return false;
    replace_uses(graph_, same_as_);
    remove_dead(graph_);
    return true;
  }

 private:
  ir::Value& value(ValueId id) { return graph_.values[id]; }
  int& uses(ValueId id) { return uses_[id]; }
  ValueId resolve(ValueId id) const { return same_as_[id]; }

  /// nullptr unless the value is a constant.
  const Tensor* constant(ValueId id) const {
    const int index = constant_[resolve(id)];
    return index < 0 ? nullptr : &graph_.constants[index].data;
  }

  bool fold(const Node& node) {
    if (!is_foldable(node)) return false;
    // A view of a weight that stays needs no memory here, but the file would store it a second
    // time.
    const bool widens = widens_bytes(node) || widens_integers(node);
    const int64_t free = widens ? kScalarBytes : kSmallBytes;
    const bool must_fold = !widens_bytes(node) && !context_.native.contains(node.op);
    if (!must_fold && result_bytes(node) > std::max(free, dying_bytes(node))) return false;
    std::vector<Tensor> results =
        context_.evaluate(node, [this](ValueId id) { return *constant(id); });
    if (!fits(node, results)) return false;
    for (Tensor& result : results)
      if (!is_view(node, result)) result = ir::spilled(std::move(result));
    ir::for_each_input(node, [this](ValueId id) { --uses(resolve(id)); });
    for (size_t i = 0; i < results.size(); ++i) define(node.outputs[i], std::move(results[i]));
    return true;
  }

  bool is_foldable(const Node& node) {
    if (!is_computable(graph_, node)) return false;
    bool known = true;
    ir::for_each_input(node, [&](ValueId id) {
      const Tensor* data = constant(id);
      known = known && data && data->is_loaded() && !value(resolve(id)).quant;
    });
    return known;
  }

  /// True for a cast of 8-bit integers, 16-bit floats or blocks: compressed weights must stay
  /// compressed.
  bool widens_bytes(const Node& node) {
    const std::string_view name = ir::op_name(node.op);
    bool out = name == "t2n::cast" || name == "t2n::dequantise_q4_0";
    ir::for_each_input(node, [&](ValueId id) {
      const ir::DType dtype = value(resolve(id)).dtype;
      out = out && (dtype == ir::DType::i8 || dtype == ir::DType::u8 || dtype == ir::DType::f16);
    });
    return out;
  }

  /// True for arithmetic on 8-bit integers, such as weights less zero points, whose results would
  /// take more bytes in the file than all operands and the operation.
  bool widens_integers(const Node& node) {
    constexpr int64_t kFewest = 1024;
    int64_t operands = 0;
    bool has_integers = false;
    ir::for_each_input(node, [&](ValueId id) {
      const Tensor& data = *constant(id);
      const bool is_byte = data.dtype == ir::DType::i8 || data.dtype == ir::DType::u8;
      has_integers = has_integers || (is_byte && data.elements() >= kFewest);
      operands += byte_count(data);
    });
    return has_integers && result_bytes(node) >= 2 * operands;
  }

  int64_t result_bytes(const Node& node) {
    int64_t total = 0;
    for (const ValueId id : node.outputs)
      total +=
          ir::element_count(ir::static_shape(value(id).shape)) * ir::dtype_size(value(id).dtype);
    return total;
  }

  /// Bytes of the operands that have no other reader.
  int64_t dying_bytes(const Node& node) {
    std::map<ValueId, int> reads;
    ir::for_each_input(node, [&](ValueId id) { ++reads[resolve(id)]; });
    int64_t total = 0;
    for (const auto& [id, count] : reads)
      if (count == uses(id)) total += byte_count(*constant(id));
    return total;
  }

  /// Whether the results have the graph's dtypes and shapes. An in-place operation may have
  /// recorded another dtype, which `explicit-promotion` makes visible.
  bool fits(const Node& node, const std::vector<Tensor>& results) {
    T2N_ASSERT(results.size() == node.outputs.size(), ir::node_address(graph_, node), " gave ",
               results.size(), " results, not ", node.outputs.size());
    for (size_t i = 0; i < results.size(); ++i) {
      const ir::Value& expected = value(node.outputs[i]);
      if (results[i].dtype != expected.dtype || ir::to_shape(results[i].shape) != expected.shape)
        return false;
    }
    return true;
  }

  /// Whether a result shares the memory of an operand.
  bool is_view(const Node& node, const Tensor& result) const {
    bool out = false;
    ir::for_each_input(node, [&](ValueId id) {
      const std::span<const std::byte> bytes = constant(id)->bytes;
      const std::less_equal<const std::byte*> before;
      out = out || (before(bytes.data(), result.bytes.data()) &&
                    before(result.bytes.data(), bytes.data() + bytes.size()));
    });
    return out;
  }

  void define(ValueId id, Tensor data) {
    if (byte_count(data) <= kSmallBytes) {
      const ValueId known = remember(id, data);
      if (known != id) {
        same_as_[id] = known;
        uses(known) += uses(id);
        return;
      }
    }
    constant_[id] = static_cast<int>(graph_.constants.size());
    graph_.constants.push_back({id, std::move(data)});
  }

  /// An earlier result with the same content, or `id` itself.
  ValueId remember(ValueId id, const Tensor& data) {
    const uint64_t hash = ir::content_hash(data);
    const auto [begin, end] = results_.equal_range(hash);
    for (auto it = begin; it != end; ++it)
      if (ir::same_values(*constant(it->second), data)) return it->second;
    results_.emplace(hash, id);
    return id;
  }

  Graph& graph_;
  const PassContext& context_;
  std::vector<int> constant_;     ///< by value: index in graph.constants, or -1
  std::vector<int> uses_;         ///< by value: reads by operations that are not folded
  std::vector<ValueId> same_as_;  ///< by value: the equal constant that replaces it, or itself
  std::unordered_multimap<uint64_t, ValueId> results_;  ///< small ones, by content hash
};

}  // namespace

bool fold_constants(Graph& graph, const PassContext& context) {
  return context.evaluate && ConstantFolder(graph, context).run();
}

}  // namespace t2n::passes
