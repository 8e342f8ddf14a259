// The operations of NNEF and of tract as declarations, and calls of them.
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

/// One value for each parameter of the declaration: the call's, else the default; nullptr for an
/// absent optional argument. Views into the call and the declaration.
using Arguments = std::vector<const nnef::Value*>;

/// Binds the arguments of a call of an operation or fragment. Positional ones come first. Errors:
/// `nnef-invalid` for missing, unknown, repeated or surplus arguments.
Arguments bind(const nnef::Fragment& declaration, const nnef::Value& invocation);

/// The argument of the parameter `name`, which must exist.
const nnef::Value* argument(const nnef::Fragment& declaration, const Arguments& arguments,
                            std::string_view name);

/// Throws `nnef-invalid`.
[[noreturn]] void refuse_invalid(std::string message, std::string help = {});

/// Whether the parameter is optional: its default is `false`, although it is not a logical. An
/// explicit `false` means the same.
bool may_be_absent(const nnef::Parameter& parameter);

}  // namespace t2n::spec
