// SPDX-License-Identifier: Apache-2.0
#include "src/pt2/read_program.h"

#include "src/diag/error.h"
#include "src/pt2/read_argument.h"
#include "src/pt2/tree.h"

namespace t2n::pt2 {
namespace {

Argument read_constant(const Cursor& at) {
  const auto [kind, value] = at.alternative();
  if (kind == "as_none") return {ir::None{}};
  return read_argument(at);
}

InputSpec read_input(const Cursor& at) {
  const auto [kind, value] = at.alternative();
  if (kind == "user_input") return {InputKind::user, read_argument(value["arg"]), ""};
  if (kind == "constant_input")
    return {InputKind::constant, read_constant(value["value"]), value["name"].text()};
  const Argument argument{ValueName{value["arg"]["name"].text()}};
  if (kind == "parameter") return {InputKind::parameter, argument, value["parameter_name"].text()};
  if (kind == "buffer") return {InputKind::buffer, argument, value["buffer_name"].text()};
  if (kind == "tensor_constant")
    return {InputKind::tensor_constant, argument, value["tensor_constant_name"].text()};
  if (kind == "custom_obj") return {InputKind::object, argument, value["custom_obj_name"].text()};
  if (kind == "token") return {InputKind::token, argument, ""};
  at.refuse(cat("has the unknown kind ", quoted(kind)));
}

OutputSpec read_output(const Cursor& at) {
  const auto [kind, value] = at.alternative();
  if (kind == "user_output") return {OutputKind::user, read_argument(value["arg"]), ""};
  const Argument argument{ValueName{value["arg"]["name"].text()}};
  if (kind == "loss_output") return {OutputKind::user, argument, ""};
  if (kind == "buffer_mutation") return {OutputKind::buffer, argument, value["buffer_name"].text()};
  if (kind == "parameter_mutation")
    return {OutputKind::parameter, argument, value["parameter_name"].text()};
  if (kind == "user_input_mutation")
    return {OutputKind::user_input, argument, value["user_input_name"].text()};
  if (kind == "token") return {OutputKind::token, argument, ""};
  at.refuse(cat("is of the kind ", quoted(kind), ", which belongs to training"));
}

/// The model's own call: the first entry.
void read_call(const Cursor& calls, const std::string& record, Program& out) {
  for (const Cursor& call : calls.elements()) {
    if (!call["fqn"].text().empty()) continue;
    const auto signature = call.find("signature");
    if (!signature) return;
    out.arguments = read_tree((*signature)["in_spec"].text(), record);
    out.results = read_tree((*signature)["out_spec"].text(), record);
    if (const auto names = signature->find("forward_arg_names"))
      for (const Cursor& name : names->elements()) out.argument_names.push_back(name.text());
    return;
  }
}

void require_version(const Cursor& version, const std::string& torch) {
  constexpr int64_t kMajor = 8;
  const int64_t major = version["major"].integer();
  if (major == kMajor) return;
  const std::string saved = torch.empty() ? "" : cat(", saved by PyTorch ", torch);
  if (major > kMajor)
    throw Error("model-too-new",
                cat("the model has the schema version ", major, " of torch.export", saved),
                cat("this t2nnef reads version ", kMajor),
                "use a newer t2nnef, or save with an older PyTorch");
  throw Error("model-format",
              cat("the model has the schema version ", major, " of torch.export", saved),
              cat("this t2nnef reads version ", kMajor, ", of PyTorch 2.6 and later"),
              "export it again with a newer PyTorch");
}

}  // namespace

Program read_program(std::string_view text, const std::string& record) {
  const JsonTable table = parse_table(text, record);
  const Cursor at(table);
  Program out;
  if (const auto version = at.find("torch_version")) out.torch_version = version->text();
  require_version(at["schema_version"], out.torch_version);
  const Cursor module = at["graph_module"];
  out.graph = read_graph(module["graph"]);
  for (const Cursor& each : module["signature"]["input_specs"].elements())
    out.inputs.push_back(read_input(each));
  for (const Cursor& each : module["signature"]["output_specs"].elements())
    out.outputs.push_back(read_output(each));
  read_call(module["module_call_graph"], record, out);
  for (const auto& [symbol, range] : at["range_constraints"].fields()) {
    const auto bound = [&range = range](std::string_view key) {
      const auto found = range.find(key);
      return found ? std::optional(found->integer()) : std::nullopt;
    };
    out.ranges[symbol] = {bound("min_val"), bound("max_val")};
  }
  if (const auto guards = at.find("guards_code"))
    for (const Cursor& guard : guards->elements()) out.guards.push_back(guard.text());
  return out;
}

std::map<std::string, Payload> read_payloads(std::string_view text, const std::string& record) {
  const JsonTable table = parse_table(text, record);
  std::map<std::string, Payload> out;
  for (const auto& [address, entry] : Cursor(table)["config"].fields()) {
    Payload payload;
    payload.file = entry["path_name"].text();
    payload.is_pickled = entry["use_pickle"].flag();
    if (const auto meta = entry.find("tensor_meta")) payload.meta = read_tensor_meta(*meta);
    out.emplace(address, std::move(payload));
  }
  return out;
}

}  // namespace t2n::pt2
