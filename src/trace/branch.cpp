// Branches on data: chosen by a select where both ways are pure, else refused or knowingly baked
// in.
#include <algorithm>
#include <sstream>

#include "ir/op_traits.h"
#include "src/diag/error.h"
#include "src/trace/interpreter.h"
#include "src/trace/iteration.h"
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

bool can_choose(const Recorder& recorder, const c10::IValue& a, const c10::IValue& b) {
  if ((is_number(a) && is_number(b)) || (a.isString() && b.isString())) return true;
  return a.isTensor() && b.isTensor() && are_alike(a.toTensor(), b.toTensor()) &&
         !recorder.has_open_shape({a, b});
}

/// What the iterations that a loop took say of sizes.
void describe_iterations(Decision& loop, const c10::IValue& trips,
                         const std::vector<c10::IValue>& conditions) {
  using ir::Relation;
  const Mark count = mark_of(trips);
  loop.kind = Decision::Kind::loop;
  loop.comparison.reset();
  if (!count) loop.sizes = 0;  // its conditions say it, each by itself
  if (!is_size(count) || depends_on_iteration(count)) return;
  // A loop that is left before its end needs the iterations that it took, any other these alone.
  const bool is_left = !conditions.empty() && !unmarked(conditions.back()).toBool();
  const bool is_none = unmarked(trips).toInt() < 0;
  const Relation relation = is_left ? Relation::ge : is_none ? Relation::le : Relation::eq;
  loop.comparison = {count->size, relation, loop.way};
}

}  // namespace

void Interpreter::refuse_branch(const torch::jit::Node* node, const Mark& mark) {
  const bool loop = node->kind() == c10::prim::Loop;
  const std::string id = guard_id();
  std::string help =
      loop ? "make the number of iterations a constant or a size of an input"
           : "compute both ways and choose with torch.where, or decide outside of the model";
  if (!id.empty()) help += cat("; to keep the way of this run, give --accept-guard ", id);
  throw Error(
      "data-dependent-branch",
      cat(loop ? "a loop" : "a branch", " depends on the values of a tensor"),
      cat("its condition comes from ", mark->origin, "; a file would hold the way of this one run"),
      help);
}

void Interpreter::note_decision(const torch::jit::Node* node, const Mark& mark, int64_t way,
                                Decision::Kind kind) {
  if (!options_.keep_sizes || !mark || is_data(mark)) return;
  const Place here = place();
  decisions_.push_back({.kind = kind,
                        .id = node,
                        .way = way,
                        .comparison = mark->comparison,
                        .sizes = mark->size,
                        .scope = here.scope,
                        .source = here.source});
}

void Interpreter::settle(const Mark& mark, bool answer) {
  if (!mark) return;
  T2N_ASSERT(mark->comparison, "only a comparison can be settled");
  if (depends_on_iteration(mark)) return check_iteration_branch(mark);
  note_decision(node_, mark, answer ? 1 : 0);
}

void Interpreter::settle_all(const std::vector<ir::Comparison>& comparisons) {
  for (const ir::Comparison& each : comparisons) settle(comparison_mark(each), true);
}

void Interpreter::note_number(const torch::jit::Node* node, const Mark& mark,
                              const c10::IValue& number) {
  if (!options_.keep_sizes || !mark || is_data(mark)) return;
  if (mark->comparison) return settle(mark, unmarked(number).toBool());
  if (depends_on_iteration(mark))
    refuse_loop(
        "a number follows from the number of the iteration in a way that the file cannot say",
        kIterationHelp);
  note_decision(node, mark, 0, Decision::Kind::number);
  Decision& noted = decisions_.back();
  const Mark sizes = opaque_mark(mark->size);
  noted.sizes = sizes->size;
  std::ostringstream text;
  text << unmarked(number);
  noted.number = text.str();
}

/// Integers are written as expressions; what has none, and what is no integer, is a number of this
/// run.
void Interpreter::note_numbers(const torch::jit::Node* node, const torch::jit::Stack& inputs,
                               bool is_computable) {
  const bool is_computed = is_computable && options_.computed_numbers.contains(node);
  for (const c10::IValue& input : inputs) {
    if (input.isTensor() || input.isNone()) continue;
    if (is_number(input)) {
      const Mark mark = mark_of(input);
      if (!is_opaque(mark) || (is_computed && mark->formula)) continue;
      if (depends_on_iteration(mark)) continue;  // the recorder refuses it, and names the argument
      const size_t before = decisions_.size();
      note_number(node, mark, input);
      if (decisions_.size() > before)
        decisions_.back().is_computable = is_computable && mark->formula != nullptr;
      continue;
    }
    if (!input.isList()) {
      note_number(node, marks_.reach(input), input);
      continue;
    }
    if (is_opaque(marks_.of(input))) note_number(node, marks_.of(input), input);
    if (is_size(marks_.of(input))) settle_argument(input);
    const auto list = input.toListRef();
    const bool are_ints = std::all_of(list.begin(), list.end(), [](const c10::IValue& element) {
      return unmarked(element).isInt();
    });
    for (const c10::IValue& element : list)
      if (const Mark mark = marks_.reach(element); is_opaque(mark) || !are_ints)
        note_number(node, mark, element);
  }
}

