#include "src/dynamic/shape_rule.h"

#include <utility>

#include "src/diag/error.h"
#include "src/diag/headline.h"
#include "src/diag/one_of.h"

namespace t2n::dynamic {

using ir::Dim;
using ir::Shape;

ShapeRules::ShapeRules(Predicate is_elementwise) : is_elementwise_(std::move(is_elementwise)) {
  for (const auto family : {add_elementwise_rules, add_reduce_rules, add_view_rules,
                            add_split_rules, add_join_rules, add_index_rules, add_creation_rules,
                            add_conv_pool_rules, add_resize_rules, add_matmul_rules, add_norm_rules,
                            add_loss_rules, add_signal_rules, add_rnn_attention_rules})
    family(*this);
}

void ShapeRules::add(ShapeRule rule, std::string_view names, const std::source_location& location) {
  for_each_word(names, [&](std::string_view name) {
    const bool is_full = name.find("::") != std::string_view::npos;
    const ir::OpId op = ir::op_id(is_full ? std::string(name) : cat("aten::", name));
    T2N_ASSERT(!is_elementwise_(op), ir::op_name(op), " is elementwise and needs no rule");
    rules_.set(op, rule, cat(location.file_name(), ":", location.line()));
  });
}

ShapeRule ShapeRules::find(ir::OpId op) const {
  if (const ShapeRule* rule = rules_.find(op)) return *rule;
  if (is_elementwise_(op)) return broadcast;
  const std::string_view name = ir::op_name(op);
  const size_t dot = name.find('.');
  return dot == std::string_view::npos ? nullptr : find(ir::op_id(name.substr(0, dot)));
}

RuleResult apply_shape_rule(ShapeRule rule, const ShapeView& op) {
  try {
    RuleResult out{rule(op), {}, false};
    for (Shape& shape : out.shapes)
      for (Dim& dim : shape) dim = op.constraints().simplified(dim);
    if (out.shapes.size() != op.outputs())
      return {{}, cat(out.shapes.size(), " shapes for ", op.outputs(), " outputs"), true};
    return out;
  } catch (const Error& error) {
    const Diagnostic& refusal = error.diagnostic();
    const bool is_known = refusal.id == "dynamic-size";
    return {{}, is_known ? refusal.why : headline(refusal), !is_known};
  } catch (const std::exception& error) {  // an argument of another type, or an index out of range
    return {{}, error.what(), true};
  }
}

Dim unbacked_size() { return Dim::symbol(Symbol::Unbacked{}); }

Dim product(const Shape& dims) {
  Dim out = 1;
  for (const Dim& dim : dims) out = out * dim;
  return out;
}

Dim ceil_div(const Dim& a, const Dim& b) { return floor_div(a + b - 1, b); }

int dim_rank(const Shape& shape) { return shape.empty() ? 1 : static_cast<int>(shape.size()); }

bool is_mask(ir::DType dtype) { return dtype == ir::DType::boolean || dtype == ir::DType::u8; }

Shape atleast_nd(Shape shape, size_t rank) {
  if (rank >= 1 && shape.empty()) shape = {1};
  if (rank >= 2 && shape.size() == 1) shape = {1, shape[0]};
  if (rank >= 3 && shape.size() == 2) shape.push_back(1);
  return shape;
}

Shape with_dim(Shape shape, int axis, const Dim& size) {
  if (!shape.empty()) shape.at(axis) = size;
  return shape;
}

Shape without(const Shape& shape, const ir::Ints& axes, bool keepdim) {
  Shape out;
  for (size_t i = 0; i < shape.size(); ++i) {
    const bool is_removed =
        std::find(axes.begin(), axes.end(), static_cast<int64_t>(i)) != axes.end();
    if (!is_removed) out.push_back(shape[i]);
    if (is_removed && keepdim) out.push_back(1);
  }
  return out;
}

Shape last_dims(const Shape& shape, size_t count) {
  T2N_ASSERT(count <= shape.size(), "a rank of ", shape.size());
  return {shape.end() - static_cast<std::ptrdiff_t>(count), shape.end()};
}

Shape all_but_last(const Shape& shape, size_t count) {
  T2N_ASSERT(count <= shape.size(), "a rank of ", shape.size());
  return {shape.begin(), shape.end() - static_cast<std::ptrdiff_t>(count)};
}

Shapes broadcast(const ShapeView& op) { return repeated(op, op.broadcast(op.operands())); }

Shapes same(const ShapeView& op) { return repeated(op, op.first()); }

Shapes repeated(const ShapeView& op, const Shape& shape) { return Shapes(op.outputs(), shape); }

}  // namespace t2n::dynamic
