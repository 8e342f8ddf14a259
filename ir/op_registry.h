// SPDX-License-Identifier: Apache-2.0
// Names of operations, interned.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/diag/error.h"

namespace t2n::ir {

/// Index of an interned operation name such as "aten::add.Tensor"; valid in this process.
using OpId = int32_t;

OpId op_id(std::string_view name);
std::string_view op_name(OpId op);
/// The number of interned names: every OpId is below it.
OpId op_count();

/// "aten::add_.Tensor" -> "add_": the base name, as torch spells it.
std::string_view op_base_name(std::string_view name);
std::string_view op_base_name(OpId op);
/// "aten::add_.Tensor" -> "add": the short name, for scopes, names and messages. `_convolution` and
/// similar names give the public operator that they serve (`conv2d`), so that names do not depend
/// on how a file was exported.
std::string_view op_short_name(std::string_view name);
std::string_view op_short_name(OpId op);

}  // namespace t2n::ir
