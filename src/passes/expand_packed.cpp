// SPDX-License-Identifier: Apache-2.0
// Replaces packed sequences by padded ones with their lengths. The memory layout of packed data
// depends on values, while padded tensors have sizes; recurrent layers keep their states after the
// end of a sequence.
#include <array>
#include <map>
#include <optional>

#include "ir/building.h"
#include "src/diag/one_of.h"
#include "src/passes/passes.h"
#include "src/passes/rewriter.h"

namespace t2n::passes {
namespace {

using ir::Dim;

constexpr std::string_view kPack = "aten::_pack_padded_sequence";
constexpr std::string_view kPad = "aten::_pad_packed_sequence";
constexpr std::array<std::string_view, 4> kLayers = {"aten::lstm.data", "aten::gru.data",
                                                     "aten::rnn_tanh.data", "aten::rnn_relu.data"};

/// Sequences that were packed together.
struct Batch {
  ValueId lengths;
  Dim count;     ///< of sequences
  Dim steps;     ///< of the padded tensor
  ValueId mask;  ///< [steps, count]: whether the sequence has this step
  ValueId batch_sizes;
  ValueId counts;  ///< [steps]: the number of sequences with this step, then zeros
};

/// The padded tensor that replaces packed data.
struct Padded {
  ValueId value;
  bool batch_first;
  std::optional<double> padding;  ///< the value of all padding elements; nothing: unknown
};

class PackedRewriter : public Rewriter {
 public:
  PackedRewriter(ir::Graph& graph, bool sizes_vary) : Rewriter(graph), sizes_vary_(sizes_vary) {}

  /// False if the node stays.
  bool rewrite() {
    const std::string_view op = ir::op_name(node().op);
    if (op == kPack) return pack();
    if (op == "aten::select.int") return first_batch_size();
    if (op != kPad && !is_one_of(op, kLayers)) return false;
    const auto batch = batches_.find(tensor("batch_sizes"));
    if (batch == batches_.end()) return false;
    return op == kPad ? pad(batch->second) : layers(batch->second);
  }

 private:
  Dim size(ValueId id, int axis) {
    if (sizes_vary_) return ir::size_symbol(graph_, id, axis);
    return shape(id).at(axis);
  }
  Dim extent(ValueId id, int axis) const { return shape(id).at(axis); }

  ValueId numbers_below(const Dim& count, const Dim& size) {
    return emit("aten::arange",
                {{"end", count},
                 {"dtype", DType::i64},
                 {"layout", ir::None{}},
                 {"device", ir::None{}},
                 {"pin_memory", ir::None{}}},
                DType::i64, {size});
  }
  ValueId sum_of_rows(ValueId x) {
    return emit("aten::sum.dim_IntList",
                {{"self", TensorRef{x}},
                 {"dim", std::vector<Dim>{Dim(1)}},
                 {"keepdim", false},
                 {"dtype", ir::None{}}},
                DType::i64, {extent(x, 0)});
  }
  ValueId swapped(ValueId x) {
    ir::Ints order(rank(x));
    for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int64_t>(i);
    std::swap(order[0], order[1]);
    return permute(x, order);
  }
  ValueId steps_first(const Padded& x) { return x.batch_first ? swapped(x.value) : x.value; }

  /// The rows of a padded tensor without its padding, in torch's packed order: step by step.
  ValueId packed(const Padded& x, const Batch& batch) {
    const ir::Value like = output(0);
    const ValueId rows = steps_first(x);
    return emit("aten::index.Tensor",
                {{"self", TensorRef{rows}}, {"indices", ir::TensorRefs{{batch.mask}}}}, like.dtype,
                like.shape);
  }

  bool pack() {
    const ValueId x = tensor("input");
    const bool batch_first = flag("batch_first", false);
    const int batch_axis = batch_first ? 0 : 1;
    Batch batch;
    batch.count = size(x, batch_axis);
    batch.steps = size(x, 1 - batch_axis);
    const ValueId lengths = tensor("lengths");
    batch.lengths =
        emit("t2n::sequence_lengths", {{"self", TensorRef{lengths}}, {"most", batch.steps}},
             DType::i64, shape(lengths));
    const ValueId step = numbers_below(batch.steps, extent(x, 1 - batch_axis));
    batch.mask = binary("aten::gt.Tensor", unsqueeze(batch.lengths, 0), unsqueeze(step, 1));
    batch.counts = sum_of_rows(cast(batch.mask, DType::i64));
    const ValueId is_any = binary("aten::gt.Tensor", batch.counts, number(0, DType::i64));
    batch.batch_sizes =
        emit("t2n::batch_sizes", {{"self", TensorRef{batch.counts}}, {"mask", TensorRef{is_any}}},
             DType::i64, ir::Shape(output(1).shape));
    const Padded padded{x, batch_first, std::nullopt};
    const ValueId data = packed(padded, batch);
    padded_.insert_or_assign(data, padded);
    batches_.insert_or_assign(batch.batch_sizes, batch);
    define(data, 0);
    define(batch.batch_sizes, 1);
    return true;
  }

  /// The first batch size, which does not depend on the others.
  bool first_batch_size() {
    const auto batch = batches_.find(tensor("self"));
    if (batch == batches_.end() || dims("dim") != std::vector<Dim>{Dim(0)} ||
        dims("index") != std::vector<Dim>{Dim(0)})
      return false;
    define(select(batch->second.counts, 0, 0));
    return true;
  }

