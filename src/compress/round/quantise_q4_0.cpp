// SPDX-License-Identifier: Apache-2.0
#include "src/compress/round/quantise_q4_0.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "ir/spilled.h"
#include "src/compress/calibrate/moments.h"
#include "src/compress/passes.h"
#include "src/compress/q4_readers.h"
#include "src/compress/round/gptq.h"
#include "src/compress/settings/settings.h"
#include "src/compress/skipped_weights.h"
#include "src/diag/error.h"
#include "src/passes/known.h"
#include "src/passes/layers.h"
#include "src/passes/rewrite.h"

namespace t2n::compress {
namespace {

using ir::Graph;
using ir::Node;
using ir::Tensor;
using ir::ValueId;

Tensor transposed(Tensor matrix) {
  std::swap(matrix.shape[0], matrix.shape[1]);
  std::swap(matrix.strides[0], matrix.strides[1]);
  return matrix;
}

class Packer {
 public:
  Packer(Graph& graph, const Q4Options& options)
      : graph_(graph), options_(options), names_(graph), calls_(graph) {}

  std::vector<Q4Weight> run() {
    find_layers();
    for (size_t i = 0; i < graph_.constants.size(); ++i) consider(i);
    if (!inserted_.empty()) {
      insert_nodes();
      ir::remove_dead(graph_);
    }
    return std::move(out_);
  }

 private:
  ir::Value& value(ValueId id) { return graph_.values[id]; }

  void consider(size_t constant) {
    const ValueId id = graph_.constants[constant].value;
    const Tensor& data = graph_.constants[constant].data;
    const bool is_float = data.dtype == ir::DType::f32 || data.dtype == ir::DType::f16;
    if (!is_float || data.shape.size() < 2 || value(id).quant) return;
    const Q4Readers readers = find_readers(graph_, id);
    std::optional<Q4Rounding> rounding;
    for (const Q4Reader& reader : readers.all)
      if (const auto requested = requested_rounding(reader))
        rounding = std::max(rounding, requested);
    if (!rounding) return note_unpacked(constant);
    Q4Weight& weight = out_.emplace_back();
    weight.name = value(id).name;
    weight.elements = data.elements();
    weight.unpacked_reason = problem(data, readers);
    if (weight.unpacked_reason.empty()) pack(constant, readers, *rounding, weight);
  }

  /// Finds the weights of all layers for which settings request packing, even if tract cannot read
  /// them packed.
  void find_layers() {
    if (!options_.rounding_for) return;
    const std::vector<bool> known = passes::known_values(graph_);
    for (const Node& node : graph_.nodes) {
      const auto layer = passes::layer_of(graph_, node, known);
      if (!layer || !options_.rounding_for(graph_, node)) continue;
      for (const passes::Weight& weight : layer->weights) ops_.emplace(weight.value, node.op);
    }
  }

  /// Records the weight of a layer that no target supports packed: transposed, depthwise,
  /// recurrent.
  void note_unpacked(size_t constant) {
    const ValueId id = graph_.constants[constant].value;
    const auto op = ops_.find(id);
    if (op == ops_.end()) return;
    Q4Weight& weight = out_.emplace_back();
    weight.name = value(id).name;
    weight.elements = graph_.constants[constant].data.elements();
    weight.unpacked_reason =
        cat("tract does not support 4-bit blocks in this kind of ", ir::op_name(op->second));
  }

  std::optional<Q4Rounding> requested_rounding(const Q4Reader& reader) const {
    if (!options_.rounding_for) return Q4Rounding::nearest;
    return options_.rounding_for(graph_, graph_.nodes[reader.node]);
  }

  std::string problem(const Tensor& data, const Q4Readers& readers) const {
    if (!readers.problem.empty()) return readers.problem;
    if (!data.is_loaded()) return "its values are not loaded";
    const Tensor rows = readers.is_transposed ? transposed(data) : data;
    if (!fits_q4_0(rows.shape)) return "its row length is not a multiple of 32";
    for (const Q4Reader& reader : readers.all) {
      const Node& node = graph_.nodes[reader.node];
      if (options_.is_readable && !options_.is_readable(node))
        return cat("the target does not support packed weights in ", ir::op_name(node.op));
      if (!requested_rounding(reader))
        return cat(ir::op_name(node.op), " also reads it and needs floats");
    }
    return "";
  }

