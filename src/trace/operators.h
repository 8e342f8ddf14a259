// Operators that need care before they run: those that write, and those that this LibTorch does not
// have.
#pragma once

#include <torch/csrc/jit/ir/ir.h>

#include <string>
#include <string_view>
#include <vector>

#include "ir/graph.h"

namespace t2n::trace {

/// True if running the block changes nothing but the values it yields: it does not write to
/// tensors, lists or attributes, raises no exception and prints nothing.
bool is_pure(torch::jit::Block* block);

/// Whether only shape and type of an operand matter.
bool only_shape_counts(const ir::Node& node, std::string_view argument);

/// Whether the schema says that the operator writes to this argument.
bool is_written(const c10::Argument& argument);

/// Declares an operator that LibTorch does not know, so that code which uses it can be loaded.
void declare_unknown(const std::string& name);
bool is_unknown(std::string_view name);

/// "aten::histc" from LibTorch's "Unknown builtin op: aten::histc."; "" for any other text.
std::string unknown_operator_in(const std::string& message);

}  // namespace t2n::trace
