// SPDX-License-Identifier: Apache-2.0
#include "src/export/own_operators.h"

#include <algorithm>

#include "ops/all.h"
#include "src/diag/error.h"
#include "src/extend/own_fragments.h"
#include "src/model/extension.h"
#include "src/model/torch_module.h"

namespace t2n {

void define_own_operators() {
  const extend::Extensions& own = extend::extensions();
  if (own.operators.empty() && own.plugins.empty()) return;
  const auto* const module = reinterpret_cast<const trace::ExtensionModule* (*)()>(
      torch_module_symbol(trace::kExtensionModuleSymbol))();
  module->load_plugins();
  ops::registry();  // refuses operators that it has
  extend::set_unproven(module->define());
}

void report_unproven(const ir::Graph& graph, const Report& report) {
  const std::vector<std::string> names = extend::unproven_in(graph);
  if (names.empty() || !report) return;
  const bool is_one = names.size() == 1;
  report({.severity = Severity::warning,
          .id = "fragment-unproven",
          .message = cat("nothing but ", is_one ? "its fragment" : "their fragments", " computes ",
                         joined(names, ", ")),
          .why = cat("LibTorch has no kernel for ", is_one ? "it" : "them",
                     ", so a check compares the fragment with itself there"),
          .help = "name a library with the kernel, --plugin LIB.so, or compare the results with "
                  "those of the program that has it"});
}

}  // namespace t2n
