// SPDX-License-Identifier: Apache-2.0
// The allowlist of operators that a model may call, and reasons for denied ones.
#pragma once

#include <string>
#include <string_view>

namespace t2n::model_file {

/// The text of allowed_operators.txt.
std::string_view allowed_operators();

/// True for "aten::add", "prim::If" and all others on the list; overloads share their name.
bool is_allowed(std::string_view name);

/// Why an operator is denied, as a clause: "it reads or writes files".
std::string_view denial_reason(std::string_view name);
/// What to do instead.
std::string_view denial_help(std::string_view name);

/// Classes that LibTorch implements in C++ and whose objects a file may hold.
bool is_allowed_class(std::string_view qualified_name);

/// "__torch__.torch.classes.…": implemented in C++.
bool is_native_class(std::string_view qualified_name);

/// For functions without code to scan: methods of an allowed native class.
bool is_allowed_method(std::string_view qualified_name);

}  // namespace t2n::model_file
