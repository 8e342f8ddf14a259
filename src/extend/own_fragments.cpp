// SPDX-License-Identifier: Apache-2.0
// Reads the user's fragments, and finds what each stands for.
#include "src/extend/own_fragments.h"

#include <algorithm>
#include <set>
#include <utility>

#include "src/diag/error.h"
#include "src/extend/check_fragments.h"
#include "src/nnef/files.h"
#include "src/nnef/parser.h"
#include "src/nnef/walk.h"

namespace t2n::extend {
namespace {

constexpr std::string_view kModules = "fragment::";
constexpr std::string_view kSeparator = "__";

Extensions& current() {
  static Extensions extensions;
  return extensions;
}

std::vector<nnef::Fragment> read_file(const std::string& path) {
  constexpr size_t kMostBytes = size_t{1} << 20;
  nnef::require_file(path, "fragment-invalid");
  const nnef::Content content = nnef::map_file(path);
  if (content.bytes.size() > kMostBytes)
    throw Error("fragment-invalid", cat(quoted(path), " is larger than 1 MiB"),
                "a file of fragments is text that somebody wrote", "is it the right file?");
  const std::string_view text(reinterpret_cast<const char*>(content.bytes.data()),
                              content.bytes.size());
  std::vector<nnef::Fragment> out = nnef::parse_fragments(text, path);
  if (out.empty())
    throw Error("fragment-invalid", cat(quoted(path), " contains no fragment"), {},
                "write one: fragment mine__swish(x: tensor<scalar>) -> (y: tensor<scalar>) { … }");
  return out;
}

/// The operations that fragments call, and that are no fragments.
std::set<std::string> called_operations(const std::vector<nnef::Fragment>& fragments) {
  std::set<std::string> out;
  for (const nnef::Fragment& fragment : fragments)
    for (const nnef::Assignment& statement : fragment.body)
      nnef::walk(statement.right, [&](const nnef::Value& value) {
        if (value.kind == nnef::Kind::invocation) out.insert(value.text);
      });
  for (const nnef::Fragment& fragment : fragments) out.erase(fragment.name);
  return out;
}

void add_operators(Extensions& out, const nnef::Fragment& fragment) {
  if (const std::string op = operator_named(fragment.name); !op.empty())
    out.operators.push_back({op, fragment, nullptr});
  const bool is_bound = std::ranges::any_of(
      out.modules, [&](const ModuleOp& each) { return each.fragment == fragment.name; });
  if (is_bound) out.operators.push_back({cat(kModules, fragment.name), fragment, nullptr});
}

void require_bound_fragments(const Extensions& extensions) {
  std::vector<std::string> names;
  for (const nnef::Fragment& fragment : extensions.fragments) names.push_back(fragment.name);
  for (const ModuleOp& each : extensions.modules) {
    if (extensions.find(cat(kModules, each.fragment)) != nullptr) continue;
    const std::string near = nearest(each.fragment, names);
    throw Error("usage",
                cat("--module-op names the fragment ", quoted(each.fragment),
                    ", and no file of --fragment has it"),
                {},
                near.empty() ? "add the file: --fragment FILE.nnef"
                             : cat("did you mean ", quoted(near), "?"));
  }
}

std::string torch_type(const nnef::Parameter& parameter) {
  if (is_tensor_list(parameter)) return "Tensor[]";
  if (is_tensor(parameter)) return parameter.default_value ? "Tensor?" : "Tensor";
  constexpr std::pair<std::string_view, std::string_view> kTorchTypes[] = {
      {"scalar", "Scalar"}, {"integer", "int"},      {"logical", "bool"},
      {"string", "str"},    {"scalar[]", "float[]"}, {"integer[]", "int[]"}};
  for (const auto& [nnef, torch] : kTorchTypes)
    if (parameter.type == nnef) return std::string(torch);
  return {};  // refused when the file was read
}

std::string torch_literal(const nnef::Value& value) {
  switch (value.kind) {
    case nnef::Kind::integer: return cat(value.integer);
    case nnef::Kind::scalar:
      return cat(value.number, value.number == std::int64_t(value.number) ? "." : "");
    case nnef::Kind::logical: return value.logical ? "True" : "False";
    case nnef::Kind::string: return cat("\"", value.text, "\"");
    default: break;
  }
  std::vector<std::string> items;
  for (const nnef::Value& item : value.items) items.push_back(torch_literal(item));
  return cat("[", joined(items, ", "), "]");
}

}  // namespace

bool OwnOperator::is_module() const { return op.starts_with(kModules); }

bool is_tensor(const nnef::Parameter& parameter) { return parameter.type.starts_with("tensor<"); }

bool is_tensor_list(const nnef::Parameter& parameter) {
  return is_tensor(parameter) && parameter.type.ends_with("[]");
}

ModuleOp parse_module_op(const std::string& text) {
  const size_t equals = text.rfind('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    throw Error("usage", cat("--module-op ", quoted(text), " is not GLOB=FRAGMENT"), {},
                "name modules and a fragment: --module-op 'blocks.*.norm=my_norm'");
  return {text.substr(0, equals), text.substr(equals + 1)};
}

const OwnOperator* Extensions::find(std::string_view op) const {
  const auto found =
      std::ranges::find_if(operators, [&](const OwnOperator& each) { return each.op == op; });
  return found == operators.end() ? nullptr : &*found;
}

std::vector<std::string> unproven_in(const ir::Graph& graph) {
  const std::vector<std::string>& unproven = extensions().unproven;
  std::set<std::string> out;
  for (const ir::Node& node : graph.nodes) {
    if (const std::string op(ir::op_name(node.op)); std::ranges::count(unproven, op) > 0)
      out.insert(op);
    if (node.body)
      for (std::string& op : unproven_in(*node.body)) out.insert(std::move(op));
  }
  return {out.begin(), out.end()};
}

std::string operator_named(std::string_view fragment) {
  const size_t first = fragment.find(kSeparator);
  if (first == std::string_view::npos || first == 0) return {};
  const std::string_view rest = fragment.substr(first + kSeparator.size());
  const size_t second = rest.find(kSeparator);
  const std::string op = cat(fragment.substr(0, first), "::", rest.substr(0, second));
  return second == std::string_view::npos ? op
                                          : cat(op, ".", rest.substr(second + kSeparator.size()));
}

Extensions read_extensions(const std::vector<std::string>& files, std::vector<ModuleOp> modules,
                           std::optional<spec::Dialect> dialect) {
  Extensions out;
  out.modules = std::move(modules);
  for (const std::string& file : files)
    for (nnef::Fragment& fragment : read_file(file)) {
      add_operators(out, fragment);
      out.fragments.push_back(std::move(fragment));
      out.files.push_back(file);
    }
  require_bound_fragments(out);
  out.dialect = dialect.value_or(dialect_of(out.fragments));
  out.is_dialect_fixed = dialect.has_value();
  check_fragments(out);
  return out;
}

spec::Dialect dialect_of(const std::vector<nnef::Fragment>& fragments) {
  const std::set<std::string> called = called_operations(fragments);
  const bool is_tract = std::ranges::any_of(called, [](const std::string& name) {
    return spec::find_operation(name, spec::Dialect::khronos) == nullptr &&
           spec::find_operation(name, spec::Dialect::tract) != nullptr;
  });
  return is_tract ? spec::Dialect::tract : spec::Dialect::khronos;
}

const Extensions& extensions() { return current(); }
void use(Extensions extensions) { current() = std::move(extensions); }
void set_unproven(std::vector<std::string> operators) { current().unproven = std::move(operators); }

std::string schema_of(const OwnOperator& own) {
  std::vector<std::string> parameters;
  for (const nnef::Parameter& each : own.fragment.parameters) {
    std::string text = cat(torch_type(each), " ", each.name);
    if (each.default_value)
      text += cat("=", is_tensor(each) ? "None" : torch_literal(*each.default_value));
    parameters.push_back(std::move(text));
  }
  const size_t results = own.fragment.results.size();
  std::string types = "Tensor";
  for (size_t i = 1; i < results; ++i) types += ", Tensor";
  return cat(own.op, "(", joined(parameters, ", "), ") -> ",
             results == 1 ? types : cat("(", types, ")"));
}

}  // namespace t2n::extend
