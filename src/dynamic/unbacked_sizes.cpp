// SPDX-License-Identifier: Apache-2.0
#include "src/dynamic/unbacked_sizes.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "ir/dead_code.h"
#include "ir/op_traits.h"
#include "ir/prove.h"
#include "src/diag/one_of.h"
#include "src/shapes/shape_rule.h"

namespace t2n::dynamic {
namespace {

const ir::Value& value_of(const ir::Graph& graph, ir::ValueId id) { return graph.values[id]; }

/// The masks among the indices of an operation.
std::vector<ir::ValueId> masks_of(const ir::Graph& graph, const ir::Node& node) {
  std::vector<ir::ValueId> out;
  const auto* refs = std::get_if<ir::TensorRefs>(node.find("indices"));
  if (refs == nullptr) return out;
  for (const ir::ValueId id : refs->ids)
    if (id != ir::kNoValue && shapes::is_mask(value_of(graph, id).dtype)) out.push_back(id);
  return out;
}

/// The tensors whose values determine the size; none for an operation without such a size.
std::vector<ir::ValueId> size_operands(const ir::Graph& graph, const ir::Node& node) {
  const std::string_view op = ir::op_name(node.op), name = ir::op_short_name(node.op);
  if (!has_trait(op.substr(0, op.find('.')), ir::OpTrait::gives_unbacked_size)) return {};
  if (name == "index" || name == "_unsafe_index") return masks_of(graph, node);
  if (name == "where")
    return node.args.size() == 1 ? std::vector{ir::operand(node, "condition")}
                                 : std::vector<ir::ValueId>();
  if (name == "_pack_padded_sequence") return {ir::operand(node, "lengths")};
  if (name == "masked_select" || name == "batch_sizes") return {ir::operand(node, "mask")};
  if (name == "one_hot") {
    const auto* classes = std::get_if<ir::Dim>(node.find("num_classes"));
    return classes != nullptr && *classes == ir::Dim(-1) ? std::vector{ir::operand(node, "self")}
                                                         : std::vector<ir::ValueId>();
  }
  if (name == "repeat_interleave") {
    const ir::ValueId repeats = ir::operand(node, "repeats");
    const ir::Attr* size = node.find("output_size");
    const bool has_output_size = size != nullptr && !std::holds_alternative<ir::None>(*size);
    return repeats == ir::kNoValue || has_output_size ? std::vector<ir::ValueId>()
                                                      : std::vector{repeats};
  }
  if (name == "nms") return {ir::operand(node, "dets"), ir::operand(node, "scores")};
  return {ir::operand(node, "self")};
}

/// True if the size is the number of nonzero elements of the tensor, without a broadcast.
bool counts_nonzero(const ir::Graph& graph, const ir::Node& node,
                    const std::vector<ir::ValueId>& tensors) {
  constexpr std::array<std::string_view, 8> kNonzero = {
      "nonzero",       "nonzero_numpy", "argwhere",      "where",
      "masked_select", "index",         "_unsafe_index", "batch_sizes"};
  const std::string_view name = ir::op_short_name(node.op);
  if (!is_one_of(name, kNonzero) || tensors.size() != 1) return false;
  return name != "masked_select" ||
         value_of(graph, ir::operand(node, "self")).shape == value_of(graph, tensors[0]).shape;
}

/// An upper bound of the size, whatever the values are.
std::optional<ir::Dim> most_of(const ir::Graph& graph, const ir::Node& node,
                               const std::vector<ir::ValueId>& tensors) {
  constexpr std::array<std::string_view, 3> kDistinct = {"_unique", "_unique2",
                                                         "unique_consecutive"};
  constexpr std::array<std::string_view, 3> kSlices = {"unique_dim", "unique_dim_consecutive",
                                                       "unique_consecutive"};
  const std::string_view name = ir::op_short_name(node.op);
  if (name == "nms") return value_of(graph, tensors.at(0)).shape.at(0);
  if (const ir::Attr* dim = node.find("dim");
      dim != nullptr && std::holds_alternative<ir::Dim>(*dim) && is_one_of(name, kSlices)) {
    const ir::Shape& shape = value_of(graph, tensors.at(0)).shape;
    const auto rank = static_cast<int64_t>(shape.size());
    const int64_t axis = std::get<ir::Dim>(*dim).value();
    return shape.at(axis < 0 ? axis + rank : axis);
  }
  if (counts_nonzero(graph, node, tensors) || is_one_of(name, kDistinct))
    return shapes::product(value_of(graph, tensors.at(0)).shape);
  return std::nullopt;
}

/// Per value: true if it depends on inputs, or on operations with random results.
std::vector<bool> input_dependent(const ir::Graph& graph) {
  std::vector<bool> out(graph.values.size());
  for (const ir::ValueId id : graph.inputs) out.at(id) = true;
  for (const ir::Node& node : graph.nodes) {
    bool depends = ir::is_unpredictable(node.op);
    ir::for_each_input(node, [&](ir::ValueId id) { depends = depends || out.at(id); });
    for (const ir::ValueId id : node.outputs) out.at(id) = depends;
  }
  return out;
}

/// True if one of these values, or one that they are computed from, has a dynamic axis.
bool has_dynamic_axes(const ir::Graph& graph, std::vector<ir::ValueId> pending) {
  if (pending.empty()) return false;
  const std::vector<int> producers = ir::producers(graph);
  std::set<ir::ValueId> seen(pending.begin(), pending.end());
  while (!pending.empty()) {
    const ir::ValueId id = pending.back();
    pending.pop_back();
    const ir::Shape& shape = value_of(graph, id).shape;
    if (!std::all_of(shape.begin(), shape.end(), [](const ir::Dim& d) { return d.is_constant(); }))
      return true;
    const int node = producers[id];
    if (node < 0) continue;
    ir::for_each_input(graph.nodes[node], [&](ir::ValueId operand) {
      if (seen.insert(operand).second) pending.push_back(operand);
    });
  }
  return false;
}

/// The output and axis whose size is shapes::unbacked_size() alone, if there is one.
std::optional<std::pair<size_t, size_t>> unbacked_axis(const std::vector<ir::Shape>& shapes) {
  const ir::Dim size = shapes::unbacked_size();
  for (size_t i = 0; i < shapes.size(); ++i) {
    const auto axis = std::find(shapes[i].begin(), shapes[i].end(), size);
    if (axis != shapes[i].end()) return std::pair(i, static_cast<size_t>(axis - shapes[i].begin()));
  }
  return std::nullopt;
}

/// True if its size is a number read from a tensor, recorded as the repetition of one element
/// (src/frontend/run/tensor_numbers.cpp).
bool reads_number(const ir::Graph& graph, const ir::Node& node) {
  const std::vector<ir::ValueId> tensors = size_operands(graph, node);
  return ir::op_name(node.op) == "aten::repeat_interleave.Tensor" && tensors.size() == 1 &&
         value_of(graph, tensors[0]).shape == ir::Shape{1};
}

}  // namespace

bool is_unbacked(const Comparison& comparison) {
  return is_unbacked(comparison.left) || is_unbacked(comparison.right);
}

std::optional<Symbol> tests_sign(const Comparison& comparison, const ir::Graph& graph) {
  const std::vector<Symbol> symbols = (comparison.left - comparison.right).symbols();
  if (symbols.size() != 1 || symbols[0].unbacked() == nullptr ||
      ir::prove(comparison) != ir::Verdict::always)
    return std::nullopt;
  const ir::Dim size = ir::Dim::symbol(symbols[0]);
  const auto is_read = [&](const ir::Node* node) {
    return reads_number(graph, *node) &&
           value_of(graph, node->outputs.at(0)).shape == ir::Shape{size};
  };
  const std::vector<const ir::Node*> nodes = nodes_with_unbacked_sizes(graph);
  return std::ranges::any_of(nodes, is_read) ? std::optional(symbols[0]) : std::nullopt;
}

std::vector<const ir::Node*> nodes_with_unbacked_sizes(const ir::Graph& graph) {
  std::vector<const ir::Node*> out;
  std::vector<bool> dependent;
  for (const ir::Node& node : graph.nodes) {
    const std::vector<ir::ValueId> operands = size_operands(graph, node);
    if (!operands.empty() && dependent.empty()) dependent = input_dependent(graph);
    if (std::any_of(operands.begin(), operands.end(),
                    [&](ir::ValueId id) { return dependent.at(id); }))
      out.push_back(&node);
  }
  return out;
}

bool gives_unbacked_size(const ir::Graph& graph, const ir::Node& node) {
  const std::vector<ir::ValueId> operands = size_operands(graph, node);
  if (operands.empty()) return false;
  const std::vector<bool> dependent = input_dependent(graph);
  return std::any_of(operands.begin(), operands.end(),
                     [&](ir::ValueId id) { return dependent.at(id); });
}

bool counts_over_dynamic_axes(const ir::Graph& graph, const ir::Node& node) {
  return has_dynamic_axes(graph, size_operands(graph, node));
}

bool has_unbacked_sizes(const ir::Graph& graph) {
  return !nodes_with_unbacked_sizes(graph).empty() ||
         std::any_of(graph.nodes.begin(), graph.nodes.end(), [](const ir::Node& node) {
           return node.body && has_unbacked_sizes(*node.body);
         });
}

SizeDefinitions::SizeDefinitions(const ir::Graph& graph) : graph_(graph) {
  for (const ir::Node* node : nodes_with_unbacked_sizes(graph))
    unbacked_.insert(node->outputs.begin(), node->outputs.end());
  if (unbacked_.empty()) return;
  values_ = ir::defining_values(graph);
  producers_ = ir::producers(graph);
}

std::set<ir::ValueId> SizeDefinitions::of(const ir::Node& node) const {
  std::vector<ir::ValueId> pending;
  for (const ir::Argument& arg : node.args)
    ir::for_each_size(arg.value, [&](const Symbol& symbol) {
      if (const auto found = values_.find(symbol); found != values_.end())
        pending.push_back(found->second);
    });
  // A trace names the size after any value with it, not after the first.
  std::set<ir::ValueId> out, seen;
  while (!pending.empty()) {
    const ir::ValueId id = pending.back();
    pending.pop_back();
    if (!seen.insert(id).second) continue;
    if (unbacked_.contains(id))
      out.insert(id);
    else if (producers_[id] >= 0)
      ir::for_each_input(graph_.nodes[producers_[id]],
                         [&](ir::ValueId operand) { pending.push_back(operand); });
  }
  return out;
}

bool has_unnamed(const std::vector<ir::Shape>& shapes) {
  return std::any_of(shapes.begin(), shapes.end(), [](const ir::Shape& shape) {
    return std::any_of(shape.begin(), shape.end(),
                       [](const ir::Dim& size) { return size.mentions(Symbol::Unbacked{}); });
  });
}

Sizes unbacked_sizes(const ir::Graph& graph, const ir::Graph& traced) {
  const Names names = names_of(traced);
  Sizes out;
  for (const ir::Node& node : graph.nodes)
    for (const ir::ValueId id : node.outputs) {
      const ir::Value& value = value_of(graph, id);
      const auto found = names.find(value.name);
      if (found == names.end()) continue;
      const ir::Shape& shape = value_of(traced, found->second).shape;
      if (shape.size() != value.shape.size()) continue;
      for (size_t axis = 0; axis < shape.size(); ++axis)
        if (const Symbol* symbol = value.shape[axis].as_symbol();
            symbol != nullptr && symbol->unbacked() != nullptr)
          out.try_emplace(*symbol, shape[axis].value());
    }
  return out;
}

std::vector<Comparison> bounds_of_unbacked_sizes(const ir::Graph& graph) {
  std::vector<Comparison> out;
  for (const ir::Node& node : graph.nodes) {
    const std::vector<ir::ValueId> tensors = size_operands(graph, node);
    const auto most = tensors.empty() ? std::nullopt : most_of(graph, node, tensors);
    if (!most) continue;
    for (const ir::Dim& size : value_of(graph, node.outputs.at(0)).shape)
      if (const Symbol* symbol = size.as_symbol();
          symbol != nullptr && symbol->unbacked() != nullptr)
        out.push_back({size, Relation::le, *most});
  }
  return out;
}

UnbackedSizes::UnbackedSizes(const Sizes& used) {
  for (const auto& [symbol, size] : used) names_.insert(symbol.str());
}

/// "N_masked_select", with characters that NNEF allows in names.
Symbol UnbackedSizes::new_symbol(const std::string& value) {
  std::string stem = "N_";
  for (const char c : value) stem += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  std::string name = stem;
  for (int i = 1; !names_.insert(name).second; ++i) name = cat(stem, "_", i);
  return Symbol::Unbacked{name};
}

int UnbackedSizes::number(const ir::Graph& graph, ir::ValueId value) {
  if (const auto known = numbers_.find(value); known != numbers_.end()) return known->second;
  const int producer = producers_.at(value);
  std::string key = cat("value ", value);
  if (producer >= 0 && !graph.nodes[producer].body) {
    const ir::Node& node = graph.nodes[producer];
    if (!ir::is_unpredictable(node.op)) {
      const auto output = std::find(node.outputs.begin(), node.outputs.end(), value);
      key = cat(ir::op_name(node.op), " ", output - node.outputs.begin());
      for (const ir::Argument& arg : node.args)
        key += cat(" ", arg.name, "=", ir::attr_str(arg.value, [&](ir::ValueId id) {
                     return cat("#", number(graph, id));
                   }));
    }
  }
  const int out = computed_.try_emplace(key, static_cast<int>(computed_.size())).first->second;
  numbers_.emplace(value, out);
  return out;
}

/// A key that is equal for operations that count the same: the nonzero elements of a tensor,
/// possibly broadcast, or a sum. "" if no other operation has this size.
std::string UnbackedSizes::count_key(const ir::Graph& graph, const ir::Node& node) {
  const std::vector<ir::ValueId> tensors = size_operands(graph, node);
  if (ir::op_name(node.op) == "aten::repeat_interleave.Tensor" && tensors.size() == 1)
    return cat("sum #", number(graph, tensors[0]));
  if (!counts_nonzero(graph, node, tensors)) return {};
  return cat("nonzero #", number(graph, tensors[0]));
}

std::optional<Unbacked> UnbackedSizes::name(const Level& level, const ir::Node& node,
                                            std::vector<ir::Shape>& shapes,
                                            const std::vector<Sizes*>& probes) {
  const auto found = unbacked_axis(shapes);
  if (!found || level.depth() > 0) return std::nullopt;
  const auto [output, axis] = *found;
  const auto replace = [&](const ir::Dim& size) {
    for (ir::Shape& shape : shapes)
      for (ir::Dim& dim : shape)
        dim = dim.substitute([&](const Symbol& symbol) -> std::optional<ir::Dim> {
          const bool is_unnamed = symbol.unbacked() != nullptr && symbol.unbacked()->name.empty();
          return is_unnamed ? std::optional(size) : std::nullopt;
        });
  };
  const ir::Graph& graph = level.result();
  if (producers_.size() != graph.values.size()) producers_ = ir::producers(graph);
  std::string key = count_key(graph, node);
  const std::optional<ir::Dim> most = most_of(graph, node, size_operands(graph, node));
  const std::string value =
      reads_number(graph, node) ? "item" : value_of(graph, node.outputs.at(0)).name;
  if (key.empty()) key = cat("of #", number(graph, node.outputs.at(0)));
  auto known = known_.find(key);
  if (known == known_.end()) known = known_.emplace(key, new_symbol(value)).first;
  for (size_t probe = 0; probe < probes.size(); ++probe)
    probes[probe]->try_emplace(known->second,
                               level.shape(probe, node.outputs.at(output)).at(axis).value());
  replace(ir::Dim::symbol(known->second));
  return Unbacked{known->second, most};
}

}  // namespace t2n::dynamic
