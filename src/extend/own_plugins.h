// SPDX-License-Identifier: Apache-2.0
// Translations and shape rules of a plugin: what t2nnef_plugin.h declares, as the rest of t2nnef
// uses it.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/dtype.h"
#include "ir/shape.h"
#include "src/extend/own_fragments.h"
#include "src/extend/t2nnef_plugin.h"

/// A call as the plugin reads it. Readers give nothing for arguments of another type.
struct t2nnef_call {
  struct Tensor {
    t2n::ir::DType dtype = t2n::ir::DType::f32;
    t2n::ir::Shape shape;
  };
  std::function<std::optional<Tensor>(std::string_view)> tensor;
  std::function<std::optional<double>(std::string_view)> number;
  std::function<std::optional<std::string>(std::string_view)> text;
  std::function<std::optional<std::vector<Tensor>>(std::string_view)> tensors = {};  ///< of a list
  std::function<std::optional<std::vector<double>>(std::string_view)> numbers = {};  ///< of a list

  std::vector<t2n::nnef::Argument> literals = {};  ///< what the plugin set
  std::optional<std::string> refusal = {};
  // What the plugin may still read.
  std::deque<std::string> returned = {};
  std::deque<std::vector<double>> returned_numbers = {};
  std::deque<std::vector<int64_t>> returned_integers = {};
};

namespace t2n::extend {

/// Adds the fragments and the operators of a library that is loaded.   Errors: `plugin-failed`,
/// `fragment-invalid`, `nnef-syntax`.
void add_plugin(const t2nnef_plugin* plugin, const std::string& path);

/// The fragment that a call becomes. Errors: `plugin-failed`; `unsupported-op` if it refuses.
const nnef::Fragment& fragment_of(const OwnOperator& own, t2nnef_call& call);

bool has_shape_rule(const OwnOperator& own);

/// The shape of a result; the operator must have a rule. Errors: the same.
ir::Shape shape_of(const OwnOperator& own, t2nnef_call& call, size_t result);

}  // namespace t2n::extend
