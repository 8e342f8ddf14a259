// SPDX-License-Identifier: Apache-2.0
// Compares how two graphs compute their outputs, whatever the values are.
#include <array>
#include <map>
#include <set>
#include <string>

#include "ir/op_traits.h"
#include "src/diag/error.h"
#include "src/diag/one_of.h"
#include "src/dynamic/same.h"
#include "src/dynamic/unbacked_sizes.h"

namespace t2n::dynamic {
namespace {

using ir::Dim;

/// Value numbering that looks through operations which only move elements. Sizes are ignored: their
/// form depends on the run. Of data-dependent ones, their definitions count.
class Computations {
 public:
  std::vector<int> outputs(const ir::Graph& graph) {
    std::map<ir::ValueId, int> numbers;
    for (size_t i = 0; i < graph.inputs.size(); ++i)
      numbers[graph.inputs[i]] = number(cat("input ", i));
    for (const ir::Constant& constant : graph.constants)
      numbers[constant.value] = number(graph.values[constant.value].name);
    const SizeDefinitions sizes(graph);
    for (const ir::Node& node : graph.nodes) {
      std::set<int> of_sizes;
      for (const ir::ValueId id : sizes.of(node)) of_sizes.insert(numbers.at(id));
      const std::string text = key_of(node, numbers) + listed(" of #", of_sizes);
      for (size_t i = 0; i < node.outputs.size(); ++i)
        numbers[node.outputs[i]] =
            moves(node) ? moved(node, numbers, of_sizes) : number(cat(text, " ", i));
    }
    std::vector<int> out;
    for (const ir::ValueId id : graph.outputs) out.push_back(numbers.at(id));
    return out;
  }

 private:
  static bool moves(const ir::Node& node) {
    constexpr std::array<std::string_view, 9> kAlsoMove = {
        "pad",   "constant_pad_nd", "cat",  "concat",  "stack",
        "zeros", "new_zeros",       "full", "new_full"};
    const std::string_view name = ir::op_short_name(node.op);
    return ir::has_trait(name, ir::OpTrait::moves_elements) || is_one_of(name, kAlsoMove);
  }

  int number(const std::string& text) {
    return numbers_.try_emplace(text, static_cast<int>(numbers_.size()) + 1).first->second;
  }

  static std::string listed(const char* before, const std::set<int>& numbers) {
    std::string out;
    for (const int each : numbers) out += cat(before, each);
    return out;
  }

  /// The number of what the elements are taken from, `from` included; 0 for constants that the
  /// operation sets.
  int moved(const ir::Node& node, const std::map<ir::ValueId, int>& numbers, std::set<int> from) {
    for (const ir::Argument& argument : node.args)
      ir::attr_str(argument.value, [&](ir::ValueId id) {
        if (id != ir::kNoValue && numbers.at(id) != 0) from.insert(numbers.at(id));
        return std::string();
      });
    if (from.size() < 2) return from.empty() ? 0 : *from.begin();
    return number("moved" + listed(" ", from));
  }

  std::string key_of(const ir::Node& node, const std::map<ir::ValueId, int>& numbers) {
    const auto is_dynamic = [](const Dim& size) { return !size.is_constant(); };
    std::string text(ir::op_name(node.op));
    for (const ir::Argument& argument : node.args) {
      const auto* size = std::get_if<Dim>(&argument.value);
      const auto* sizes = std::get_if<std::vector<Dim>>(&argument.value);
      const bool has_size =
          (size != nullptr && is_dynamic(*size)) ||
          (sizes != nullptr && std::any_of(sizes->begin(), sizes->end(), is_dynamic));
      text += cat(" ", argument.name, "=",
                  has_size ? "size" : ir::attr_str(argument.value, [&](ir::ValueId id) {
                    return id == ir::kNoValue ? std::string("none") : cat("#", numbers.at(id));
                  }));
    }
    if (node.body)
      for (const int each : outputs(*node.body)) text += cat(" ", each);
    return text;
  }

  std::map<std::string, int> numbers_;
};

}  // namespace

bool computes_the_same(const ir::Graph& a, const ir::Graph& b) {
  Computations computations;
  return computations.outputs(a) == computations.outputs(b);
}

}  // namespace t2n::dynamic
