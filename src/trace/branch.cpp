// Branches on data: chosen by a select where both ways are pure.
#include <algorithm>

#include "ir/op_traits.h"
#include "src/diag/error.h"
#include "src/trace/computed_numbers.h"
#include "src/trace/data_rules.h"
#include "src/trace/interpreter.h"
#include "src/trace/operators.h"

namespace t2n::trace {
namespace {

/// A plain value that is the same on both ways: nothing to choose.
bool is_same(const Marks& marks, const c10::IValue& a, const c10::IValue& b) {
  if (marks.of(a) || marks.of(b)) return false;
  if (a.isTensor() || b.isTensor())
    return a.isTensor() && b.isTensor() && a.toTensor().is_same(b.toTensor());
  return are_identical(a, b);
}

/// What shares memory with the choice follows from the strides.
bool are_alike(const at::Tensor& a, const at::Tensor& b) {
  return a.defined() && b.defined() && a.sizes() == b.sizes() && a.strides() == b.strides() &&
         a.scalar_type() == b.scalar_type();
}

/// torch.where takes none of them.
bool is_quantised(const c10::IValue& value) {
  return value.isTensor() && value.toTensor().defined() && value.toTensor().is_quantized();
}

[[noreturn]] void refuse_quantised(const Mark& condition) {
  throw Error("data-dependent-branch",
              "a branch depends on the values of a tensor, and gives a quantised tensor",
              cat("its condition comes from ", condition->origin,
                  "; torch.where, which would choose, takes no quantised tensors"),
              "let both ways give their dequantize()d values");
}

bool can_choose(const Recorder& recorder, const c10::IValue& a, const c10::IValue& b) {
  if ((is_number(a) && is_number(b)) || (a.isString() && b.isString())) return true;
  return a.isTensor() && b.isTensor() && are_alike(a.toTensor(), b.toTensor()) &&
         !is_quantised(a) && !recorder.tracks().has_open_shape({a, b});
}

}  // namespace

/// Where an exception leaves what runs, it goes on from here.
struct Interpreter::Standing {
  size_t callers = 0;
  size_t loops = 0;
  size_t rolling = 0;
  int depth = 0;
  ir::ScopeId scope = 0;
  std::string function;
};

Interpreter::Standing Interpreter::standing() const {
  return {position_.callers.size(), loops_.depth(),  loops_.rolling().size(),
          position_.depth,          position_.scope, position_.function};
}

void Interpreter::stand(const Standing& at) {
  position_.callers.resize(at.callers);
  loops_.leave(at.loops);
  position_.depth = at.depth;
  position_.scope = at.scope;
  position_.function = at.function;
}

/// Whether an operation recorded since then fails for some values: a division of integers, or an
/// index. A branch is often there to keep those away, and a select computes both its ways.
bool Interpreter::may_fail(size_t first_node) const {
  for (size_t i = first_node; i < graph_.nodes.size(); ++i) {
    const ir::Node& node = graph_.nodes[i];
    const std::string_view op = ir::op_name(node.op);
    const std::string_view name = op.substr(0, op.find('.'));
    const ir::DType result = graph_.values[static_cast<size_t>(node.outputs.at(0))].dtype;
    if (has_trait(name, ir::OpTrait::indexes)) return true;
    if (has_trait(name, ir::OpTrait::divides) && ir::is_integer(result)) return true;
  }
  return false;
}

bool Interpreter::select_branches(torch::jit::Node* node, const Mark& condition, Env& env) {
  const auto blocks = node->blocks();
  const FormulaRef formula = data_formula(condition);
  if (!formula || !is_pure(blocks[0]) || !is_pure(blocks[1])) return false;
  ComputedNumbers computed(position_, marks_, *recorder_);
  const at::Tensor truth = computed.computed(*formula);
  const size_t known = recorder_->tracks().roots();
  const size_t first_node = graph_.nodes.size();
  const Standing before = standing();
  Values yes;
  Values no;
  try {
    run_block(blocks[0], env);
    yes = take_results(blocks[0], env);
    run_block(blocks[1], env);
    no = take_results(blocks[1], env);
  } catch (const Error& error) {
    // The way that this run does not take may not fit these inputs; then there is nothing to
    // choose.
    if (error.diagnostic().id != "forward-failed" || loops_.rolling().size() != before.rolling)
      throw;
    stand(before);
    return false;
  }
  if (may_fail(first_node)) return false;
  for (size_t i = 0; i < yes.size(); ++i)
    if (!is_same(marks_, yes[i], no[i]) && !can_choose(*recorder_, yes[i], no[i])) {
      position_.node = node;
      const bool is_accepted = options_.accepted_guards.contains(position_.line());
      if (is_quantised(yes[i]) && is_quantised(no[i]) && !is_accepted) refuse_quantised(condition);
      return false;
    }
  position_.node = node;
  Values out;
  const bool taken = truth.item().toBool();
  for (size_t i = 0; i < yes.size(); ++i)
    if (is_same(marks_, yes[i], no[i]))
      out.push_back(yes[i]);
    else if (!yes[i].isTensor())  // one of two numbers or strings, by data
      out.push_back(choose_number(condition, taken ? yes[i] : no[i], yes[i], no[i]));
    else
      out.push_back(computed.recorded("aten::where", "self", {truth, yes[i], no[i]}));
  for (size_t i = 0; i < out.size(); ++i)
    if (out[i].isTensor() && !is_same(marks_, yes[i], no[i]))
      recorder_->forbid_writes({out[i].toTensor(), yes[i].toTensor(), no[i].toTensor()}, known);
  set_outputs(node, env, std::move(out));
  return true;
}

/// One of two numbers or strings, by data.
c10::IValue Interpreter::choose_number(const Mark& condition, const c10::IValue& taken,
                                       const c10::IValue& yes, const c10::IValue& no) {
  if (is_number(yes) && is_number(no))
    if (const FormulaRef choice =
            choice_formula(data_formula(condition), formula_of(yes), formula_of(no)))
      return marked(taken, data_mark(condition->origin, choice));
  return marks_.tainted(taken, data_mark(condition->origin), "a branch");
}

}  // namespace t2n::trace
