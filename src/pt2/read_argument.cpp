// SPDX-License-Identifier: Apache-2.0
#include "src/pt2/read_argument.h"

#include "src/diag/error.h"

namespace t2n::pt2 {
namespace {

template <typename Read>
Argument::List list_of(const Cursor& at, const Read& read) {
  Argument::List out;
  for (const Cursor& element : at.elements()) out.push_back(Argument{read(element)});
  return out;
}

ValueName named(const Cursor& at) { return {at["name"].text()}; }

/// A number of the graph by name, or a constant.
template <typename Read>
Argument name_or(const Cursor& at, const Read& read) {
  const auto [kind, value] = at.alternative();
  if (kind == "as_name") return {ValueName{value.text()}};
  return {read(value)};
}

Argument symbolic(std::string_view kind, const Cursor& at) {
  if (kind == "sym_int") return name_or(at, [](const Cursor& each) { return each.integer(); });
  if (kind == "sym_float") return name_or(at, [](const Cursor& each) { return each.number(); });
  return name_or(at, [](const Cursor& each) { return each.flag(); });
}

Argument optional_tensor(const Cursor& at) {
  const auto [kind, value] = at.alternative();
  if (kind == "as_tensor") return {named(value)};
  return {ir::None{}};
}

Argument list(std::string_view kind, const Cursor& at) {
  if (kind == "tensors") return {list_of(at, named)};
  if (kind == "ints") return {list_of(at, [](const Cursor& each) { return each.integer(); })};
  if (kind == "floats") return {list_of(at, [](const Cursor& each) { return each.number(); })};
  if (kind == "bools") return {list_of(at, [](const Cursor& each) { return each.flag(); })};
  if (kind == "strings") return {list_of(at, [](const Cursor& each) { return each.text(); })};
  Argument::List out;
  for (const Cursor& each : at.elements()) {
    if (kind == "optional_tensors") out.push_back(optional_tensor(each));
    if (kind == "sym_ints") out.push_back(symbolic("sym_int", each));
    if (kind == "sym_floats") out.push_back(symbolic("sym_float", each));
    if (kind == "sym_bools") out.push_back(symbolic("sym_bool", each));
    if (kind == "nested_tensors") out.push_back(list("tensors", each));
    if (kind == "int_lists") out.push_back(list("ints", each));
    if (kind == "float_lists") out.push_back(list("floats", each));
  }
  if (out.size() != at.elements().size()) at.refuse(cat("has the unknown kind ", quoted(kind)));
  return {std::move(out)};
}

/// Something that is neither a number, a value nor a list; nullopt for another kind.
std::optional<Argument> special(std::string_view kind, const Cursor& at, int depth) {
  if (kind == "scalar_type") return Argument{DTypeCode{at.integer()}};
  if (kind == "layout") return Argument{LayoutCode{at.integer()}};
  if (kind == "memory_format") return Argument{MemoryFormatCode{at.integer()}};
  if (kind == "device") return Argument{DeviceName{at["type"].text()}};
  if (kind == "operator") return Argument{OperatorName{at.text()}};
  if (kind == "custom_obj") return Argument{ObjectName{at["name"].text(), at["class_fqn"].text()}};
  if (kind == "complex")
    return Argument{std::complex<double>(at["real"].number(), at["imag"].number())};
  if (kind == "graph")
    return Argument{std::make_shared<const Graph>(read_graph(at["graph"], depth + 1))};
  if (kind == "string_to_argument") {
    std::map<std::string, Argument> out;
    for (const auto& [key, value] : at.fields()) out[key] = read_argument(value, depth + 1);
    return Argument{std::move(out)};
  }
  return std::nullopt;
}

/// "L__self__blocks.0,blocks.0,__main__.Block;…": a key, a path and a class for each module.
std::vector<ModuleFrame> read_modules(const std::string& text) {
  std::vector<ModuleFrame> out;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find(';', begin), text.size());
    const std::string entry = text.substr(begin, end - begin);
    const size_t first = entry.find(',');
    const size_t last = entry.rfind(',');
    if (first != std::string::npos && first != last && !entry.starts_with("_empty_nn_module")) {
      const std::string type = entry.substr(last + 1);
      out.push_back({entry.substr(first + 1, last - first - 1), type.substr(type.rfind('.') + 1)});
    }
    begin = end + 1;
  }
  return out;
}

Node read_node(const Cursor& at, int depth) {
  Node out;
  out.target = at["target"].text();
  for (const Cursor& each : at["inputs"].elements())
    out.inputs.push_back({each["name"].text(), read_argument(each["arg"], depth)});
  for (const Cursor& each : at["outputs"].elements()) out.outputs.push_back(read_argument(each));
  if (const auto metadata = at.find("metadata")) {
    if (const auto modules = metadata->find("nn_module_stack"))
      out.modules = read_modules(modules->text());
    if (const auto stack = metadata->find("stack_trace")) out.stack_trace = stack->text();
  }
  return out;
}

Size read_size(const Cursor& at) {
  const auto [kind, value] = at.alternative();
  if (kind == "as_int") return value.integer();
  return value["expr_str"].text();
}

std::vector<Size> read_sizes(const Cursor& at) {
  std::vector<Size> out;
  for (const Cursor& each : at.elements()) out.push_back(read_size(each));
  return out;
}

}  // namespace

Argument read_argument(const Cursor& at, int depth) {
  const auto [field, value] = at.alternative();
  if (!field.starts_with("as_")) at.refuse(cat("has the unknown kind ", quoted(field)));
  const std::string kind = field.substr(std::string_view("as_").size());
  if (kind == "none") return {ir::None{}};
  if (kind == "tensor") return {named(value)};
  if (kind == "int") return {value.integer()};
  if (kind == "float") return {value.number()};
  if (kind == "bool") return {value.flag()};
  if (kind == "string") return {value.text()};
  if (kind == "optional_tensor") return optional_tensor(value);
  if (kind == "sym_int" || kind == "sym_float" || kind == "sym_bool") return symbolic(kind, value);
  if (auto other = special(kind, value, depth)) return *std::move(other);
  return list(kind, value);
}

TensorMeta read_tensor_meta(const Cursor& at) {
  TensorMeta out;
  out.dtype.code = at["dtype"].integer();
  out.sizes = read_sizes(at["sizes"]);
  out.strides = read_sizes(at["strides"]);
  out.offset = read_size(at["storage_offset"]);
  out.layout.code = at["layout"].integer();
  return out;
}

Graph read_graph(const Cursor& at, int depth) {
  constexpr int kMaxDepth = 40;
  if (depth > kMaxDepth) at.refuse(cat("is nested more than ", kMaxDepth, " levels deep"));
  Graph out;
  for (const Cursor& each : at["inputs"].elements()) out.inputs.push_back(read_argument(each));
  for (const Cursor& each : at["outputs"].elements()) out.outputs.push_back(read_argument(each));
  for (const Cursor& each : at["nodes"].elements()) out.nodes.push_back(read_node(each, depth));
  for (const auto& [name, meta] : at["tensor_values"].fields())
    out.tensors.emplace(name, read_tensor_meta(meta));
  if (const auto floats = at.find("sym_float_values"))
    for (const auto& [name, value] : floats->fields()) out.floats.insert(name);
  for (const auto& [name, value] : at["sym_bool_values"].fields()) out.booleans.insert(name);
  return out;
}

}  // namespace t2n::pt2
