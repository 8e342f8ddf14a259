// Whether two graphs compute their outputs alike, whatever the values are.
#include <array>
#include <map>
#include <set>
#include <string>

#include "ir/op_traits.h"
#include "src/diag/error.h"
#include "src/diag/one_of.h"
#include "src/dynamic/same.h"

namespace t2n::dynamic {
namespace {

using ir::Dim;

/// Numbers values by what computes them, as if operations that only move elements gave their
/// operand. Sizes do not count: they have other forms in other runs.
class Computations {
 public:
  std::vector<int> outputs(const ir::Graph& graph) {
    std::map<ir::ValueId, int> of;
    for (size_t i = 0; i < graph.inputs.size(); ++i) of[graph.inputs[i]] = number(cat("input ", i));
    for (const ir::Constant& constant : graph.constants)
      of[constant.value] = number(graph.values[static_cast<size_t>(constant.value)].name);
    for (const ir::Node& node : graph.nodes) {
      const std::string text = written(node, of);
      for (size_t i = 0; i < node.outputs.size(); ++i)
        of[node.outputs[i]] = moves(node) ? moved(node, of) : number(cat(text, " ", i));
    }
    std::vector<int> out;
    for (const ir::ValueId id : graph.outputs) out.push_back(of.at(id));
    return out;
  }

 private:
  static bool moves(const ir::Node& node) {
    constexpr std::array<std::string_view, 9> kBesides = {
        "pad",   "constant_pad_nd", "cat",  "concat",  "stack",
        "zeros", "new_zeros",       "full", "new_full"};
    const std::string_view word = ir::op_short_name(node.op);
    return ir::has_trait(word, ir::OpTrait::moves_elements) || is_one_of(word, kBesides);
  }

  int number(const std::string& text) {
    return numbers_.try_emplace(text, static_cast<int>(numbers_.size()) + 1).first->second;
  }

  /// What its elements are taken from; 0 for constants that it sets by itself.
  int moved(const ir::Node& node, const std::map<ir::ValueId, int>& of) {
    std::set<int> from;
    for (const ir::Argument& argument : node.args)
      ir::attr_str(argument.value, [&](ir::ValueId id) {
        if (id != ir::kNoValue && of.at(id) != 0) from.insert(of.at(id));
        return std::string();
      });
    if (from.size() < 2) return from.empty() ? 0 : *from.begin();
    std::string all = "moved";
    for (const int each : from) all += cat(" ", each);
    return number(all);
  }

  std::string written(const ir::Node& node, const std::map<ir::ValueId, int>& of) {
    const auto is_open = [](const Dim& size) { return !size.is_constant(); };
    std::string text(ir::op_name(node.op));
    for (const ir::Argument& argument : node.args) {
      const auto* size = std::get_if<Dim>(&argument.value);
      const auto* sizes = std::get_if<std::vector<Dim>>(&argument.value);
      const bool has_size =
          (size != nullptr && is_open(*size)) ||
          (sizes != nullptr && std::any_of(sizes->begin(), sizes->end(), is_open));
      text += cat(" ", argument.name, "=",
                  has_size ? "size" : ir::attr_str(argument.value, [&](ir::ValueId id) {
                    return id == ir::kNoValue ? std::string("none") : cat("#", of.at(id));
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
