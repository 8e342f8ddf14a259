// SPDX-License-Identifier: Apache-2.0
// Which module a tensor or object belongs to, and the scopes of the model's modules.
#pragma once

#include <torch/csrc/jit/api/module.h>

#include <string>
#include <unordered_map>
#include <unordered_set>

#include "ir/graph.h"

namespace t2n::trace {

/// "__torch__.torchvision.models.resnet.___torch_mangle_3.ResNet" -> "ResNet"
std::string class_name_of(const c10::Type& type);

/// Walks the module tree once: dotted paths of tensors, and scopes of objects. A shared tensor or
/// object keeps its first path.
class ModuleNames {
 public:
  ModuleNames(const torch::jit::Module& module, ir::Graph& graph);

  /// "layer1.0.conv1.weight", or "" for a tensor that is in no attribute.
  std::string tensor_path(const at::Tensor& tensor) const;
  /// "layer1.0.conv1": the module of packed parameters; "" for all other objects.
  std::string packed_path(const c10::ivalue::Object& packed) const;
  /// Scope of a module or class instance of the tree; -1 for objects created in forward.
  ir::ScopeId scope(const c10::ivalue::Object& object) const;
  /// Of a module by its path; that of the model if there is none.
  ir::ScopeId scope_at(const std::string& path) const;
  bool is_module(const c10::ivalue::Object& object) const;

 private:
  void visit_object(const c10::intrusive_ptr<c10::ivalue::Object>& object, const std::string& path,
                    ir::ScopeId scope);
  void visit_value(const c10::IValue& value, const std::string& path, const std::string& attribute,
                   ir::ScopeId parent);

  ir::Graph& graph_;
  std::unordered_map<const c10::TensorImpl*, std::string> tensors_;
  std::unordered_map<const c10::ivalue::Object*, std::string> packed_;
  std::unordered_map<const c10::ivalue::Object*, ir::ScopeId> scopes_;
  std::unordered_map<std::string, ir::ScopeId> by_path_;
};

}  // namespace t2n::trace
