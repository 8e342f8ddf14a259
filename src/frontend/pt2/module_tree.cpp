// SPDX-License-Identifier: Apache-2.0
#include "src/frontend/pt2/module_tree.h"

#include <algorithm>
#include <cctype>

#include "src/diag/error.h"

namespace t2n::trace {
namespace {

std::string below(const std::string& path, const std::string& name) {
  return path.empty() ? name : cat(path, ".", name);
}

/// The name of a TorchScript class: a Python identifier.
std::string identifier(std::string name) {
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0 && c != '_'; },
      '_');
  if (name.empty()) return "Module";
  return std::isdigit(static_cast<unsigned char>(name[0])) != 0 ? cat("_", name) : name;
}

}  // namespace

std::pair<std::string, std::string> split_address(const std::string& address) {
  const size_t dot = address.rfind('.');
  if (dot == std::string::npos) return {"", address};
  return {address.substr(0, dot), address.substr(dot + 1)};
}

ModuleTree::Module& ModuleTree::module_at(const std::string& path) {
  const auto known = modules_.find(path);
  if (known != modules_.end()) return known->second;
  constexpr auto kMostDots = 100;  // modules are made by recursion
  if (std::count(path.begin(), path.end(), '.') > kMostDots)
    throw Error("model-corrupt", "the modules of the model are nested too deep",
                cat("the limit is ", kMostDots, " levels"));
  const auto [outer, name] = split_address(path);
  module_at(outer).parts.push_back({name, {}});
  return modules_[path];
}

void ModuleTree::add_modules(const pt2::Graph& graph) {
  for (const pt2::Node& node : graph.nodes) {
    for (const pt2::ModuleFrame& frame : node.modules) {
      Module& module = module_at(frame.path);
      if (module.class_name.empty()) module.class_name = frame.class_name;
    }
    for (const pt2::NamedArgument& input : node.inputs)
      if (const auto* subgraph = input.argument.get<pt2::Argument::Subgraph>())
        add_modules(**subgraph);
  }
}

void ModuleTree::add_tensor(const std::string& address, const at::Tensor& tensor,
                            bool is_parameter) {
  const auto [path, name] = split_address(address);
  Module& module = module_at(path);
  if (std::any_of(module.parts.begin(), module.parts.end(),
                  [&name = name](const Part& part) { return part.name == name; }))
    throw Error("model-corrupt", cat("the model holds ", quoted(address), " twice"));
  module.parts.push_back({name, tensor, is_parameter});
}

torch::jit::Module ModuleTree::build(
    const std::shared_ptr<torch::jit::CompilationUnit>& unit) const {
  return build("", unit);
}

torch::jit::Module ModuleTree::build(
    const std::string& path, const std::shared_ptr<torch::jit::CompilationUnit>& unit) const {
  const Module& module = modules_.at(path);
  torch::jit::Module out(cat("__torch__.", identifier(module.class_name)), unit, true);
  out.register_attribute("training", c10::BoolType::get(), false);
  for (const Part& part : module.parts) {
    if (!part.tensor.defined())
      out.register_module(part.name, build(below(path, part.name), unit));
    else if (part.is_parameter)
      out.register_parameter(part.name, part.tensor, false);
    else
      out.register_buffer(part.name, part.tensor);
  }
  return out;
}

}  // namespace t2n::trace