void Interpreter::note_loop(const torch::jit::Node* node, const c10::IValue& trips,
                            const Values& conditions, int64_t iterations) {
  const Mark count = mark_of(trips);
  const Mark asked = count || conditions.empty() ? count : mark_of(conditions.back());
  if (options_.keep_sizes && asked && !is_data(asked)) {
    note_decision(node, asked, iterations);
    describe_iterations(decisions_.back(), trips, conditions);
  }
  // Each by itself, as the last one may follow from no size: `while i < 5 and x.size(0) > 2`.
  for (const c10::IValue& condition : conditions)
    if (const Mark mark = mark_of(condition); !depends_on_iteration(mark))
      note_decision(node, mark, unmarked(condition).toBool() ? 1 : 0);
}

std::string Interpreter::guard_id() {
  const ir::SourceId source = place().source;
  if (source == ir::kNoSource) return {};
  const Frame& frame = graph_.sources[static_cast<size_t>(source)].frames.front();
  return cat(frame.file, ":", frame.line);
}

bool Interpreter::accept_guard(const Mark& mark) {
  const std::string id = guard_id();
  if (!options_.accepted_guards.contains(id)) return false;
  if (options_.report)
    options_.report(Diagnostic{
        .severity = Severity::warning,
        .id = "data-dependent-branch",
        .message = cat("the branch at ", id, " is baked in the way this run took it"),
        .where = {},
        .details = {},
        .why = cat("its condition comes from ", mark->origin, ", and --accept-guard names it"),
        .help = {}});
  return true;
}

/// Where an exception leaves what runs, it goes on from here.
Interpreter::Standing Interpreter::standing() const {
  return {callers_.size(), changed_lists_.size(), rolling_.size(), depth_, scope_, function_};
}

void Interpreter::stand(const Standing& at) {
  callers_.resize(at.callers);
  changed_lists_.resize(at.lists);
  depth_ = at.depth;
  scope_ = at.scope;
  function_ = at.function;
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
  const at::Tensor& truth = condition->truth;
  const auto blocks = node->blocks();
  const bool is_current = truth.defined() && recorder_->version(truth) == condition->truth_version;
  if (!is_current || !is_pure(blocks[0]) || !is_pure(blocks[1])) return false;
  const size_t known = recorder_->roots();
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
    if (error.diagnostic().id != "forward-failed" || rolling_.size() != before.rolling) throw;
    stand(before);
    return false;
  }
  if (may_fail(first_node)) return false;
  for (size_t i = 0; i < yes.size(); ++i)
    if (!is_same(marks_, yes[i], no[i]) && !can_choose(*recorder_, yes[i], no[i])) return false;
  node_ = node;
  Values out;
  const bool taken = truth.item().toBool();
  for (size_t i = 0; i < yes.size(); ++i)
    if (is_same(marks_, yes[i], no[i]))
      out.push_back(yes[i]);
    else if (!yes[i].isTensor())  // one of two numbers or strings, by data
      out.push_back(
          marks_.tainted(taken ? yes[i] : no[i], data_mark(condition->origin), "a branch"));
    else
      out.push_back(select(truth, yes[i], no[i]));
  for (size_t i = 0; i < out.size(); ++i)
    if (out[i].isTensor() && !is_same(marks_, yes[i], no[i]))
      recorder_->forbid_writes({out[i].toTensor(), yes[i].toTensor(), no[i].toTensor()}, known);
  set_outputs(node, env, std::move(out));
  return true;
}

c10::IValue Interpreter::select(const at::Tensor& condition, const c10::IValue& yes,
                                const c10::IValue& no) {
  const auto apply = [&](const char* name, const char* overload, torch::jit::Stack inputs) {
    const auto op = torch::jit::findOperatorFor(c10::OperatorName(name, overload));
    const Run run = make_run(op->getOperation());
    torch::jit::Stack stack = inputs;
    run(stack);
    const at::Tensor result = stack.at(0).toTensor();
    if (!recorder_->knows(result))
      recorder_->record(recorder_->prepare(*op, run, inputs, marks_, place()), {result});
    return result;
  };
  at::Tensor truth = condition;
  if (truth.scalar_type() != at::kBool) truth = apply("aten::ne", "Scalar", {truth, 0});
  if (truth.dim() > 0) truth = apply("aten::reshape", "", {truth, std::vector<int64_t>()});
  return apply("aten::where", "self", {truth, yes, no});
}

}  // namespace t2n::trace
