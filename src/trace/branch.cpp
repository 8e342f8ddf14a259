// Branches on data: chosen by a select where both ways are pure, else refused or knowingly baked
// in.
#include <algorithm>
#include <sstream>

#include "src/diag/error.h"
#include "src/trace/interpreter.h"
#include "src/trace/operators.h"

namespace t2n::trace {
namespace {

/// The same plain value on both ways: nothing to choose.
bool is_same(const c10::IValue& a, const c10::IValue& b) {
  if (a.isTensor() || b.isTensor())
    return a.isTensor() && b.isTensor() && a.toTensor().is_same(b.toTensor());
  const bool plain = a.isNone() || a.isScalar() || a.isString();
  return plain && a.tagKind() == b.tagKind() && (a.isNone() || a.equals(b).toBool());
}

bool can_choose(const c10::IValue& a, const c10::IValue& b) {
  if (is_same(a, b)) return true;
  return a.isTensor() && b.isTensor() && a.toTensor().defined() && b.toTensor().defined() &&
         a.toTensor().sizes() == b.toTensor().sizes() &&
         a.toTensor().scalar_type() == b.toTensor().scalar_type();
}

}  // namespace

void Interpreter::refuse_branch(const torch::jit::Node* node, const Shadow& shadow) {
  const bool loop = node->kind() == c10::prim::Loop;
  const std::string id = guard_id();
  std::string help =
      loop ? "make the number of turns a constant or a size of an input"
           : "compute both ways and choose with torch.where, or decide outside of the model";
  if (!id.empty()) help += cat("; to keep the way of this run, give --accept-guard ", id);
  throw Error("data-dependent-branch",
              cat(loop ? "a loop" : "a branch", " depends on the values of a tensor"),
              cat("its condition comes from ", shadow->origin,
                  "; a file would hold the way of this one run"),
              help);
}

void Interpreter::note_decision(const torch::jit::Node* node, const Shadow& shadow, int64_t way) {
  if (!options_.keep_sizes || !shadow || shadow->kind == ShadowInfo::Kind::data) return;
  const Place here = place();
  decisions_.push_back({.kind = Decision::Kind::branch,
                        .id = node,
                        .way = way,
                        .comparison = shadow->comparison,
                        .sizes = shadow->expr,
                        .scope = here.scope,
                        .source = here.source});
}

void Interpreter::note_numbers(const torch::jit::Node* node, const torch::jit::Stack& inputs,
                               const std::vector<Shadow>& shadows) {
  if (!options_.keep_sizes) return;
  const auto note = [&](const Shadow& shadow, const c10::IValue& value) {
    if (!shadow || shadow->kind != ShadowInfo::Kind::opaque || depends_on_turn(shadow)) return;
    note_decision(node, shadow, 0);
    decisions_.back().kind = Decision::Kind::number;
    decisions_.back().comparison.reset();
    std::ostringstream text;
    text << value;
    decisions_.back().number = text.str();
  };
  for (size_t i = 0; i < inputs.size(); ++i) {
    note(shadows[i], inputs[i]);
    for (const Shadow& element : containers_.find(inputs[i])) note(element, inputs[i]);
  }
}

void Interpreter::note_loop(const torch::jit::Node* node, const Slot& trips,
                            const Slots& conditions, int64_t turns) {
  const Shadow& asked =
      trips.shadow || conditions.empty() ? trips.shadow : conditions.back().shadow;
  if (!options_.keep_sizes || !asked || asked->kind == ShadowInfo::Kind::data) return;
  note_decision(node, asked, turns);
  Decision& loop = decisions_.back();
  loop.kind = Decision::Kind::loop;
  loop.comparison.reset();
  if (!trips.shadow) loop.sizes = 0;  // its conditions say it, each by itself
  if (trips.shadow && asked->kind == ShadowInfo::Kind::size && !depends_on_turn(asked)) {
    // A loop that is left before its end needs the turns that it took, any other these alone.
    const bool is_left = !conditions.empty() && !conditions.back().value.toBool();
    using ir::Relation;
    const bool is_none = trips.value.toInt() < 0;
    loop.comparison = {asked->expr,
                       is_left   ? Relation::ge
                       : is_none ? Relation::le
                                 : Relation::eq,
                       turns};
  }
  for (const Slot& condition : conditions)
    if (!depends_on_turn(condition.shadow))
      note_decision(node, condition.shadow, condition.value.toBool() ? 1 : 0);
}

std::string Interpreter::guard_id() {
  const ir::SourceId source = place().source;
  if (source == ir::kNoSource) return {};
  const Frame& frame = graph_.sources[static_cast<size_t>(source)].frames.front();
  return cat(frame.file, ":", frame.line);
}

bool Interpreter::accept_guard(const Shadow& shadow) {
  const std::string id = guard_id();
  if (!options_.accepted_guards.contains(id)) return false;
  if (options_.report)
    options_.report(Diagnostic{
        .severity = Severity::warning,
        .id = "data-dependent-branch",
        .message = cat("the branch at ", id, " is baked in the way this run took it"),
        .where = {},
        .details = {},
        .why = cat("its condition comes from ", shadow->origin, ", and --accept-guard names it"),
        .help = {}});
  return true;
}

bool Interpreter::select_branches(torch::jit::Node* node, const Slot& condition, Env& env) {
  const at::Tensor& truth = condition.shadow->truth;
  const auto blocks = node->blocks();
  if (!truth.defined() || !is_pure(blocks[0]) || !is_pure(blocks[1])) return false;
  Slots yes;
  Slots no;
  try {
    run_block(blocks[0], env);
    yes = slots(blocks[0]->outputs(), env);
    run_block(blocks[1], env);
    no = slots(blocks[1]->outputs(), env);
  } catch (const Error& error) {
    // The way that this run does not take may not fit these inputs; then there is nothing to
    // choose.
    if (error.diagnostic().id != "forward-failed") throw;
    return false;
  }
  for (size_t i = 0; i < yes.size(); ++i)
    if (!can_choose(yes[i].value, no[i].value)) return false;
  node_ = node;
  Slots out;
  for (size_t i = 0; i < yes.size(); ++i)
    out.push_back(is_same(yes[i].value, no[i].value) ? yes[i] : select(truth, yes[i], no[i]));
  set_outputs(node, env, std::move(out));
  return true;
}

Slot Interpreter::select(const at::Tensor& condition, const Slot& yes, const Slot& no) {
  const auto apply = [&](const char* name, const char* overload, torch::jit::Stack inputs) {
    const auto op = torch::jit::findOperatorFor(c10::OperatorName(name, overload));
    const Run run = make_run(op->getOperation());
    torch::jit::Stack stack = inputs;
    run(stack);
    const at::Tensor result = stack.at(0).toTensor();
    if (!recorder_->knows(result))
      recorder_->record(recorder_->prepare(*op, run, inputs, std::vector<Shadow>(inputs.size()),
                                           containers_, place()),
                        {result});
    return result;
  };
  at::Tensor truth = condition;
  if (truth.scalar_type() != at::kBool) truth = apply("aten::ne", "Scalar", {truth, 0});
  if (truth.dim() > 0) truth = apply("aten::reshape", "", {truth, std::vector<int64_t>()});
  return {apply("aten::where", "self", {truth, yes.value, no.value}), nullptr};
}

}  // namespace t2n::trace
