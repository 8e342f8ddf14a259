// One run of a program: statements in order, expressions by what they are worth.
#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "src/interp/kernel.h"
#include "src/interp/program.h"
#include "src/interp/symbols.h"

namespace t2n::interp {

class Evaluator {
 public:
  explicit Evaluator(Program& program) : program_(program) {}

  /// `inputs` as program.inputs. Results are the values of `wanted`.
  Checked<at::Tensor> run(const Checked<at::Tensor>& inputs,
                          const std::vector<std::string>& wanted);

  /// `arguments` in the order of the parameters.
  Values run_fragment(const nnef::Fragment& fragment, Values arguments, const std::string& path);
  at::Tensor& memory(const std::string& key) { return program_.memory[key]; }
  const Program& program() const { return program_; }

 private:
  using Scope = std::unordered_map<std::string, Value>;
  /// The names that a body sees: those of the graph, or of one call of a fragment.
  struct Frame {
    Scope names;
    std::string path;  ///< of the statement, through the calls that led here
    bool is_graph = false;
    std::unordered_set<std::string> kept;  ///< names that outlive their last use
    const nnef::Value* left = nullptr;     ///< of the statement
    size_t result_count = 1;               ///< that the next invocation is asked for
    int calls = 0;                         ///< of the statement so far
  };

  // evaluator.cpp: statements
  void check_inputs(const Checked<at::Tensor>& inputs) const;
  void run_body(const Body& body, Frame& frame);
  void run_statement(const nnef::Assignment& statement, Frame& frame);
  void assign(const nnef::Value& left, Value value, Frame& frame);
  void assign_name(const nnef::Value& left, Value value, Frame& frame);

  // expression.cpp: everything but invocations
  /// One level of expressions, those of calling fragments included.
  class Deeper {
   public:
    explicit Deeper(Evaluator& evaluator);
    ~Deeper() { --evaluator_.expressions_; }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;

   private:
    Evaluator& evaluator_;
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
  Value word(const nnef::Value& invocation, Frame& frame);
  Value introduction(const nnef::Value& invocation, Frame& frame);
  Value variable(const nnef::Value& invocation, Frame& frame);
  Value update(const nnef::Value& invocation, Frame& frame);
  Value call_operation(const nnef::Fragment& declaration, Values arguments, CallSite site);
  /// Positional tensors; other parameters have their defaults.
  Value call_operation(const std::string& operation, Values arguments, bool is_named = false);
  Value call_quantised(const nnef::Fragment& declaration, Values arguments, CallSite site);
  Values bound(const nnef::Fragment& declaration, const nnef::Value& invocation, Frame& frame);

  Program& program_;
  int depth_ = 0;        ///< of calls of fragments, which may call themselves
  int expressions_ = 0;  ///< that are being evaluated
  int64_t budget_ = 0;   ///< bytes that the tensors of this run may take
  int64_t steps_ = 0;    ///< of this run: values that were made or copied
  std::unordered_map<std::string, at::Tensor> inputs_;
  ir::Sizes symbols_;
  /// The expression whose value graph.quant rounds: nothing else does it before.
  const nnef::Value* named_ = nullptr;
  std::unordered_map<std::string, std::string> labels_;  ///< of the graph's variables
  std::unordered_map<std::string, at::Tensor> updates_;  ///< by label; seen by the next run
};

}  // namespace t2n::interp
