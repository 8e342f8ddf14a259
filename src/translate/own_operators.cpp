// SPDX-License-Identifier: Apache-2.0
#include "src/translate/own_operators.h"

#include <algorithm>

#include "src/diag/error.h"
#include "src/extend/own_call.h"
#include "src/extend/own_plugins.h"
#include "src/translate/registry.h"

namespace t2n::ops {
namespace {

using extend::OwnCall;
using extend::OwnOperator;
using shapes::ShapeView;

const OwnOperator& own_of(std::string_view op) {
  const OwnOperator* const found = extend::extensions().find(op);
  T2N_ASSERT(found != nullptr, "no fragment stands for ", op);
  return *found;
}

double scalar_of(const OpView& op, std::string_view name) { return op.f64(name); }
double scalar_of(const ShapeView& op, std::string_view name) {
  const auto known = op.f64(name);
  if (!known) op.unknown("a number among its arguments depends on sizes");
  return *known;
}
Ints ints_of(const OpView& op, std::string_view name) { return op.ints(name); }
Ints ints_of(const ShapeView& op, std::string_view name) { return ir::static_shape(op.dims(name)); }
template <typename Item, typename Make>
nnef::Value list_of(const std::vector<Item>& items, const Make& make) {
  nnef::Values out;
  for (const Item& item : items) out.push_back(make(item));
  return nnef::array(std::move(out));
}

template <typename View>
nnef::Value literal_of(const View& op, const nnef::Parameter& parameter) {
  const std::string& name = parameter.name;
  if (parameter.type == "scalar") return nnef::scalar(scalar_of(op, name));
  if (parameter.type == "integer") return nnef::integer(op.i64(name));
  if (parameter.type == "logical") return nnef::logical(op.boolean(name));
  if (parameter.type == "string") return nnef::string(op.str(name));
  if (parameter.type == "integer[]") return list_of(ints_of(op, name), nnef::integer);
  T2N_ASSERT(parameter.type == "scalar[]", "a parameter of the type ", parameter.type);
  return list_of(op.f64s(name), nnef::scalar);
}

// A call as a plugin reads it.

bool is_set(const OpView& op, std::string_view name) {
  return op.has_argument(name) && !op.is_none(name);
}
bool is_set(const ShapeView& op, std::string_view name) { return op.has(name); }

bool is_tensor_list(const OpView& op, std::string_view name) {
  try {
    op.tensors(name);
    return true;
  } catch (const Error&) {
    return false;
  }
}

/// Errors and other exceptions are caught by the caller: the argument has another type.
template <typename View, typename ReadTensor, typename ReadTensors>
t2nnef_call plugin_call(const View& op, const ReadTensor& read_tensor,
                        const ReadTensors& read_tensors) {
  return {
      .tensor = [&op, read_tensor](std::string_view name) -> std::optional<t2nnef_call::Tensor> {
        if (!is_set(op, name) || !op.is_tensor(name)) return std::nullopt;
        return read_tensor(name);
      },
      .number = [&op](std::string_view name) -> std::optional<double> {
        if (!is_set(op, name) || op.is_tensor(name)) return std::nullopt;
        return scalar_of(op, name);
      },
      .text = [&op](std::string_view name) -> std::optional<std::string> {
        if (!is_set(op, name) || op.is_tensor(name)) return std::nullopt;
        return op.str(name);
      },
      .tensors = [&op, read_tensors](
                     std::string_view name) -> std::optional<std::vector<t2nnef_call::Tensor>> {
        if (!is_set(op, name) || op.is_tensor(name)) return std::nullopt;
        return read_tensors(name);
      },
      .numbers = [&op](std::string_view name) -> std::optional<std::vector<double>> {
        if (!is_set(op, name) || op.is_tensor(name)) return std::nullopt;
        return op.f64s(name);
      }};
}

t2nnef_call plugin_call(const OpView& op, const Emitter& out) {
  const auto typed = [&out](const Ref ref) {
    return t2nnef_call::Tensor{out.dtype(ref), out.shape(ref)};
  };
  return plugin_call(
      op, [&op, typed](std::string_view name) { return typed(op.tensor(name)); },
      [&op, typed](std::string_view name) {
        std::vector<t2nnef_call::Tensor> list;
        for (const Ref ref : op.tensors(name)) list.push_back(typed(ref));
        return list;
      });
}
t2nnef_call plugin_call(const ShapeView& op) {
  return plugin_call(
      op,
      [&op](std::string_view name) {
        return t2nnef_call::Tensor{op.dtype(name), op.shape(name)};
      },
      [&op](std::string_view name) {
        const Shapes shapes = op.shapes(name);
        std::vector<t2nnef_call::Tensor> list;
        for (size_t i = 0; i < shapes.size(); ++i)
          list.push_back({op.dtypes(name).at(i), shapes[i]});
        return list;
      });
}

/// The fragment of a call, and literals for its parameters that are no arguments.
struct Chosen {
  OwnOperator own;
  std::vector<nnef::Argument> literals;
};

template <typename... View>
Chosen chosen_for(const OwnOperator& own, const View&... view) {
  if (own.plugin == nullptr) return {own, {}};
  t2nnef_call call = plugin_call(view...);
  const nnef::Fragment& fragment = extend::fragment_of(own, call);
  return {{own.op, fragment, own.plugin}, std::move(call.literals)};
}

/// A fragment that a plugin names need not fit the operator.
void require_arguments(const Chosen& chosen, const OpView& op) {
  for (const nnef::Parameter& each : chosen.own.fragment.parameters) {
    const bool is_literal = std::ranges::any_of(
        chosen.literals,
        [&](const nnef::Argument& argument) { return argument.name == each.name; });
    const bool is_argument =
        is_set(op, each.name) &&
        (extend::is_tensor_list(each) ? is_tensor_list(op, each.name)
                                      : op.is_tensor(each.name) == extend::is_tensor(each));
    if (is_argument || each.default_value || (is_literal && !extend::is_tensor(each))) continue;
    throw Error(
        "plugin-failed",
        cat("the plugin's fragment ", quoted(chosen.own.fragment.name), " does not fit ", op.op()),
        cat("its parameter ", quoted(each.name), " is no argument of the call"),
        "name the parameter after the argument, or give it a literal");
  }
}

/// What no fragment and no function of a plugin reads would be lost.
void require_all_read(const OpView& op) {
  try {
    op.check_all_read();
  } catch (const Error& error) {
    throw Error(
        "plugin-failed", cat("the plugin's translation of ", op.op(), " ignores an argument"),
        error.diagnostic().message, "read it, and refuse values that it does not translate");
  }
}

/// The arguments that are no tensors; those that the call leaves out have their defaults.
template <typename View>
std::vector<nnef::Argument> literals_of(const View& op, const Chosen& chosen) {
  std::vector<nnef::Argument> out = chosen.literals;
  for (const nnef::Parameter& each : chosen.own.fragment.parameters)
    if (!extend::is_tensor(each) && is_set(op, each.name))
      out.push_back({each.name, literal_of(op, each)});
  return out;
}

/// A tensor of a call, and the index of its parameter.
struct Operand {
  Ref ref;
  size_t parameter;
};

/// The tensors of a call. A default stands for an absent one that others follow.
std::vector<Operand> operands_of(const OpView& op, const nnef::Fragment& fragment, Emitter& out) {
  std::vector<Operand> operands;
  size_t passed = 0;
  for (size_t i = 0; i < fragment.parameters.size(); ++i) {
    const nnef::Parameter& each = fragment.parameters[i];
    if (!extend::is_tensor(each)) break;
    if (extend::is_tensor_list(each)) {
      for (const Ref ref : op.tensors(each.name)) operands.push_back({ref, i});
      passed = operands.size();
    } else if (is_set(op, each.name)) {
      operands.push_back({op.tensor(each.name), i});
      passed = operands.size();
    } else {
      const nnef::Value& value = *each.default_value;
      operands.push_back(
          {out.scalar(value.kind == nnef::Kind::integer ? static_cast<double>(value.integer)
                                                        : value.number,
                      operands.empty() ? ir::DType::f32 : out.dtype(operands[0].ref)),
           i});
    }
  }
  operands.erase(operands.begin() + static_cast<std::ptrdiff_t>(passed), operands.end());
  return operands;
}

/// Lists of tensors, and all tensors after the first list, are passed by name.
Attributes named_operands(const std::vector<Operand>& operands, const nnef::Fragment& fragment,
                          Emitter& out) {
  Attributes named;
  size_t next = 0;
  for (size_t i = 0; i < fragment.parameters.size(); ++i) {
    const nnef::Parameter& each = fragment.parameters[i];
    nnef::Values values;
    for (; next < operands.size() && operands[next].parameter == i; ++next)
      if (!named.empty() || extend::is_tensor_list(each))
        values.push_back(out.operand(operands[next].ref));
    if (extend::is_tensor_list(each))
      named.emplace_back(each.name, nnef::array(std::move(values)));
    else if (!values.empty())
      named.emplace_back(each.name, values[0]);
  }
  return named;
}

Ints at_sample(const Shape& shape, const Emitter& out) {
  Ints sizes;
  for (const Dim& dim : shape) sizes.push_back(out.at_sample(dim));
  return sizes;
}

/// Refuses a body that gives other shapes than the operator, or the module, did.
void check_call(const OwnCall& call, const OpView& op, const Emitter& out) {
  if (extend::extensions().dialect == spec::Dialect::khronos) extend::check_strict_call(call);
  const auto shapes = extend::result_shapes(call);
  for (size_t i = 0; i < shapes.size(); ++i) {
    const Ints expected = at_sample(op.shape(static_cast<int>(i)), out);
    if (!shapes[i] || *shapes[i] == expected) continue;
    throw Error("fragment-signature",
                cat("the result ", quoted(call.own.fragment.results[i].name), " of the fragment ",
                    quoted(call.own.fragment.name), " has the shape ",
                    ir::shape_str(ir::to_shape(*shapes[i])), " for ", extend::operands_text(call)),
                cat(call.own.is_module() ? "the module" : "the operator", " gives ",
                    ir::shape_str(ir::to_shape(expected))),
                "correct its body");
  }
}

void call_fragment(const OpView& op, Emitter& out) {
  const Chosen chosen = chosen_for(own_of(op.op()), op, out);
  const OwnOperator& own = chosen.own;
  if (own.plugin != nullptr) require_arguments(chosen, op);
  const std::vector<Operand> operands = operands_of(op, own.fragment, out);
  OwnCall call{own, {}, literals_of(op, chosen)};
  if (own.plugin != nullptr) require_all_read(op);
  for (const auto& [ref, parameter] : operands)
    call.tensors.push_back({out.dtype(ref), at_sample(out.shape(ref), out), parameter});
  check_call(call, op, out);
  Attributes attributes = named_operands(operands, own.fragment, out);
  std::vector<Ref> positional;
  for (const auto& [ref, parameter] : operands) {
    if (extend::is_tensor_list(own.fragment.parameters[parameter])) break;
    positional.push_back(ref);
  }
  for (const nnef::Argument& each : call.others) attributes.emplace_back(each.name, each.value);
  std::vector<TensorType> types;
  for (int i = 0; i < op.outputs(); ++i) types.push_back({op.dtype(i), op.shape(i)});
  const std::vector<Ref> results = out.calls(own.fragment.name, positional, attributes, types);
  for (int i = 0; i < op.outputs(); ++i) out.result(results[static_cast<size_t>(i)], i);
}

/// The operands' symbols at numbers that no size equals by accident.
ir::Sizes generic_sizes(const std::vector<Shape>& operands, int64_t first) {
  ir::Sizes out;
  for (const Shape& shape : operands)
    for (const Dim& dim : shape)
      for (const ir::Symbol& symbol : dim.symbols())
        if (out.emplace(symbol, first).second) first += 1018;
  return out;
}

Ints at(const Shape& shape, const ir::Sizes& sizes) {
  Ints out;
  for (const Dim& dim : shape) out.push_back(dim.substitute(sizes).value());
  return out;
}

/// Shapes over symbols, as the plugin states them.
Shapes stated_shapes(const OwnOperator& own, const ShapeView& op) {
  Shapes out;
  for (size_t i = 0; i < op.outputs(); ++i) {
    t2nnef_call call = plugin_call(op);
    out.push_back(extend::shape_of(own, call, i));
  }
  return out;
}

/// Shapes over symbols: the rules of the operations in the body run at two sets of large sizes. A
/// size of a result is a number that is the same in both, or that of an operand's axis.
Shapes own_shapes(const ShapeView& op) {
  const OwnOperator& declared = own_of(op.op());
  if (extend::has_shape_rule(declared)) return stated_shapes(declared, op);
  const Chosen chosen = chosen_for(declared, op);
  const OwnOperator& own = chosen.own;
  std::vector<Shape> operands;
  std::vector<OwnCall::Operand> tensors;
  for (size_t i = 0; i < own.fragment.parameters.size(); ++i) {
    const nnef::Parameter& each = own.fragment.parameters[i];
    const bool is_list = extend::is_tensor_list(each);
    if (!extend::is_tensor(each) || (!is_list && !op.is_tensor(each.name))) continue;
    const Shapes shapes = is_list ? op.shapes(each.name) : Shapes{op.shape(each.name)};
    const std::vector<ir::DType> dtypes =
        is_list ? op.dtypes(each.name) : std::vector{op.dtype(each.name)};
    for (size_t k = 0; k < shapes.size(); ++k) {
      operands.push_back(shapes[k]);
      tensors.push_back({dtypes[k], {}, i});
    }
  }
  constexpr int64_t kFirst = 10'007, kSecond = 20'021;
  std::vector<ir::Sizes> sizes;
  std::vector<std::vector<std::optional<Ints>>> results;
  for (const int64_t first : {kFirst, kSecond}) {
    sizes.push_back(generic_sizes(operands, first));
    OwnCall call{own, tensors, literals_of(op, chosen)};
    for (size_t i = 0; i < operands.size(); ++i)
      call.tensors[i].shape = at(operands[i], sizes.back());
    results.push_back(extend::result_shapes(call));
  }
  const auto dim_of = [&](int64_t a, int64_t b) {
    if (a == b) return Dim(a);
    for (const Shape& shape : operands)
      for (const Dim& dim : shape)
        if (dim.substitute(sizes[0]).value() == a && dim.substitute(sizes[1]).value() == b)
          return dim;
    op.unknown("a size of the fragment's result is that of no axis of its operands");
  };
  Shapes out;
  for (size_t i = 0; i < results[0].size(); ++i) {
    if (!results[0][i] || !results[1][i])
      op.unknown("an operation in the fragment has no rule for shapes");
    Shape& shape = out.emplace_back();
    for (size_t axis = 0; axis < results[0][i]->size(); ++axis)
      shape.push_back(dim_of(results[0][i]->at(axis), results[1][i]->at(axis)));
  }
  return out;
}

}  // namespace

void register_own_operators(Registry& registry) {
  for (const OwnOperator& own : extend::extensions().operators) {
    if (registry.find(ir::op_id(own.op)) != nullptr)
      throw Error(
          "fragment-invalid",
          cat(own.plugin == nullptr ? cat("the fragment ", quoted(own.fragment.name)) : "a plugin",
              " stands for ", own.op, ", which t2nnef translates itself, or refuses"),
          "one operator has one translation",
          "bind the fragment to the modules that call it: --module-op");
    registry.add({.op = own.op,
                  .doc = own.plugin == nullptr ? "the user's fragment" : "the user's plugin",
                  .variants = {{any_target(), own.fragment.name, call_fragment}}});
    registry.shapes(own_shapes, own.op);
  }
}

}  // namespace t2n::ops
