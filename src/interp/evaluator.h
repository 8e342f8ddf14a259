// SPDX-License-Identifier: Apache-2.0
// One run of a program: executes statements in order, and evaluates expressions.
#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "src/interp/kernel.h"
#include "src/interp/program.h"
#include "src/interp/symbols.h"

namespace t2n::interp {

class DocumentEvaluator {
 public:
  explicit DocumentEvaluator(Program& program) : program_(program) {}

  /// `inputs`: in the order of program.inputs. Returns the values of `output_names`.
  Tensors run(const Tensors& inputs, const std::vector<std::string>& output_names);

  /// The same with quantised tensors, for inputs with the same parameters in graph.quant.
  Values run_values(Values inputs, const std::vector<std::string>& output_names);

  /// `arguments`: in the order of the parameters.
  Values run_fragment(const nnef::Fragment& fragment, Values arguments, const std::string& path);
  at::Tensor& memory(const std::string& key) { return program_.memory[key]; }
  const Program& program() const { return program_; }

 private:
  using Scope = std::unordered_map<std::string, Value>;
  /// The names that are visible in a body: those of the graph, or of one call of a fragment.
  struct Frame {
    Scope names;
    std::string path;  ///< of the statement, with the enclosing calls
    bool is_graph = false;
    std::unordered_set<std::string> kept;  ///< names that outlive their last use
    const nnef::Value* left = nullptr;     ///< of the statement
    size_t result_count = 1;  ///< number of results that the next invocation must return
    int calls = 0;            ///< in the current statement
  };

  // evaluator.cpp: statements
  void check_inputs(const Values& inputs) const;
  void run_body(const Body& body, Frame& frame);
  void run_statement(const nnef::Assignment& statement, Frame& frame);
  void assign(const nnef::Value& left, Value value, Frame& frame);
  void assign_name(const nnef::Value& left, Value value, Frame& frame);

  // expression.cpp: everything except invocations
  /// One level of nested expressions, including calls of fragments.
  class Deeper {
   public:
    explicit Deeper(DocumentEvaluator& evaluator);
    ~Deeper() { --evaluator_.expressions_; }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;

   private:
    DocumentEvaluator& evaluator_;
  };
  Value evaluate(const nnef::Value& expression, Frame& frame);
  Value evaluate_kind(const nnef::Value& expression, Frame& frame);
  void count_steps(int64_t count);
  Value identifier(const std::string& name, const Frame& frame) const;
  Values items(const nnef::Values& expressions, Frame& frame);
  Value unary(const nnef::Value& expression, Frame& frame);
  Value binary(const nnef::Value& expression, Frame& frame);
  Value if_else(const nnef::Value& expression, Frame& frame);
  Value subscript(const nnef::Value& expression, Frame& frame);
  Value comprehension(const nnef::Value& expression, Frame& frame);

  // invoke.cpp: invocations
  Value invoke(const nnef::Value& invocation, Frame& frame);
  Value builtin(const nnef::Value& invocation, Frame& frame);
  Value tensor_source(const nnef::Value& invocation, Frame& frame);
  Value variable(const nnef::Value& invocation, Frame& frame);
  Value update(const nnef::Value& invocation, Frame& frame);
  Value submodel(const nnef::Value& invocation, Frame& frame, const std::string& path);
  Value call_operation(const nnef::Fragment& declaration, Values arguments, CallSite site);
  /// Operands are positional; other parameters get their defaults.
  Value call_operation(const std::string& operation, Values arguments, bool is_named = false);
  Value call_quantised(const nnef::Fragment& declaration, Values arguments, CallSite site);
  Values bound(const nnef::Fragment& declaration, const nnef::Value& invocation, Frame& frame);

  Program& program_;
  int depth_ = 0;        ///< of calls of fragments, which may be recursive
  int expressions_ = 0;  ///< being evaluated
  int64_t budget_ = 0;   ///< limit for the bytes of this run's tensors
  int64_t steps_ = 0;    ///< values created or copied in this run
  std::unordered_map<std::string, Value> inputs_;
  ir::Sizes symbols_;
  /// The expression whose value graph.quant rounds; its subexpressions are not rounded.
  const nnef::Value* named_ = nullptr;
  std::unordered_map<std::string, std::string> labels_;  ///< by the graph's variables
  std::unordered_map<std::string, at::Tensor> updates_;  ///< by label; visible to the next run
};

}  // namespace t2n::interp
