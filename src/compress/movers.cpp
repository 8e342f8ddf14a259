#include "src/compress/movers.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "src/passes/rewriter.h"

namespace t2n::compress {
namespace {

/// Each has a rule of src/quant that does the same to steps.
constexpr std::string_view kWords[] = {"_reshape_alias",
                                       "_unsafe_view",
                                       "adaptive_max_pool1d",
                                       "adaptive_max_pool2d",
                                       "alias",
                                       "amax",
                                       "amin",
                                       "broadcast_to",
                                       "cat",
                                       "chunk",
                                       "clone",
                                       "concat",
                                       "contiguous",
                                       "detach",
                                       "diagonal",
                                       "expand",
                                       "flatten",
                                       "flip",
                                       "gather",
                                       "index_select",
                                       "max_pool1d",
                                       "max_pool2d",
                                       "max_pool3d",
                                       "movedim",
                                       "narrow",
                                       "permute",
                                       "pixel_shuffle",
                                       "pixel_unshuffle",
                                       "relu",
                                       "repeat",
                                       "reshape",
                                       "roll",
                                       "select",
                                       "slice",
                                       "split",
                                       "split_with_sizes",
                                       "squeeze",
                                       "swapaxes",
                                       "t",
                                       "tensor_split",
                                       "tile",
                                       "transpose",
                                       "unbind",
                                       "unflatten",
                                       "unsqueeze",
                                       "upsample_nearest1d",
                                       "upsample_nearest2d",
                                       "upsample_nearest3d",
                                       "view"};

bool is_zero_or_none(const ir::Attr* attr) {
  if (attr == nullptr || std::holds_alternative<ir::None>(*attr)) return true;
  if (const auto* number = std::get_if<double>(attr)) return *number == 0;
  const auto* dim = std::get_if<ir::Dim>(attr);
  return dim != nullptr && *dim == ir::Dim(0);
}

bool adds_zeros(const ir::Node& node) {
  const ir::Attr* mode = node.find("mode");
  const bool is_constant = mode == nullptr || *mode == ir::Attr(std::string("constant"));
  return is_constant && is_zero_or_none(node.find("value"));
}

}  // namespace

bool keeps_grid(const ir::Node& node) {
  if (!ir::op_name(node.op).starts_with("aten::") || node.body) return false;
  const std::string word = passes::base_word(node.op);
  if (word == "constant_pad_nd" || word == "pad") return adds_zeros(node);
  return std::find(std::begin(kWords), std::end(kWords), word) != std::end(kWords);
}

std::vector<ir::ValueId> moved_by(const ir::Graph& graph, const ir::Node& node) {
  std::vector<ir::ValueId> out;
  ir::for_each_input(node, [&](ir::ValueId id) {
    const ir::Value& value = graph.values[static_cast<size_t>(id)];
    if (ir::is_float(value.dtype) || value.quant) out.push_back(id);
  });
  return out;
}

std::vector<bool> dynamic_scales(const ir::Graph& graph) {
  std::vector<bool> out(graph.values.size());
  for (const ir::Node& node : graph.nodes) {
    bool found = ir::op_name(node.op).find("dynamic") != std::string_view::npos;
    ir::for_each_input(node,
                       [&](ir::ValueId id) { found = found || out[static_cast<size_t>(id)]; });
    for (const ir::ValueId id : node.outputs)
      out[static_cast<size_t>(id)] = found && graph.values[static_cast<size_t>(id)].quant;
  }
  return out;
}

}  // namespace t2n::compress
