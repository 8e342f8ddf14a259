// Operators that need care before they run: forbidden ones, and ones this LibTorch does not have.
#pragma once

#include <torch/csrc/jit/ir/ir.h>

#include <string>
#include <string_view>
#include <vector>

#include "ir/graph.h"

namespace t2n::trace {

/// True for operators that touch files, processes or other machines.
bool is_denied(std::string_view name);

/// Throws `denied-operator` if the function, or anything that it calls, contains a denied operator.
void refuse_denied(torch::jit::Function& function, std::string_view reason);

/// True if running the block changes nothing but the values it yields: no write to tensors, lists
/// or attributes, no exception, no output.
bool is_pure(torch::jit::Block* block);

/// Whether only shape and type of an operand count.
bool only_shape_counts(const ir::Node& node, std::string_view argument);

/// Declares an operator that LibTorch does not know, so that code which names it can be loaded.
void declare_unknown(const std::string& name);
bool is_unknown(std::string_view name);

/// "aten::histc" from LibTorch's "Unknown builtin op: aten::histc."; "" if the text is about
/// something else.
std::string unknown_operator_in(const std::string& message);

}  // namespace t2n::trace
