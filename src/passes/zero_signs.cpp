#include "src/passes/zero_signs.h"

#include <algorithm>
#include <array>

#include "ir/op_traits.h"
#include "ir/scan.h"
#include "src/diag/one_of.h"

namespace t2n::passes {
namespace {

using ir::Node;
using ir::ValueId;

/// Operations that start with zero and add products.
bool sums_products(std::string_view name) {
  constexpr std::array<std::string_view, 27> kNames = {"linear",
                                                       "matmul",
                                                       "mm",
                                                       "bmm",
                                                       "mv",
                                                       "dot",
                                                       "addmm",
                                                       "addmv",
                                                       "addbmm",
                                                       "baddbmm",
                                                       "einsum",
                                                       "conv1d",
                                                       "conv2d",
                                                       "conv3d",
                                                       "convolution",
                                                       "_convolution",
                                                       "conv_transpose1d",
                                                       "conv_transpose2d",
                                                       "conv_transpose3d",
                                                       "lstm",
                                                       "gru",
                                                       "rnn_tanh",
                                                       "rnn_relu",
                                                       "lstm_cell",
                                                       "gru_cell",
                                                       "rnn_tanh_cell",
                                                       "rnn_relu_cell"};
  return is_one_of(name, kNames);
}

/// Operations in which the sign of a zero only affects signs of zeros: they propagate or drop it.
bool propagates_sign(std::string_view name) {
  constexpr std::array<std::string_view, 37> kNames = {
      "mul",     "add",       "sub",        "rsub",      "neg",          "cast",   "to",
      "abs",     "view",      "reshape",    "permute",   "transpose",    "t",      "unsqueeze",
      "squeeze", "flatten",   "slice",      "select",    "narrow",       "chunk",  "split",
      "unbind",  "clone",     "contiguous", "detach",    "movedim",      "cat",    "stack",
      "alias",   "unflatten", "expand",     "embedding", "index_select", "gather", "round",
      "clamp",   "hardtanh"};
  return is_one_of(name, kNames);
}

}  // namespace

ZeroSigns::ZeroSigns(const ir::Graph& graph)
    : readers_(graph.values.size()), is_output_(graph.values.size()) {
  for (const Node& node : graph.nodes)
    ir::for_each_input(node, [&](ValueId id) {
      if (id != ir::kNoValue) readers_[id].push_back(&node);
    });
  for (const ValueId id : graph.outputs) is_output_[id] = true;
}

bool ZeroSigns::exposes(ValueId id) const {
  std::vector<bool> seen(readers_.size());
  std::vector<ValueId> pending = {id};
  while (!pending.empty()) {
    const ValueId at = pending.back();
    pending.pop_back();
    if (seen.at(at)) continue;
    seen[at] = true;
    if (is_output_[at]) return true;
    for (const Node* reader : readers_[at]) switch (effect(*reader, at)) {
        case Effect::exposes: return true;
        case Effect::propagates:
          pending.insert(pending.end(), reader->outputs.begin(), reader->outputs.end());
          break;
        case Effect::drops: break;
      }
  }
  return false;
}

ZeroSigns::Effect ZeroSigns::effect(const Node& reader, ValueId id) {
  if (reader.body) return exposes_in_body(reader, id) ? Effect::exposes : Effect::drops;
  const std::string_view name = ir::op_short_name(reader.op);
  if (sums_products(name)) return Effect::drops;
  if (ir::has_trait(name, ir::OpTrait::predicate))
    return name == "signbit" ? Effect::exposes : Effect::drops;
  const bool is_numerator = name == "div" && ir::operand(reader, "other") != id;
  return is_numerator || propagates_sign(name) ? Effect::propagates : Effect::exposes;
}

/// Whether a loop's body exposes the sign of a zero in an operand.
bool ZeroSigns::exposes_in_body(const Node& loop, ValueId id) {
  const ir::Scan scan = ir::read_scan(loop);
  const auto is_among = [&](const std::vector<ValueId>& ids) {
    return std::find(ids.begin(), ids.end(), id) != ids.end();
  };
  if (is_among(scan.initial)) return true;
  const ZeroSigns inside(*loop.body);
  for (size_t i = 0; i < scan.scanned.size(); ++i)
    if (scan.scanned[i] == id && inside.exposes(loop.body->inputs.at(scan.scanned_input(i))))
      return true;
  for (size_t i = 0; i < scan.captured.size(); ++i)
    if (scan.captured[i] == id && inside.exposes(loop.body->inputs.at(scan.captured_input(i))))
      return true;
  return false;
}

}  // namespace t2n::passes
