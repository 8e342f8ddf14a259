// Operators that need care before they run: those that write, and those this LibTorch does not
// have.
#pragma once

#include <torch/csrc/jit/ir/ir.h>

#include <string>
#include <string_view>
#include <vector>

#include "ir/graph.h"

namespace t2n::trace {

/// True if running the block changes nothing but the values it yields: no write to tensors, lists
/// or attributes, no exception, no output.
bool is_pure(torch::jit::Block* block);

/// Whether only shape and type of an operand count.
bool only_shape_counts(const ir::Node& node, std::string_view argument);

/// Whether the operator says that it writes to this argument.
bool is_written(const c10::Argument& argument);

/// Declares an operator that LibTorch does not know, so that code which names it can be loaded.
void declare_unknown(const std::string& name);
bool is_unknown(std::string_view name);

/// "aten::histc" from LibTorch's "Unknown builtin op: aten::histc."; "" if the text is about
/// something else.
std::string unknown_operator_in(const std::string& message);

}  // namespace t2n::trace
