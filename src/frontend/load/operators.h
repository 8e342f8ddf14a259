// SPDX-License-Identifier: Apache-2.0
// Operators that need checks before they run: those that write, and those that this LibTorch lacks.
#pragma once

#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/runtime/operator.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ir/graph.h"

namespace t2n::trace {

/// True if running the block changes nothing but the values it yields: it does not write to
/// tensors, lists or attributes, raises no exception and prints nothing.
bool is_pure(torch::jit::Block* block);

/// Whether the operator reads only shape and type of this operand.
bool reads_only_shape(const ir::Node& node, std::string_view argument);

/// Whether the schema declares that the operator writes to this argument.
bool is_written(const c10::Argument& argument);

/// Declares those operators that LibTorch does not know, so that code which calls them can be
/// loaded. Returns false if it knows all.
bool declare_unknown(const std::set<std::string>& names);
/// Whether this LibTorch has an operator, or a function, of this name.
bool torch_knows(const std::string& name);
bool is_unknown(std::string_view name);

/// Adds an operator, which programs may call.
void define_operator(const std::string& schema, torch::jit::Operation kernel);
/// The names of all operators, and those that programs may call besides the allowlist.
std::set<std::string> operator_names();
void allow_operators(const std::set<std::string>& names);
/// Whether programs may call it: it is on the allowlist, the user added it, or LibTorch lacks it.
bool may_call(const std::string& name);

}  // namespace t2n::trace
