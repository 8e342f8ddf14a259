// SPDX-License-Identifier: Apache-2.0
// What the user adds to LibTorch's registry of operators, without any torch header.
#pragma once

#include <string>
#include <vector>

namespace t2n::trace {

/// The functions of libt2nnef_torch.so for extend::extensions(). Called before a model is loaded.
struct ExtensionModule {
  /// Loads the plugins, once, which adds to extend::extensions(). Errors: `plugin-failed`.
  void (*load_plugins)();
  /// Registers a kernel for each fragment that stands for modules, or for an operator that LibTorch
  /// and the plugins lack. Returns those operators: nothing but their
  /// fragments computes them. Errors: `fragment-signature` if a fragment does not fit the schema of
  /// its operator; `plugin-failed` for a translation of an operator that nothing registers.
  std::vector<std::string> (*define)();
};

/// The name under which libt2nnef_torch.so exports `const ExtensionModule* t2n_extension_module()`.
inline constexpr const char* kExtensionModuleSymbol = "t2n_extension_module";

}  // namespace t2n::trace
