// A kernel computes an operation; a KernelCall is an invocation bound to the operation's
// declaration.
#pragma once

#include <ATen/core/Tensor.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "nnef/ast.h"
#include "src/interp/value.h"
#include "src/spec/operations.h"

namespace t2n::interp {

class Evaluator;

/// What the invocation says besides its arguments.
struct CallSite {
  std::string type;         ///< the generic type between angle brackets, or ""
  size_t result_count = 1;  ///< names on the left of the statement
  /// Of the statement: the same in every run, different for each call of a fragment.
  std::string path;
  bool is_named = false;  ///< in graph.quant: tract rounds the result once
};

/// Arguments by the declaration's names; a name that it lacks is an internal error. Errors of all
/// else: `engine-failed`.
class KernelCall {
 public:
  KernelCall(const nnef::Fragment& declaration, Values arguments, CallSite site,
             Evaluator& evaluator);

  const std::string& operation() const { return declaration_.name; }
  spec::Dialect dialect() const;
  bool is_tract() const { return dialect() == spec::Dialect::tract; }
  const CallSite& site() const { return site_; }
  size_t result_count() const { return site_.result_count; }
  /// Whether no argument depends on an input of the model.
  bool is_constant() const;

  const Value& value(std::string_view name) const;
  /// Whether an optional argument was given, by the invocation or by a default.
  bool has(std::string_view name) const;
  /// Primitives become tensors of rank 0.
  at::Tensor tensor(std::string_view name) const;
  Checked<at::Tensor> tensors(std::string_view name) const;
  int64_t i64(std::string_view name) const;
  double f64(std::string_view name) const;
  bool boolean(std::string_view name) const;
  const std::string& str(std::string_view name) const;
  Checked<int64_t> ints(std::string_view name) const;
  /// `[(1, 2), (0, 0)]`
  std::vector<std::pair<int64_t, int64_t>> pairs(std::string_view name) const;

  /// A fragment of the document.
  const nnef::Fragment& fragment(const std::string& name) const;
  /// Runs a fragment of the document; `arguments` by its parameters' names.
  Values run_fragment(const std::string& name, std::map<std::string, Value> arguments) const;
  /// A tensor kept from run to run, undefined at first; `key` tells apart those of one call.
  at::Tensor& memory(const std::string& key) const;

 private:
  bool absent_if_false(std::string_view name) const;

  const nnef::Fragment& declaration_;
  Values arguments_;
  CallSite site_;
  Evaluator& evaluator_;
};

/// The argument of a parameter; `arguments` in the declaration's order.
const Value& find_value(const nnef::Fragment& declaration, const Values& arguments,
                        std::string_view name);

/// Results in the order of the declaration; all items of a result that is an array.
using Kernel = Checked<at::Tensor> (*)(const KernelCall&);

/// Kernels by the name of the operation.
class Kernels {
 public:
  /// A name that is there already aborts.
  void add(std::string_view name, Kernel kernel);
  /// nullptr if there is none.
  Kernel find(std::string_view name) const;

 private:
  std::map<std::string, Kernel, std::less<>> by_name_;
};

/// All of them.
const Kernels& kernels();

}  // namespace t2n::interp
