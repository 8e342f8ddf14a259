// SPDX-License-Identifier: Apache-2.0
// The operations of NNEF and of tract as declarations.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/nnef/ast.h"

namespace t2n::spec {

enum class Dialect {
  khronos,  ///< NNEF 1.0.5
  tract,    ///< with the additions of tract's registries, without what tract lacks
};

/// The declaration, or nullptr. Fragments of documents are not searched.
const nnef::Fragment* find_operation(std::string_view name, Dialect dialect);

/// Errors: `nnef-invalid`, with the nearest name.
const nnef::Fragment& operation(std::string_view name, Dialect dialect);

/// In alphabetical order.
std::vector<std::string> operation_names(Dialect dialect);

/// Throws `nnef-invalid`.
[[noreturn]] void refuse_invalid(std::string message, std::string help = {});

}  // namespace t2n::spec
