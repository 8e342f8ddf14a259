// SPDX-License-Identifier: Apache-2.0
#include "src/check/input_kinds.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "src/diag/one_of.h"
#include "src/dynamic/unbacked_sizes.h"

namespace t2n {

namespace {

template <typename Predicate>
bool has_tensor(const std::vector<Sample>& samples, Predicate predicate) {
  return std::any_of(samples.begin(), samples.end(), [&](const Sample& sample) {
    const auto* tensor = std::get_if<ir::Tensor>(&sample.input.value);
    return tensor != nullptr && predicate(sample, *tensor);
  });
}

template <typename Predicate>
bool has_node(const ir::Graph& graph, Predicate predicate) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), [&](const ir::Node& node) {
    return predicate(node) || (node.body && has_node(*node.body, predicate));
  });
}

bool rounds_to_integer(const ir::Node& node) {
  constexpr std::array<std::string_view, 7> kNames = {"round", "floor",        "ceil", "trunc",
                                                      "fix",   "floor_divide", "frac"};
  return is_one_of(ir::op_short_name(node.op), kNames);
}

/// Numbers of all magnitudes together are mostly ties for an operation that quantises.
bool quantises(const ir::Node& node) {
  const std::string_view name = ir::op_name(node.op);
  return name.find("quantiz") != std::string_view::npos || name == "aten::round";
}

bool tests_for_infinity(const ir::Node& node) {
  constexpr std::array<std::string_view, 5> kNames = {"isinf", "isfinite", "isposinf", "isneginf",
                                                      "nan_to_num"};
  return is_one_of(ir::op_short_name(node.op), kNames);
}

bool tests_for_nan(const ir::Node& node) {
  constexpr std::array<std::string_view, 4> kNames = {"isnan", "nan_to_num", "nansum", "nanmean"};
  return is_one_of(ir::op_short_name(node.op), kNames);
}

void add_kinds_of_floats(const ir::Graph& graph, std::vector<InputKind>& out) {
  const auto add = [&](const char* name, Change change, uint64_t seed, double factor = 1) {
    out.push_back({name, {.change = change, .seed = seed, .factor = factor}});
  };
  add("values times 10", Change::scale, 21, 10);
  add("values times 100", Change::scale, 24, 100);
  add("values times 0.01", Change::scale, 25, 0.01);
  add("signs flipped", Change::negate, 22);
  add("values 0, 1 and -1", Change::simple, 23);
  if (!has_node(graph, quantises)) add("values of all magnitudes", Change::magnitudes, 26);
  if (has_node(graph, rounds_to_integer)) add("values at halves", Change::halves, 27);
  const auto add_special = [&](const char* name, double value) {
    add(name, Change::special, 28, value);
    out.back().is_optional = true;
  };
  if (has_node(graph, tests_for_infinity)) add_special("infinite values", HUGE_VAL);
  if (has_node(graph, tests_for_nan)) add_special("values that are NaN", NAN);
}

void add_kinds_of_integers(const std::vector<Sample>& samples, const ir::Graph& graph,
                           bool has_wide_integers, std::vector<InputKind>& out) {
  out.push_back({"larger integers", {.change = Change::integers, .seed = 31}});
  out.push_back({"negative integers", {.change = Change::integers, .seed = 32}});
  // As data-dependent sizes or iteration counts they would exhaust memory or time.
  const auto is_loop = [](const ir::Node& node) { return node.body != nullptr; };
  if (dynamic::has_unbacked_sizes(graph) || has_node(graph, is_loop)) return;
  const auto add = [&](const char* name, double factor) {
    out.push_back({name,
                   {.change = Change::ends, .seed = 35, .factor = factor},
                   /*is_optional=*/true});
  };
  add("integers at the ends of 8 bits", 0x1p8);
  if (!has_wide_integers) return;
  if (has_tensor(samples, [](const Sample& sample, const ir::Tensor& tensor) {
        return is_free_integer(sample) && ir::dtype_size(tensor.dtype) > 1;
      }))
    add("integers at the ends of 16 bits", 0x1p16);
  if (has_tensor(samples, [](const Sample& sample, const ir::Tensor& tensor) {
        return is_free_integer(sample) && ir::dtype_size(tensor.dtype) > 2;
      }))
    add("integers around 2^24", 0x1p24);
}

}  // namespace

std::vector<InputKind> input_kinds(const std::vector<Sample>& samples, const ir::Graph& graph,
                                   bool has_wide_integers) {
  std::vector<InputKind> out;
  const auto add = [&](const char* name, Change change, uint64_t seed, double factor = 1) {
    out.push_back({name, {.change = change, .seed = seed, .factor = factor}});
  };
  if (has_tensor(samples, [](const Sample& sample, const ir::Tensor& tensor) {
        return ir::is_float(tensor.dtype) && !sample.input.is_state;
      }))
    add_kinds_of_floats(graph, out);
  if (std::any_of(samples.begin(), samples.end(), is_free_integer))
    add_kinds_of_integers(samples, graph, has_wide_integers, out);
  if (std::any_of(samples.begin(), samples.end(), is_mask)) {
    // Models often take another branch if a mask selects everything or nothing.
    add("masks all 0", Change::uniform, 33, 0);
    add("masks all 1", Change::uniform, 34, 1);
  }
  if (dynamic::has_unbacked_sizes(graph)) {
    // Extremes of data-dependent sizes: none and all.
    add("values above zero", Change::sign, 51, 1);
    add("values below zero", Change::sign, 52, -1);
    add("all rows equal", Change::equal_rows, 53);
    add("integers up to the largest", Change::within, 54);
    add("integers up to the largest, again", Change::within, 55);
  }
  const std::vector<double> thresholds = thresholds_of(graph);
  if (!thresholds.empty()) {
    add("values around the model's own limits", Change::cross, 41);
    out.back().variation.thresholds = thresholds;
  }
  return out;
}

std::vector<size_t> tensor_indices(const std::vector<Sample>& samples) {
  std::vector<size_t> out;
  for (size_t i = 0; i < samples.size(); ++i)
    if (const auto* tensor = std::get_if<ir::Tensor>(&samples[i].input.value);
        tensor != nullptr && tensor->elements() > 0)
      out.push_back(i);
  return out;
}

std::set<std::string> unread_inputs(const ir::Graph& graph) {
  std::set<ir::ValueId> read(graph.outputs.begin(), graph.outputs.end());
  for (size_t i = graph.nodes.size(); i > 0; --i) {
    const ir::Node& node = graph.nodes[i - 1];
    if (std::any_of(node.outputs.begin(), node.outputs.end(),
                    [&](ir::ValueId id) { return read.contains(id); }))
      ir::for_each_input(node, [&](ir::ValueId id) { read.insert(id); });
  }
  std::set<std::string> out;
  for (const ir::ValueId id : graph.inputs)
    if (!read.contains(id)) out.insert(graph.values[id].name);
  return out;
}

}  // namespace t2n
