// Finds an operation's rule; rules of elementwise operations.
#include "src/nnef_ops/shapes.h"

#include <array>
#include <limits>
#include <map>

#include "src/nnef_ops/shape_call.h"

namespace t2n::spec {
namespace {

using nnef::Kind;
using nnef::Value;

Shapes unary(const ShapeCall& call) { return {call.first_shape()}; }

Shapes broadcasting(const ShapeCall& call) {
  Ints out;
  for (const Ints& shape : call.operand_shapes()) out = broadcast(call, out, shape);
  return {out};
}

/// Later operands broadcast to the first one: the reference reader refuses a result of another
/// shape.
Shapes over_first(const ShapeCall& call) {
  const Shapes shapes = call.operand_shapes();
  for (const Ints& shape : shapes)
    call.require(broadcasts_to(shape, shapes[0]), "the shape ", shape_text(shape),
                 " does not broadcast to ", shape_text(shapes[0]));
  return {shapes[0]};
}

Shapes batch_normalization(const ShapeCall& call) {
  call.require(call.number("epsilon") >= 0, "'epsilon' is negative");
  return over_first(call);
}

Shapes quantize(const ShapeCall& call) {
  call.require(call.integer("bits") > 0, "'bits' is ", call.integer("bits"),
               ", and must be positive");
  return over_first(call);
}

constexpr std::array kElementwiseRows = {ShapeRow{"copy", unary},
                                         ShapeRow{"neg", unary},
                                         ShapeRow{"rcp", unary},
                                         ShapeRow{"exp", unary},
                                         ShapeRow{"log", unary},
                                         ShapeRow{"sin", unary},
                                         ShapeRow{"cos", unary},
                                         ShapeRow{"tan", unary},
                                         ShapeRow{"sinh", unary},
                                         ShapeRow{"cosh", unary},
                                         ShapeRow{"tanh", unary},
                                         ShapeRow{"asin", unary},
                                         ShapeRow{"acos", unary},
                                         ShapeRow{"atan", unary},
                                         ShapeRow{"asinh", unary},
                                         ShapeRow{"acosh", unary},
                                         ShapeRow{"atanh", unary},
                                         ShapeRow{"abs", unary},
                                         ShapeRow{"sign", unary},
                                         ShapeRow{"floor", unary},
                                         ShapeRow{"ceil", unary},
                                         ShapeRow{"round", unary},
                                         ShapeRow{"sqr", unary},
                                         ShapeRow{"sqrt", unary},
                                         ShapeRow{"rsqr", unary},
                                         ShapeRow{"rsqrt", unary},
                                         ShapeRow{"log2", unary},
                                         ShapeRow{"not", unary},
                                         ShapeRow{"cast", unary},
                                         ShapeRow{"sigmoid", unary},
                                         ShapeRow{"relu", unary},
                                         ShapeRow{"softplus", unary},
                                         ShapeRow{"gelu", unary},
                                         ShapeRow{"silu", unary},
                                         ShapeRow{"leaky_relu", unary},
                                         ShapeRow{"elu", unary},
                                         ShapeRow{"selu", unary},
                                         ShapeRow{"prelu", over_first},
                                         ShapeRow{"add", broadcasting},
                                         ShapeRow{"sub", broadcasting},
                                         ShapeRow{"mul", broadcasting},
                                         ShapeRow{"div", broadcasting},
                                         ShapeRow{"pow", broadcasting},
                                         ShapeRow{"min", broadcasting},
                                         ShapeRow{"max", broadcasting},
                                         ShapeRow{"lt", broadcasting},
                                         ShapeRow{"gt", broadcasting},
                                         ShapeRow{"le", broadcasting},
                                         ShapeRow{"ge", broadcasting},
                                         ShapeRow{"eq", broadcasting},
                                         ShapeRow{"ne", broadcasting},
                                         ShapeRow{"and", broadcasting},
                                         ShapeRow{"or", broadcasting},
                                         ShapeRow{"select", broadcasting},
                                         ShapeRow{"clamp", broadcasting},
                                         ShapeRow{"batch_normalization", batch_normalization},
                                         ShapeRow{"linear_quantize", quantize},
                                         ShapeRow{"min_max_linear_quantize", quantize},
                                         ShapeRow{"zero_point_linear_quantize", quantize},
                                         ShapeRow{"logarithmic_quantize", quantize}};

using Rules = std::map<std::string_view, ShapeRule>;

const Rules& standard_rules() {
  static const Rules rules = [] {
    Rules out;
    for (const std::span<const ShapeRow> rows :
         {elementwise_shapes(), window_shapes(), structure_shapes(), other_shapes()})
      for (const ShapeRow& row : rows) out.emplace(row.operation, row.rule);
    return out;
  }();
  return rules;
}

bool fits(int64_t number) {
  return number >= std::numeric_limits<int32_t>::min() &&
         number <= std::numeric_limits<int32_t>::max();
}

/// Beyond 32 bits, readers silently wrap numbers; within, no formula overflows 64 bits.
void check_numbers(const std::string& operation, const Value& value) {
  if (value.kind == Kind::integer && !fits(value.integer))
    throw Error("nnef-invalid",
                cat(quoted(operation), ": the integer ", value.integer, " does not fit 32 bits"));
  for (const Value& item : value.items) check_numbers(operation, item);
}

void check_extents(const std::string& operation, const Shapes& shapes) {
  for (const Ints& shape : shapes)
    for (const int64_t extent : shape)
      if (!fits(extent))
        throw Error("nnef-invalid", cat(quoted(operation), ": the extent ", extent,
                                        " of its result does not fit 32 bits"));
}

bool is_known(const Value& value, const ShapeOf& shape_of) {
  if (value.kind == Kind::identifier) return shape_of(value.text) != nullptr;
  for (const Value& item : value.items)
    if (!is_known(item, shape_of)) return false;
  return true;
}

}  // namespace

std::span<const ShapeRow> elementwise_shapes() { return kElementwiseRows; }

ShapeRule standard_rule(std::string_view operation) {
  const auto found = standard_rules().find(operation);
  T2N_ASSERT(found != standard_rules().end(), "no shape rule for ", operation);
  return found->second;
}

std::optional<Shapes> infer_shapes(const nnef::Fragment& declaration, const Arguments& arguments,
                                   const ShapeOf& shape_of) {
  const ShapeRule rule = standard_rule(declaration.name);
  for (const Value* argument : arguments) check_numbers(declaration.name, *argument);
  for (const Value* argument : arguments)
    if (!is_known(*argument, shape_of)) return std::nullopt;
  Shapes out = rule(ShapeCall(declaration, arguments, shape_of));
  check_extents(declaration.name, out);
  return out;
}

}  // namespace t2n::spec
