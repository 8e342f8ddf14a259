// SPDX-License-Identifier: Apache-2.0
#include "src/loops/masked_body.h"

#include <algorithm>
#include <array>

#include "src/diag/error.h"
#include "src/diag/one_of.h"
#include "src/loops/iteration.h"

namespace t2n::loops {
namespace {

using ir::Dim;
using ir::Node;
using ir::TensorRef;
using ir::ValueId;

/// Operations whose elements depend on the elements of the operands at the same position, by short
/// name. None fails for any value of a float.
constexpr std::array<std::string_view, 55> kByElement = {
    "add",         "sub",        "rsub",        "mul",         "div",     "neg",     "abs",
    "exp",         "exp2",       "expm1",       "log",         "log1p",   "log2",    "sqrt",
    "rsqrt",       "square",     "reciprocal",  "pow",         "tanh",    "sigmoid", "relu",
    "relu6",       "gelu",       "silu",        "elu",         "selu",    "celu",    "leaky_relu",
    "softplus",    "hardtanh",   "hardswish",   "hardsigmoid", "mish",    "erf",     "sin",
    "cos",         "clamp",      "clamp_min",   "clamp_max",   "maximum", "minimum", "where",
    "masked_fill", "eq",         "ne",          "lt",          "le",      "gt",      "ge",
    "logical_and", "logical_or", "logical_not", "sign",        "to",      "cast"};

/// Rounded quotients of integers fail for zeros.
bool is_elementwise(const Node& node, ir::DType dtype) {
  const std::string_view name = ir::op_short_name(node.op);
  if (name == "max" || name == "min") return node.find("other") != nullptr;
  return is_one_of(name, kByElement) && (name != "div" || ir::is_float(dtype));
}

int64_t from_front(int64_t axis, int64_t rank) { return axis < 0 ? axis + rank : axis; }

int64_t dim_or(const Node& node, std::string_view name, int64_t otherwise) {
  const Dim* const dim = dim_of(node, name);
  return dim == nullptr ? otherwise : dim->value();
}

/// For each axis of the operand its position in the result, of operations that move axes or work
/// along one. -1: the operation combines or selects the elements of the axis.
std::optional<ir::Ints> order_of(const Node& node, int64_t rank) {
  const std::string_view op = ir::op_short_name(node.op);
  ir::Ints out(rank);
  for (int64_t axis = 0; axis < rank; ++axis) out[axis] = axis;
  if (op == "transpose" || op == "t") {
    if (op == "t" && rank != 2) return out;
    std::swap(out[from_front(dim_or(node, "dim0", 0), rank)],
              out[from_front(dim_or(node, "dim1", 1), rank)]);
    return out;
  }
  if (op == "permute") {
    const ir::Ints dims = [&] {
      ir::Ints each;
      for (const Dim& dim : ir::dims(*node.find("dims"))) each.push_back(dim.value());
      return each;
    }();
    for (size_t i = 0; i < dims.size(); ++i)
      out[from_front(dims[i], rank)] = static_cast<int64_t>(i);
    return out;
  }
  if (op == "unsqueeze") {
    const int64_t dim = from_front(dim_or(node, "dim", 0), rank + 1);
    for (int64_t& axis : out) axis += axis >= dim ? 1 : 0;
    return out;
  }
  if (op == "layer_norm") {
    const int64_t normalised = std::ssize(ir::dims(*node.find("normalized_shape")));
    for (int64_t axis = rank - normalised; axis < rank; ++axis) out[axis] = -1;
    return out;
  }
  const bool drops = op == "select" || (op == "squeeze" && node.find("dim") != nullptr);
  if (!drops && op != "slice" && op != "narrow" && op != "cumsum") return std::nullopt;
  const int64_t dim = from_front(dim_or(node, "dim", 0), rank);
  for (int64_t& axis : out) axis -= drops && axis > dim ? 1 : 0;
  out[dim] = -1;
  return out;
}

/// Letters for the axes of a matrix product. Batch axes have capitals, from the last one.
std::optional<std::vector<std::string>> product_labels(const Node& node, int64_t a, int64_t b) {
  constexpr std::array<std::string_view, 5> kProducts = {"matmul", "bmm", "mm", "mv", "dot"};
  const std::string_view op = ir::op_short_name(node.op);
  const auto batch = [](int64_t count) {
    std::string out;
    for (int64_t i = count; i-- > 0;) out += static_cast<char>('A' + i);
    return out;
  };
  if (op == "linear") return {{batch(a - 1) + "k", "nk", batch(a - 1) + "n"}};
  if (!is_one_of(op, kProducts) || a < 1 || b < 1) return std::nullopt;
  const std::string wide = batch(std::max<int64_t>({a - 2, b - 2, 0}));
  return {{batch(std::max<int64_t>(a - 2, 0)) + (a > 1 ? "mk" : "k"),
           batch(std::max<int64_t>(b - 2, 0)) + (b > 1 ? "kn" : "k"),
           wide + (a > 1 ? "m" : "") + (b > 1 ? "n" : "")}};
}

/// The letters of an equation; nothing if one is implicit.
std::optional<std::vector<std::string>> equation_labels(const Node& node) {
  const ir::Attr* const attr = node.find("equation");
  if (attr == nullptr || !std::holds_alternative<std::string>(*attr)) return std::nullopt;
  std::vector<std::string> out = {""};
  const std::string& text = std::get<std::string>(*attr);
  const size_t arrow = text.find("->");
  if (arrow == std::string::npos || text.find('.') != std::string::npos) return std::nullopt;
  for (const char c : text.substr(0, arrow))
    if (c == ',')
      out.emplace_back();
    else if (c != ' ')
      out.back() += c;
  out.emplace_back();
  for (const char c : text.substr(arrow + 2))
    if (c != ' ') out.back() += c;
  return out;
}

std::vector<ValueId> inputs_of(const Node& node) {
  std::vector<ValueId> out;
  ir::for_each_input(node, [&](ValueId id) { out.push_back(id); });
  return out;
}

}  // namespace

void MaskedBody::refuse(const Node& node, std::string why) const {
  refuse_loop(
      outer_, node, std::move(why),
      "reduce the part with sum, mean, max, softmax or a product, or mask the whole axis by "
      "positions");
}

const MaskedAxes* MaskedBody::find(ValueId id) const {
  const auto found = masked_.find(id);
  return found == masked_.end() ? nullptr : &found->second;
}

void MaskedBody::set(ValueId id, MaskedAxes axes) {
  if (!axes.empty()) masked_[id] = std::move(axes);
}

bool MaskedBody::reads_any(const Node& node) const {
  const std::vector<ValueId> ids = inputs_of(node);
  return std::any_of(ids.begin(), ids.end(), [this](ValueId id) { return differs(id); });
}

std::vector<ValueId> MaskedBody::add(Node node, std::span<const ir::Value> results) {
  const bool shifts = gives_shifted_index(node);
  const MaskedAxes axes = results_of(node, results);
  const std::vector<ValueId> out = append(std::move(node), results, axes);
  if (shifts) shifted_.insert(out.back());
  return out;
}

std::vector<ValueId> MaskedBody::append(Node node, std::span<const ir::Value> results,
                                        const MaskedAxes& axes) {
  node.outputs.clear();
  for (const ir::Value& result : results) {
    ir::Value value = result;
    for (const auto& [axis, mask] : axes) value.shape.at(axis) = shape(mask.inside)[0];
    node.outputs.push_back(body_.value_like(value));
    set(node.outputs.back(), axes);
  }
  std::vector<ValueId> out = node.outputs;
  body_.graph().nodes.push_back(std::move(node));
  return out;
}

/// The masks of the results. May mask operands, and change the operation.
MaskedAxes MaskedBody::results_of(Node& node, std::span<const ir::Value> results) {
  const std::vector<ValueId> ids = inputs_of(node);
  const std::string_view op = ir::op_short_name(node.op);
  if (std::any_of(ids.begin(), ids.end(), [&](ValueId id) { return shifted_.contains(id); }))
    refuse(node, "it reads an index into a part that does not begin with the first element");
  if (is_elementwise(node, results[0].dtype))
    return elementwise(node, std::ssize(results[0].shape));
  if (is_reduction(node)) return reduced(node, results);
  if (op == "scaled_dot_product_attention") return attention(node);
  const auto labels = op == "einsum"
                          ? equation_labels(node)
                          : product_labels(node, rank(ids[0]), ids.size() > 1 ? rank(ids[1]) : 0);
  if (labels) return contracted(node, *labels);
  if (op == "select")
    if (const auto axes = select_end(node)) return *axes;
  if (const auto order = order_of(node, rank(ids[0]))) return moved(node, *order);
  refuse(node, cat(ir::op_name(node.op),
                   " reads a part of an axis whose length changes from "
                   "iteration to iteration"));
}

/// The mask, broadcast along axes after `axis` of a tensor of that rank.
ValueId MaskedBody::aligned(const MaskedAxis& mask, int64_t axis, int64_t rank,
                            const Node& origin) {
  const auto [known, is_new] = aligned_.try_emplace({mask.inside, rank - 1 - axis}, mask.inside);
  if (!is_new) return known->second;
  ValueId out = mask.inside;
  ir::Shape line = shape(mask.inside);
  for (int64_t i = axis + 1; i < rank; ++i) {
    line.emplace_back(1);
    out = body_.node("aten::unsqueeze",
                     {{"self", TensorRef{out}}, {"dim", Dim(std::ssize(line) - 1)}},
                     ir::DType::boolean, line, origin);
  }
  return known->second = out;
}

/// The tensor with a number outside of the parts along these axes.
ValueId MaskedBody::filled(ValueId id, const ir::Ints& axes, double value, const Node& origin) {
  const ir::Value like = body_.graph().values[id];
  const MaskedAxes masks = *find(id);
  const ValueId number = body_.value("outside", like.dtype, {});
  body_.graph().constants.push_back({number, ir::scalar_tensor(value, like.dtype)});
  ValueId out = id;
  for (const int64_t axis : axes) {
    const ValueId mask = aligned(masks.at(axis), axis, rank(id), origin);
    out = body_.node(
        "aten::where.self",
        {{"condition", TensorRef{mask}}, {"self", TensorRef{out}}, {"other", TensorRef{number}}},
        like.dtype, like.shape, origin);
    body_.graph().nodes.back().compute_dtype = like.dtype;
  }
  set(out, masks);
  return out;
}

/// Whether both have the same elements inside, which requires that their axes are equally long.
bool MaskedBody::are_equal(const MaskedAxis& a, const MaskedAxis& b) {
  if (a.inside == b.inside) return true;
  if (a.range != b.range || shape(a.inside) != shape(b.inside)) return false;
  equal_.insert(std::minmax(a.inside, b.inside));
  return true;
}

MaskedAxes MaskedBody::elementwise(const Node& node, int64_t result_rank) {
  MaskedAxes out;
  const std::vector<ValueId> ids = inputs_of(node);
  for (const ValueId id : ids)
    for (const auto& [axis, mask] : find(id) == nullptr ? MaskedAxes() : *find(id))
      if (const auto [known, is_new] = out.emplace(axis + result_rank - rank(id), mask);
          !is_new && !are_equal(known->second, mask))
        refuse(node, cat(ir::op_name(node.op), " combines different parts of an axis"));
  for (const ValueId id : ids)
    for (const auto& [axis, mask] : out) {
      const int64_t own = axis + rank(id) - result_rank;
      const bool is_masked = find(id) != nullptr && find(id)->contains(own);
      if (own >= 0 && !is_masked && !(shape(id)[own] == Dim(1)))
        refuse(node, cat(ir::op_name(node.op), " combines a part of an axis with another tensor"));
    }
  return out;
}

/// x[:, :t + 1][:, -1]: the first or the last element of a part that begins with the axis.
std::optional<MaskedAxes> MaskedBody::select_end(Node& node) {
  const ValueId self = ir::operand(node, "self");
  const int64_t axis = axis_of(node, rank(self));
  const MaskedAxes masks = *find(self);
  const auto mask = masks.find(axis);
  const Dim* const index = dim_of(node, "index");
  const bool is_last = index != nullptr && *index == Dim(-1);
  if (mask == masks.end() || !mask->second.is_prefix || index == nullptr ||
      (!is_last && !(*index == Dim(0))))
    return std::nullopt;
  never_empty_.insert(mask->second.inside);
  MaskedAxes out;
  for (const auto& [other, each] : masks)
    if (other != axis) out.emplace(other - (other > axis ? 1 : 0), each);
  if (!is_last) return out;
  const ValueId number = count(mask->second, ir::DType::i64, node);
  const ValueId last = body_.node(
      "aten::sub.Scalar", {{"self", TensorRef{number}}, {"other", Dim(1)}, {"alpha", Dim(1)}},
      ir::DType::i64, {}, node);
  body_.graph().nodes.back().compute_dtype = ir::DType::i64;
  const ValueId line = body_.node("aten::unsqueeze", {{"self", TensorRef{last}}, {"dim", Dim(0)}},
                                  ir::DType::i64, {Dim(1)}, node);
  const ir::Value like = body_.graph().values[self];
  ir::Shape row = like.shape;
  row[axis] = 1;
  const ValueId element =
      body_.node("aten::index_select",
                 {{"self", TensorRef{self}}, {"dim", Dim(axis)}, {"index", TensorRef{line}}},
                 like.dtype, row, node);
  node.op = ir::op_id("aten::squeeze.dim");
  node.args = {{"self", TensorRef{element}}, {"dim", Dim(axis)}};
  return out;
}

MaskedAxes MaskedBody::moved(const Node& node, const ir::Ints& order) const {
  const std::vector<ValueId> ids = inputs_of(node);
  MaskedAxes out;
  const bool is_first =
      find(ids[0]) != nullptr &&
      std::none_of(ids.begin() + 1, ids.end(), [this](ValueId id) { return find(id) != nullptr; });
  for (const auto& [axis, mask] : is_first ? *find(ids[0]) : MaskedAxes())
    if (order[axis] >= 0) out.emplace(order[axis], mask);
  if (!is_first || out.size() != find(ids[0])->size())
    refuse(node, cat(ir::op_name(node.op),
                     " works along an axis of which each iteration has "
                     "another part"));
  return out;
}

MaskedAxes MaskedBody::contracted(Node& node, const Labels& labels) {
  std::vector<ValueId> ids = inputs_of(node);
  MaskedAxes out;
  std::map<char, MaskedAxis> masks;
  for (size_t i = 0; i < ids.size(); ++i)
    for (const auto& [axis, mask] : find(ids[i]) == nullptr ? MaskedAxes() : *find(ids[i])) {
      if (i + 1 >= labels.size())
        refuse(node, cat(ir::op_name(node.op), " adds a part of an axis"));
      if (const auto [known, is_new] = masks.emplace(labels[i].at(axis), mask);
          !is_new && !are_equal(known->second, mask))
        refuse(node, cat(ir::op_name(node.op), " combines different parts of an axis"));
    }
  for (size_t i = 0; i + 1 < labels.size(); ++i) {
    ir::Ints summed;
    for (int64_t axis = 0; axis < std::ssize(labels[i]); ++axis) {
      const auto mask = masks.find(labels[i][axis]);
      if (mask == masks.end()) continue;
      const bool is_masked = find(ids[i]) != nullptr && find(ids[i])->contains(axis);
      if (!is_masked && !(shape(ids[i]).at(axis) == Dim(1)))
        refuse(node, cat(ir::op_name(node.op), " combines a part of an axis with another tensor"));
      if (is_masked && labels.back().find(mask->first) == std::string::npos) summed.push_back(axis);
    }
    if (!summed.empty()) ids[i] = filled(ids[i], summed, 0, node);
  }
  size_t next = 0;
  for (ir::Argument& arg : node.args)
    ir::change_refs(arg.value, [&](ValueId& id) { id = ids[next++]; });
  for (size_t axis = 0; axis < labels.back().size(); ++axis)
    if (const auto mask = masks.find(labels.back()[axis]); mask != masks.end())
      out.emplace(static_cast<int64_t>(axis), mask->second);
  return out;
}

/// Attention to a part of the keys: the others are masked.
MaskedAxes MaskedBody::attention(Node& node) {
  const ValueId query = ir::operand(node, "query");
  const ir::Attr* const attn_mask = node.find("attn_mask");
  const bool has_mask = attn_mask != nullptr && !std::holds_alternative<ir::None>(*attn_mask);
  std::optional<MaskedAxis> mask;
  for (const std::string_view name : {"key", "value"}) {
    const ValueId id = ir::operand(node, name);
    const MaskedAxes* const masks = find(id);
    const bool is_alone = masks != nullptr && masks->size() == 1 && masks->contains(rank(id) - 2);
    const auto own = is_alone ? std::optional(masks->begin()->second) : std::nullopt;
    if (!own || (mask && !are_equal(*mask, *own)) || find(query) != nullptr || has_mask ||
        std::get<bool>(*node.find("is_causal")))
      refuse(node, "attention reads parts of axes other than that of its keys, or has a mask");
    mask = own;
  }
  never_empty_.insert(mask->inside);
  const ir::Shape row = {Dim(1), shape(mask->inside)[0]};
  const ValueId keys =
      body_.node("aten::unsqueeze", {{"self", TensorRef{mask->inside}}, {"dim", Dim(0)}},
                 ir::DType::boolean, row, node);
  for (ir::Argument& arg : node.args) {
    if (arg.name == "attn_mask") arg.value = TensorRef{keys};
    if (arg.name != "key" && arg.name != "value") continue;
    const ValueId id = std::get<TensorRef>(arg.value).id;
    arg.value = TensorRef{filled(id, {rank(id) - 2}, 0, node)};
  }
  return {};
}

}  // namespace t2n::loops