  Packed packed(const Tensor& rows, const Q4Readers& readers, Q4Rounding rounding,
                Q4Weight& weight) const {
    if (rounding == Q4Rounding::nearest) return encode_q4_0(rows, Q4Scale::largest);
    if (rounding == Q4Rounding::compensated && options_.second_moments)
      for (const Q4Reader& reader : readers.all) {
        const std::vector<double> moments =
            options_.second_moments(graph_, graph_.nodes[reader.node]);
        if (!moments.empty()) return compensated_q4_0(rows, moments, Q4Scale::least_error);
      }
    const bool is_table = std::all_of(
        readers.all.begin(), readers.all.end(),
        [&](const Q4Reader& reader) { return passes::is_lookup(graph_.nodes[reader.node]); });
    weight.lacks_moments = rounding == Q4Rounding::compensated && !is_table;
    return encode_q4_0(rows, Q4Scale::least_error);
  }

  void pack(size_t constant, const Q4Readers& readers, Q4Rounding rounding, Q4Weight& weight) {
    ir::Constant& stored = graph_.constants[constant];
    const Tensor rows = readers.is_transposed ? transposed(stored.data) : stored.data;
    Packed blocks = packed(rows, readers, rounding, weight);
    weight.unpacked_reason = blocks.problem;
    // 4-bit codes lose an eighth at most, unless the scale underflows in 16 bits.
    constexpr double kMostLost = 0.5;
    if (blocks.problem.empty() && blocks.squared_error > kMostLost * blocks.squared_sum)
      weight.unpacked_reason = "its values are too small for 16-bit scales";
    if (!weight.unpacked_reason.empty()) return;
    weight.relative_error =
        blocks.squared_sum > 0 ? std::sqrt(blocks.squared_error / blocks.squared_sum) : 0;
    stored.data = ir::spilled(std::move(blocks.blocks));
    const ValueId unpacked = add_unpacked(stored.value, rows, readers.all.at(0).node);
    value(stored.value).dtype = ir::DType::u8;
    value(stored.value).shape = ir::to_shape(stored.data.shape);
    for (const Q4Reader& reader : readers.all) read_unpacked(reader, unpacked);
  }

  /// Unpacks the weight to floats in front of its first reader.
  ValueId add_unpacked(ValueId blocks, const Tensor& rows, size_t reader) {
    ir::Value unpacked;
    unpacked.name = names_.take(value(blocks).name + "_unpacked");
    unpacked.dtype = rows.dtype;
    unpacked.shape = ir::to_shape(rows.shape);
    const ValueId id = ir::add_value(graph_, std::move(unpacked));
    Node node;
    node.op = ir::op_id(kDequantise);
    node.args = {{"self", ir::TensorRef{blocks}},
                 {"shape", ir::to_shape(rows.shape)},
                 {"dtype", rows.dtype}};
    node.outputs = {id};
    node.scope = graph_.nodes[reader].scope;
    node.source = graph_.nodes[reader].source;
    node.call = calls_.take(node.op, node.scope);
    inserted_.emplace_back(reader, std::move(node));
    return id;
  }

  void read_unpacked(const Q4Reader& reader, ValueId unpacked) {
    Node& node = graph_.nodes[reader.node];
    if (reader.role == Q4Reader::Role::weight) {
      for (ir::Argument& argument : node.args)
        if (argument.name == "weight") argument.value = ir::TensorRef{unpacked};
      return;
    }
    const bool has_bias = reader.role == Q4Reader::Role::sum;
    node.op = ir::op_id("aten::linear");
    node.args = {{"input", ir::TensorRef{reader.input}},
                 {"weight", ir::TensorRef{unpacked}},
                 {"bias", has_bias ? ir::Attr(ir::TensorRef{reader.bias}) : ir::Attr(ir::None{})}};
    node.call = calls_.take(node.op, node.scope);
  }