  /// The padded form of any packed rows.
  Padded unpacked(ValueId data, const Batch& batch) {
    if (const auto known = padded_.find(data); known != padded_.end()) return known->second;
    const Dim steps_now = extent(batch.mask, 0), count_now = extent(batch.mask, 1);
    const ValueId flat = emit(
        "aten::reshape",
        {{"self", TensorRef{cast(batch.mask, DType::i64)}}, {"shape", std::vector<Dim>{Dim(-1)}}},
        DType::i64, {steps_now * count_now});
    const ValueId so_far =
        emit("aten::cumsum", {{"self", TensorRef{flat}}, {"dim", Dim(0)}, {"dtype", ir::None{}}},
             DType::i64, shape(flat));
    const ValueId one_less = binary("aten::sub.Tensor", so_far, number(1, DType::i64));
    ir::Shape rows = shape(data);
    rows[0] = extent(flat, 0);
    const ValueId gathered =
        emit("aten::index_select",
             {{"self", TensorRef{data}}, {"dim", Dim(0)}, {"index", TensorRef{one_less}}},
             dtype(data), rows);
    ir::Shape now = {steps_now, count_now};
    std::vector<Dim> sizes = {batch.steps, batch.count};
    for (int axis = 1; axis < rank(data); ++axis) {
      now.push_back(extent(data, axis));
      sizes.push_back(size(data, axis));
    }
    const ValueId unflattened =
        emit("aten::reshape", {{"self", TensorRef{gathered}}, {"shape", sizes}}, dtype(data), now);
    return filled({unflattened, false, std::nullopt}, batch, 0);
  }

  /// The padded tensor with `value` as its padding.
  Padded filled(const Padded& x, const Batch& batch, double value) {
    if (x.padding == value) return x;
    ValueId mask = x.batch_first ? swapped(batch.mask) : batch.mask;
    while (rank(mask) < rank(x.value)) mask = unsqueeze(mask, rank(mask));
    return {where(mask, x.value, number(value, dtype(x.value))), x.batch_first, value};
  }

  bool layers(const Batch& batch) {
    const Padded x = unpacked(tensor("data"), batch);
    std::vector<ir::Argument> args = {{"input", TensorRef{x.value}},
                                      {"lengths", TensorRef{batch.lengths}}};
    for (const ir::Argument& each : node().args) {
      if (each.name == "data" || each.name == "batch_sizes") continue;
      args.push_back(each);
      ir::change_refs(args.back().value, [this](ValueId& id) { id = resolve(id); });
    }
    args.push_back({"batch_first", x.batch_first});
    ir::Shape sequence = {extent(x.value, 0), extent(x.value, 1), output(0).shape.back()};
    std::vector<std::pair<DType, ir::Shape>> results = {{output(0).dtype, sequence}};
    for (size_t i = 1; i < node().outputs.size(); ++i)
      results.emplace_back(output(static_cast<int>(i)).dtype, output(static_cast<int>(i)).shape);
    const std::vector<ValueId> results_of_layer =
        emit_all(cat("t2n::", base_name(), ".padded"), args, results);
    const Padded y{results_of_layer[0], x.batch_first, 0};
    const ValueId data = packed(y, batch);
    padded_.insert_or_assign(data, y);
    define(data, 0);
    for (size_t i = 1; i < results_of_layer.size(); ++i)
      define(results_of_layer[i], static_cast<int>(i));
    return true;
  }

  bool pad(const Batch& batch) {
    const bool batch_first = flag("batch_first", false);
    const double value = scalar("padding_value", 0);
    Padded x = filled(unpacked(tensor("data"), batch), batch, value);
    if (x.batch_first != batch_first) x.value = swapped(x.value);
    const int axis = batch_first ? 1 : 0;
    Dim total = dims("total_length").at(0);
    if (total.is_constant() && total.value() <= 0) total = size(batch.batch_sizes, 0);
    define(fitted(x.value, axis, total, batch.steps, value), 0);
    define(batch.lengths, 1);
    return true;
  }

  /// The tensor with `total` steps.
  ValueId fitted(ValueId x, int axis, const Dim& total, const Dim& steps, double value) {
    if (total == steps) return x;
    const Dim before = extent(x, axis), after = extent_of_output(axis);
    ir::Shape to = shape(x);
    to[axis] = after;
    if (after.value() <= before.value())
      return emit("aten::slice.Tensor",
                  {{"self", TensorRef{x}},
                   {"dim", Dim(axis)},
                   {"start", Dim(0)},
                   {"end", total},
                   {"step", Dim(1)}},
                  dtype(x), to);
    std::vector<Dim> amounts(2 * static_cast<size_t>(rank(x) - axis), Dim(0));
    amounts.back() = total - steps;
    return emit("aten::constant_pad_nd",
                {{"self", TensorRef{x}}, {"pad", amounts}, {"value", value}}, dtype(x), to);
  }
  Dim extent_of_output(int axis) const { return output(0).shape.at(axis); }

  bool sizes_vary_;
  std::map<ValueId, Batch> batches_;  ///< by their batch sizes
  std::map<ValueId, Padded> padded_;  ///< by the packed data
};

}  // namespace

bool expand_packed(ir::Graph& graph, const PassContext& context) {
  const bool has_any = std::any_of(graph.nodes.begin(), graph.nodes.end(),
                                   [](const auto& node) { return ir::op_name(node.op) == kPack; });
  if (!has_any) return false;
  PackedRewriter rewriter(graph, context.sizes_vary);
  return rewriter.replace_where([&] { return rewriter.rewrite(); }, context.sizes_vary);
}

}  // namespace t2n::passes
