// SPDX-License-Identifier: Apache-2.0
// Evaluates the arguments of calls, for shape inference.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "src/spec/dimension.h"
#include "src/spec/types.h"

namespace t2n::spec {

/// What is known of a name: a tensor's shape, or its literal value.
struct Known {
  std::optional<ir::Ints> shape;
  std::shared_ptr<const nnef::Value> literal;
  bool has_added_axis = false;  ///< by tract_core_broadcast
};
using Frame = std::unordered_map<std::string_view, Known>;

/// Owns the parts of evaluated arguments.
using Store = std::deque<nnef::Value>;

/// Evaluates expressions over symbols to numbers.
class SizeReader {
 public:
  explicit SizeReader(const ir::Sizes& values) : values_(values) {}
  std::optional<int64_t> read(const nnef::Value& expression);

 private:
  const ir::Sizes& values_;
  std::unordered_map<const nnef::Value*, std::optional<int64_t>> known_;
};

struct EvaluationContext {
  const Frame& frame;
  SizeReader& sizes;
  /// Runs an expression that is a call, and returns its result's name; nullptr if the result is
  /// unknown.
  const std::function<const nnef::Value*(const nnef::Value&)>& name_call;
  Store& store;
};

/// The argument for a parameter of the type, with numbers for expressions and names for calls;
/// nullptr if unknown. The argument itself if it needs no evaluation.
const nnef::Value* evaluate(const Type& type, const nnef::Value& value,
                            const EvaluationContext& context);

}  // namespace t2n::spec