  void insert_nodes() {
    std::stable_sort(inserted_.begin(), inserted_.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<Node> nodes;
    nodes.reserve(graph_.nodes.size() + inserted_.size());
    auto next = inserted_.begin();
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      for (; next != inserted_.end() && next->first == i; ++next)
        nodes.push_back(std::move(next->second));
      nodes.push_back(std::move(graph_.nodes[i]));
    }
    graph_.nodes = std::move(nodes);
  }

  Graph& graph_;
  const Q4Options& options_;
  passes::FreshNames names_;
  passes::FreshCalls calls_;
  std::vector<std::pair<size_t, Node>> inserted_;  ///< with the node that each precedes
  std::map<ValueId, ir::OpId> ops_;                ///< by weight, the first reader
  std::vector<Q4Weight> out_;
};

}  // namespace

std::vector<Q4Weight> pack_weights(Graph& graph, const Q4Options& options) {
  return Packer(graph, options).run();
}

std::function<bool(const Node&)> reads_q4_0(const target::Target& target) {
  const bool has_any = target::has(target, target::Feature::q4_0);
  const bool has_convolutions = target::has(target, target::Feature::q4_0_convolution);
  return [=](const Node& node) {
    const bool is_convolution = ir::op_name(node.op).find("conv") != std::string_view::npos;
    return is_convolution ? has_convolutions : has_any;
  };
}

namespace {

std::optional<Q4Rounding> rounding_of(const NodeSettings& settings) {
  if (!settings.weights || settings.weights->format != Format::q4_0) return std::nullopt;
  switch (settings.weights->rounding) {
    case Rounding::nearest: return Q4Rounding::nearest;
    case Rounding::least_squares: return Q4Rounding::least_error;
    case Rounding::gptq: return Q4Rounding::compensated;
  }
  internal_error(__FILE__, __LINE__, "no such rounding");
}

/// Reports which weights stay in floats, and which are packed without GPTQ although settings
/// request it.
void report_weights(const std::vector<Q4Weight>& weights, const passes::PassContext& context) {
  std::vector<std::string> unpacked;
  std::vector<std::string> uncompensated;
  for (const Q4Weight& weight : weights) {
    if (!weight.unpacked_reason.empty())
      unpacked.push_back(cat(weight.name, ": ", weight.unpacked_reason));
    if (weight.lacks_moments) uncompensated.push_back(weight.name);
  }
  const std::string share = cat(" of ", weights.size());
  warn_of(
      context.report, "weight-not-packed", unpacked,
      cat(unpacked.size(), share, weights.size() == 1 ? " weight" : " weights", " kept in floats"),
      "change their settings, or exclude their modules with --ignore");
  warn_of(context.report, "rounding-not-compensated", uncompensated,
          cat(uncompensated.size(), share,
              " packed weights are rounded with least-squares scales instead of with GPTQ"),
          "set \"rounding\": \"least-squares\" for them, or ignore this warning",
          "their readers are neither linear layers nor convolutions over one or two axes");
}

}  // namespace

bool quantise_q4_0(ir::Graph& graph, const passes::PassContext& context) {
  const Settings* const settings = context.settings;
  const bool is_native = context.native.contains(ir::op_id(kDequantise));
  if (context.in_body || !is_native) return false;
  Q4Options options;
  options.is_readable = context.reads_packed;
  options.second_moments = moments_of;
  if (settings != nullptr) {
    if (context.calibrate && lacks_moments(graph, *settings)) context.calibrate(graph);
    options.rounding_for = [settings](const ir::Graph& model, const ir::Node& node) {
      return rounding_of(settings->of(model, node));
    };
  }
  const std::vector<Q4Weight> weights = pack_weights(graph, options);
  if (settings != nullptr) {
    for (const Q4Weight& weight : weights)
      if (!weight.unpacked_reason.empty()) note_skipped(graph, weight.name, weight.unpacked_reason);
    report_weights(weights, context);
  }
  return std::any_of(weights.begin(), weights.end(),
                     [](const Q4Weight& weight) { return weight.unpacked_reason.empty(); });
}

}  // namespace t2n::compress
