// SPDX-License-Identifier: Apache-2.0
// A kernel computes an operation. A KernelCall is an invocation, bound to the operation's
// declaration.
#pragma once

#include <ATen/core/Tensor.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "src/interp/value.h"
#include "src/nnef/ast.h"
#include "src/spec/bound_call.h"
#include "src/spec/operations.h"

namespace t2n::interp {

class DocumentEvaluator;

/// The parts of an invocation except its arguments.
struct CallSite {
  std::string type;         ///< the generic type between angle brackets, or ""
  size_t result_count = 1;  ///< number of names on the left of the statement
  /// The statement's path: equal in every run, different for each call of a fragment.
  std::string path;
  bool is_named = false;  ///< named in graph.quant: tract rounds the result once
};

/// Arguments by the declaration's names; an unknown name is an internal error. All other errors:
/// `engine-failed`.
class KernelCall {
 public:
  KernelCall(const nnef::Fragment& declaration, Values arguments, CallSite site,
             DocumentEvaluator& evaluator);

  const std::string& operation() const { return declaration_.name; }
  spec::Dialect dialect() const;
  bool is_tract() const { return dialect() == spec::Dialect::tract; }
  const CallSite& site() const { return site_; }
  size_t result_count() const { return site_.result_count; }
  /// Whether no argument depends on an input of the model.
  bool is_constant() const;

  const Value& value(std::string_view name) const;
  /// Whether an optional argument has a value, explicit or by default.
  bool has(std::string_view name) const;
  /// The argument as a tensor; primitives get rank 0.
  at::Tensor tensor(std::string_view name) const;
  Tensors tensors(std::string_view name) const;
  int64_t i64(std::string_view name) const;
  double f64(std::string_view name) const;
  bool boolean(std::string_view name) const;
  const std::string& str(std::string_view name) const;
  Ints ints(std::string_view name) const;
  /// `[(1, 2), (0, 0)]`
  std::vector<std::pair<int64_t, int64_t>> pairs(std::string_view name) const;

  /// A fragment of the document.
  const nnef::Fragment& fragment(const std::string& name) const;
  /// Runs a fragment of the document, with arguments by parameter name.
  Values run_fragment(const std::string& name, std::map<std::string, Value> arguments) const;
  /// A tensor that persists between runs, undefined at first; `key` distinguishes those of one
  /// call.
  at::Tensor& memory(const std::string& key) const;

 private:
  const nnef::Fragment& declaration_;
  Values arguments_;
  CallSite site_;
  DocumentEvaluator& evaluator_;
};

/// The argument of a parameter; `arguments` in the declaration's order.
const Value& find_value(const nnef::Fragment& declaration, const Values& arguments,
                        std::string_view name);

/// Returns the results in the declaration's order; for an array, all its items.
using Kernel = Tensors (*)(const KernelCall&);

/// Kernels by the name of the operation.
class Kernels {
 public:
  /// Aborts on a duplicate name.
  void add(std::string_view name, Kernel kernel);
  /// nullptr if there is none.
  Kernel find(std::string_view name) const;

 private:
  std::map<std::string, Kernel, std::less<>> by_name_;
};

/// All kernels.
const Kernels& kernels();

}  // namespace t2n::interp
