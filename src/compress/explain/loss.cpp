// SPDX-License-Identifier: Apache-2.0
#include "src/compress/explain/loss.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "ir/elements.h"
#include "src/compress/layer_table.h"
#include "src/diag/error.h"

namespace t2n::compress {
namespace {

using ir::Graph;
using ir::Node;
using ir::Tensor;

std::string format_of(const ir::Value& stored, bool is_packed) {
  if (is_packed) return "q4_0";
  if (stored.quant) return cat("int", stored.quant->bits);
  return std::string(ir::dtype_name(stored.dtype));
}

/// Totals over all weights of a layer.
struct WeightTotals {
  int64_t zeros = 0;
  int64_t elements = 0;
  std::vector<std::string> formats;  ///< without duplicates

  void add(const Tensor& weight, std::string format) {
    ir::for_each_part(weight, [&](size_t, std::span<const double> values) {
      zeros += std::count(values.begin(), values.end(), 0.0);
    });
    elements += weight.elements();
    if (std::find(formats.begin(), formats.end(), format) == formats.end())
      formats.push_back(std::move(format));
  }
};

/// Transposes a matrix whose product became a linear layer.
void transpose(Tensor& matrix) {
  if (matrix.shape.size() != 2) return;
  std::swap(matrix.shape[0], matrix.shape[1]);
  std::swap(matrix.strides[0], matrix.strides[1]);
}

/// Results of some operations of a run, by address, and the run's outputs.
struct Run {
  std::map<std::string, Tensor> results;
  std::vector<Tensor> outputs;
};

Run run(const Graph& graph, const std::vector<Tensor>& inputs, const ir::Evaluator& evaluate,
        const std::set<std::string>& addresses) {
  Run out;
  // Loops run as bodies; their results are recorded where they are read.
  std::map<ir::ValueId, std::string> loops;
  for (const Node& node : graph.nodes)
    if (node.body && addresses.contains(ir::node_address(graph, node)))
      loops.emplace(node.outputs.at(0), ir::node_address(graph, node));
  // Bodies have their own value ids.
  const auto is_inside = [&](const Node& node) {
    const std::less<const Node*> before;
    return before(&node, graph.nodes.data()) ||
           !before(&node, graph.nodes.data() + graph.nodes.size());
  };
  const ir::Evaluator watched = [&](const Node& node, const ir::Operand& operand) {
    if (is_inside(node)) return evaluate(node, operand);
    ir::for_each_input(node, [&](ir::ValueId id) {
      if (const auto loop = loops.find(id); loop != loops.end())
        out.results.emplace(loop->second, ir::contiguous(operand(id)));
    });
    std::vector<Tensor> results = evaluate(node, operand);
    if (std::string address = ir::node_address(graph, node); addresses.contains(address))
      out.results.emplace(std::move(address), ir::contiguous(results.at(0)));
    return results;
  };
  out.outputs = ir::run_graph(graph, inputs, watched);
  for (size_t i = 0; i < graph.outputs.size(); ++i)
    if (const auto loop = loops.find(graph.outputs[i]); loop != loops.end())
      out.results.emplace(loop->second, ir::contiguous(out.outputs[i]));
  return out;
}

size_t largest_of(std::span<const double> row) {
  return std::max_element(row.begin(), row.end()) - row.begin();
}

/// Removes the rows that pad a batch. Axis 0 may have several rows per sample.
Tensor without_padding(Tensor tensor, const BatchRows& rows) {
  if (rows.padding == 0 || tensor.shape.empty() || tensor.shape[0] % rows.size != 0) return tensor;
  tensor.shape[0] -= tensor.shape[0] / rows.size * rows.padding;
  return tensor;
}

/// Moves the class axis to the end; the classes of images are along axis 1.
Tensor with_classes_last(Tensor tensor) {
  constexpr size_t kAxesOfImages = 4;
  if (tensor.shape.size() < kAxesOfImages) return tensor;
  std::rotate(tensor.shape.begin() + 1, tensor.shape.begin() + 2, tensor.shape.end());
  std::rotate(tensor.strides.begin() + 1, tensor.strides.begin() + 2, tensor.strides.end());
  return ir::contiguous(tensor);
}

void add_top1(OutputLoss& loss, const Tensor& expected, const Tensor& actual,
              std::span<const int64_t> labels) {
  if (expected.shape.empty() || expected.shape != actual.shape) return;
  const Tensor before = with_classes_last(expected);
  if (before.shape.back() < 2) return;
  const std::vector<double> a = ir::to_f64(before);
  const std::vector<double> b = ir::to_f64(with_classes_last(actual));
  const size_t width = before.shape.back();
  for (size_t at = 0; at < a.size(); at += width) {
    const size_t of_before = largest_of(std::span(a).subspan(at, width));
    const size_t of_after = largest_of(std::span(b).subspan(at, width));
    const size_t row = loss.rows++;
    loss.same_top1 += of_before == of_after;
    if (row >= labels.size()) continue;
    ++loss.labelled;
    loss.right_before += static_cast<int64_t>(of_before) == labels[row];
    loss.right_after += static_cast<int64_t>(of_after) == labels[row];
  }
}

}  // namespace

void OutputLoss::add(const Tensor& before, const Tensor& after, const BatchRows& rows_of_batch) {
  const Tensor expected = without_padding(before, rows_of_batch);
  const Tensor actual = without_padding(after, rows_of_batch);
  all.add(expected, actual);
  if (ir::is_float(expected.dtype)) add_top1(*this, expected, actual, rows_of_batch.labels);
}

void require_labels(const OutputLoss& loss, const std::vector<int64_t>& labels) {
  if (labels.empty() || loss.rows == std::ssize(labels)) return;
  throw Error("calibration",
              cat("there are ", labels.size(), " labels, and the output '", loss.name, "' has ",
                  loss.rows, " rows over the calibration set"),
              "a row is one index along all axes except the class axis: the last one, or the "
              "second one of four or more",
              "give one label for each row, in the order of the set");
}

void Closeness::add(const Tensor& expected, const Tensor& actual) {
  if (expected.shape != actual.shape || ir::is_complex(expected.dtype)) return;
  ir::for_each_part(expected, actual, [this](std::span<const double> a, std::span<const double> b) {
    for (size_t i = 0; i < a.size(); ++i) {
      if (!std::isfinite(a[i])) continue;
      if (!std::isfinite(b[i])) {  // a finite value became NaN or infinite
        noise = std::numeric_limits<double>::infinity();
        continue;
      }
      signal += a[i] * a[i];
      square += b[i] * b[i];
      product += a[i] * b[i];
      noise += (a[i] - b[i]) * (a[i] - b[i]);
    }
  });
}

double Closeness::snr_db() const {
  if (noise == 0) return std::numeric_limits<double>::infinity();
  if (!std::isfinite(noise)) return -std::numeric_limits<double>::infinity();
  return 10 * std::log10(signal / noise);
}

double Closeness::cosine() const {
  if (!std::isfinite(noise)) return 0;
  const double size = std::sqrt(signal * square);
  return size > 0 ? product / size : 1;
}

LossMeter::LossMeter(const Graph& before, const Graph& stored, const Graph& after,
                     const ir::Evaluator& evaluate, Storage storage)
    : evaluate_(evaluate) {
  const LayerTable first(before, evaluate);
  const LayerTable file(stored, evaluate, storage);
  const LayerTable now(after, evaluate);
  std::set<ir::ValueId> counted;  // shared constants count for the first layer only
  std::set<ir::ValueId> counted_in_file;
  for (const std::string& address : first.addresses()) {
    const auto layer = first.layer(address);
    const auto same = [&](const LayerTable& table) {
      return table.layer(address) ? address : table.address_of_result(first.result(address));
    };
    LayerLoss loss;
    loss.address = address;
    loss.address_after = same(now);
    loss.module = first.module(address);
    for (const passes::Weight& weight : layer->weights)
      loss.bytes_before += first.stored(weight.value, counted).first;
    const auto in_file = file.layer(same(file));
    const auto compressed = now.layer(same(now));
    const size_t count = layer->weights.size();
    if (!in_file || !compressed || in_file->weights.size() != count ||
        compressed->weights.size() != count) {
      layers_.push_back(std::move(loss));
      continue;
    }
    WeightTotals all;
    for (size_t i = 0; i < count; ++i) {
      const auto [bytes, at] = file.stored(in_file->weights[i].value, counted_in_file);
      const ir::Value* largest = at == ir::kNoValue ? nullptr : &stored.values[at];
      loss.bytes_after += bytes;
      const auto expected = first.value(layer->weights[i].value);
      auto actual = now.value(compressed->weights[i].value);
      if (!expected || !actual || largest == nullptr) continue;
      if (layer->weights[i].channel_axis != compressed->weights[i].channel_axis) transpose(*actual);
      loss.weights.add(*expected, *actual);
      const bool is_packed = largest->dtype == ir::DType::u8 && !largest->quant;
      all.add(*actual, format_of(*largest, is_packed));
    }
    if (!all.formats.empty()) loss.format = joined(all.formats, "+");
    if (all.elements > 0)
      loss.zeros = static_cast<double>(all.zeros) / static_cast<double>(all.elements);
    layers_.push_back(std::move(loss));
  }
  for (const std::string& name : before.output_names) {
    outputs_.emplace_back();
    outputs_.back().name = name;
  }
}

void LossMeter::add(const Graph& before, const Graph& after, const std::vector<Tensor>& inputs,
                    BatchRows rows) {
  std::set<std::string> addresses;
  std::set<std::string> addresses_after;
  for (const LayerLoss& layer : layers_) {
    addresses.insert(layer.address);
    if (!layer.address_after.empty()) addresses_after.insert(layer.address_after);
  }
  const Run a = run(before, inputs, evaluate_, addresses);
  const Run b = run(after, inputs, evaluate_, addresses_after);
  for (LayerLoss& layer : layers_)
    if (a.results.contains(layer.address) && b.results.contains(layer.address_after))
      layer.results.add(a.results.at(layer.address), b.results.at(layer.address_after));
  for (size_t i = 0; i < outputs_.size(); ++i) {
    outputs_[i].add(a.outputs[i], b.outputs[i], rows);
    rows.labels = {};
  }
}

}  // namespace t2n::compress
