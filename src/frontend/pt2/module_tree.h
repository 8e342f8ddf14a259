// SPDX-License-Identifier: Apache-2.0
// The modules of an exported program, as TorchScript modules without code.
#pragma once

#include <torch/csrc/jit/api/module.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "src/pt2/program.h"

namespace t2n::trace {

/// Collects modules and their tensors by path, in the order in which they are first met.
class ModuleTree {
 public:
  /// All modules around the nodes of a graph, and of its subgraphs.
  void add_modules(const pt2::Graph& graph);
  /// "blocks.0.fc.weight". A second tensor at the same address is refused: `model-corrupt`.
  void add_tensor(const std::string& address, const at::Tensor& tensor, bool is_parameter);
  /// The model, in evaluation mode. `unit`: receives the classes.
  torch::jit::Module build(const std::shared_ptr<torch::jit::CompilationUnit>& unit) const;

 private:
  struct Part {
    std::string name;
    at::Tensor tensor;  ///< undefined for a module
    bool is_parameter = false;
  };
  struct Module {
    std::string class_name;
    std::vector<Part> parts;
  };
  Module& module_at(const std::string& path);
  torch::jit::Module build(const std::string& path,
                           const std::shared_ptr<torch::jit::CompilationUnit>& unit) const;

  std::map<std::string, Module> modules_ = {{"", {}}};
};

/// "blocks.0.fc" and "weight"; "" for the model itself.
std::pair<std::string, std::string> split_address(const std::string& address);

}  // namespace t2n::trace
