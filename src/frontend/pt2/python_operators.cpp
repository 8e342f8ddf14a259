// SPDX-License-Identifier: Apache-2.0
// Python's operators on numbers, and torch's functions on symbolic ones.
#include <array>

#include "src/diag/error.h"
#include "src/frontend/pt2/graph_writer.h"

namespace t2n::trace {
namespace {

namespace prim = c10::prim;

/// By the function's name, without its module: TorchScript's operator.
constexpr std::array<std::pair<std::string_view, const char*>, 36> kNumberOperators = {{
    {"add", "aten::add"},
    {"sub", "aten::sub"},
    {"mul", "aten::mul"},
    {"truediv", "aten::div"},
    {"floordiv", "aten::floordiv"},
    {"mod", "aten::remainder"},
    {"pow", "aten::pow"},
    {"neg", "aten::neg"},
    {"pos", ""},
    {"eq", "aten::eq"},
    {"ne", "aten::ne"},
    {"lt", "aten::lt"},
    {"le", "aten::le"},
    {"gt", "aten::gt"},
    {"ge", "aten::ge"},
    {"and_", "aten::__and__"},
    {"or_", "aten::__or__"},
    {"xor", "aten::__xor__"},
    {"not_", "aten::__not__"},
    {"sym_not", "aten::__not__"},
    {"lshift", "aten::__lshift__"},
    {"rshift", "aten::__rshift__"},
    {"abs", "prim::abs"},
    {"sym_max", "prim::max"},
    {"sym_min", "prim::min"},
    {"sym_float", "aten::Float"},
    {"sym_int", "aten::Int"},
    {"trunc", "aten::Int"},
    {"floor", "aten::floor"},
    {"ceil", "aten::ceil"},
    {"round", "aten::round"},
    {"sqrt", "aten::sqrt"},
    {"log", "aten::log"},
    {"exp", "aten::exp"},
    {"cos", "aten::cos"},
    {"sin", "aten::sin"},
}};

/// "_operator.mul" -> "mul", "torch._sym_sqrt" -> "sqrt".
std::string_view short_name(std::string_view target) {
  std::string_view out = target.substr(target.rfind('.') + 1);
  if (out.starts_with("_sym_")) out.remove_prefix(std::string_view("_sym_").size());
  return out;
}

bool is_of_python(std::string_view target) {
  for (const std::string_view module : {"_operator.", "math.", "builtins.", "torch."})
    if (target.starts_with(module)) return true;
  return false;
}

}  // namespace

/// Value `yes` or `no`, without a branch in the program.
Value* GraphWriter::write_choice(Value* condition, Value* yes, Value* no) {
  torch::jit::Node* choice = builder_.insert(prim::If, {builder_.as_bool(condition)}, 0);
  choice->addBlock()->registerOutput(yes);
  choice->addBlock()->registerOutput(no);
  return choice->addOutput()->setType(yes->type());
}

bool GraphWriter::write_python(const pt2::Node& node, const pt2::Graph& graph) {
  if (!is_of_python(node.target)) return false;
  const std::string_view name = short_name(node.target);
  JitValues operands;
  for (const pt2::NamedArgument& input : node.inputs)
    operands.push_back(builder_.operand(input.argument, c10::AnyType::get(), names));
  if (name == "sym_ite" && operands.size() == 3) {
    define(node, {write_choice(operands[0], operands[1], operands[2])});
    return true;
  }
  for (const auto& [known, op] : kNumberOperators) {
    if (known != name) continue;
    Value* result = *op == '\0' ? operands.at(0) : builder_.call(op, operands);
    const auto* output = node.outputs.empty() ? nullptr : node.outputs[0].get<pt2::ValueName>();
    const bool is_integer = output != nullptr && !graph.floats.contains(output->name) &&
                            !graph.booleans.contains(output->name);
    if (is_integer && result->type()->kind() == c10::TypeKind::FloatType)
      result = builder_.call("aten::Int", {result});
    define(node, {result});
    return true;
  }
  return false;
}

}  // namespace t2n::trace
