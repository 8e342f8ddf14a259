// Branches on data: both ways run, and what they give is chosen by a select.
#include <algorithm>

#include "src/diag/error.h"
#include "src/trace/computed_numbers.h"
#include "src/trace/data_rules.h"
#include "src/trace/interpreter.h"

namespace t2n::trace {
namespace {

/// A plain value that is the same on both ways: nothing to choose.
bool is_same(const Marks& marks, const c10::IValue& a, const c10::IValue& b) {
  if (marks.of(a) || marks.of(b)) return false;
  if (a.isTensor() || b.isTensor())
    return a.isTensor() && b.isTensor() && a.toTensor().is_same(b.toTensor());
  return are_identical(a, b) || ((is_container(a) || a.isObject()) && a.is(b));
}

bool is_defined(const c10::IValue& value) { return value.isTensor() && value.toTensor().defined(); }

bool is_uninitialized(const c10::IValue& value) {
  return value.tagKind() == "Uninitialized";
}

std::string shape_of(const at::Tensor& tensor) {
  std::string out = "[";
  for (const int64_t size : tensor.sizes()) out += cat(out.size() > 1 ? ", " : "", size);
  return out + "]";
}

std::string kind_of_way(const c10::IValue& value) {
  if (value.isNone()) return "None";
  if (value.isTensor()) return "a tensor";
  return is_container(value) ? "a list or dictionary" : value.isObject() ? "an object" : "a value";
}

/// Why no select can choose between two tensors; empty if one can.
std::string obstacle_of(const Recorder& recorder, const at::Tensor& a, const at::Tensor& b) {
  if (a.is_quantized() || b.is_quantized())
    return "torch.where, which would choose, takes no quantised tensors: let both ways give their "
           "dequantize()d values";
  if (a.scalar_type() != b.scalar_type())
    return cat("its ways give tensors of types ", a.scalar_type(), " and ", b.scalar_type());
  if (a.sizes() != b.sizes())
    return cat("its ways give tensors of shapes ", shape_of(a), " and ", shape_of(b));
  if (recorder.tracks().has_open_shape({a, b}))
    return "its ways give tensors whose sizes follow from values";
  return {};
}

}  // namespace

/// Where an exception leaves what runs, it goes on from here.
struct Interpreter::Standing {
  size_t callers = 0;
  size_t loops = 0;
  size_t rolling = 0;
  size_t ways = 0;
  int depth = 0;
  ir::ScopeId scope = 0;
  std::string function;
};

Interpreter::Standing Interpreter::standing() const {
  return {position_.callers.size(), loops_.depth(),  loops_.rolling().size(), ways_.depth(),
          position_.depth,          position_.scope, position_.function};
}

void Interpreter::stand(const Standing& at) {
  position_.callers.resize(at.callers);
  loops_.leave(at.loops);
  ways_.leave_to(at.ways);
  position_.depth = at.depth;
  position_.scope = at.scope;
  position_.function = at.function;
}

/// What a block gives where `condition` holds. Nothing, and the obstacle, if it does what cannot be
/// undone, or does not fit these inputs.
std::optional<Interpreter::Values> Interpreter::run_way(torch::jit::Block* block, Env& env,
                                                        const FormulaRef& condition,
                                                        std::string& obstacle) {
  const Standing before = standing();
  ways_.enter(condition, recorder_->tracks().roots());
  try {
    run_block(block, env);
    Values out = take_results(block, env);
    ways_.leave_to(before.ways);
    return out;
  } catch (const LastingEffect& effect) {
    obstacle = cat("one of its ways ", effect.what());
  } catch (const Error& error) {
    if (error.diagnostic().id != "forward-failed") throw;
    obstacle = "one of its ways fails on these inputs";
  }
  if (loops_.rolling().size() != before.rolling)
    throw Error("data-dependent-branch", "a branch depends on the values of a tensor",
                cat("no select stands for it, since ", obstacle),
                "compute both ways and choose with torch.where");
  stand(before);
  return std::nullopt;
}

/// One of two values by data, or why there is none.
std::optional<c10::IValue> Interpreter::choose(const Mark& condition, bool taken,
                                               const c10::IValue& yes, const c10::IValue& no,
                                               std::string& obstacle) {
  // What one way leaves unset, nobody reads after it.
  if (is_uninitialized(yes)) return no;
  if (is_uninitialized(no) || is_same(marks_, yes, no)) return yes;
  const c10::IValue& now = taken ? yes : no;
  if (is_number(yes) && is_number(no)) {
    const FormulaRef choice =
        choice_formula(data_formula(condition), formula_of(yes), formula_of(no));
    if (choice) return marked(now, data_mark(condition->origin, choice));
    return marks_.tainted(now, data_mark(condition->origin), "a branch");
  }
  if (yes.isString() && no.isString())
    return marks_.tainted(now, data_mark(condition->origin), "a branch");
  if (yes.isTuple() && no.isTuple() &&
      yes.toTupleRef().elements().size() == no.toTupleRef().elements().size()) {
    std::vector<c10::IValue> elements;
    for (size_t i = 0; i < yes.toTupleRef().elements().size(); ++i) {
      auto each = choose(condition, taken, yes.toTupleRef().elements()[i],
                         no.toTupleRef().elements()[i], obstacle);
      if (!each) return std::nullopt;
      elements.push_back(*std::move(each));
    }
    return tuple_like(yes, std::move(elements));
  }
  if (!is_defined(yes) || !is_defined(no)) {
    obstacle = cat("its ways give ", kind_of_way(yes), " and ", kind_of_way(no));
    return std::nullopt;
  }
  obstacle = obstacle_of(*recorder_, yes.toTensor(), no.toTensor());
  if (!obstacle.empty()) return std::nullopt;
  ComputedNumbers computed(position_, marks_, *recorder_);
  return c10::IValue(computed.recorded("aten::where", "self",
                                       {computed.computed(*data_formula(condition)), yes, no}));
}

/// What is chosen is the memory of neither way.
void Interpreter::forbid_writes(const c10::IValue& chosen, const c10::IValue& yes,
                                const c10::IValue& no, size_t known) {
  if (chosen.isTuple()) {
    for (size_t i = 0; i < chosen.toTupleRef().elements().size(); ++i)
      forbid_writes(chosen.toTupleRef().elements()[i], yes.toTupleRef().elements()[i],
                    no.toTupleRef().elements()[i], known);
    return;
  }
  if (!is_defined(chosen) || !is_defined(yes) || !is_defined(no) ||
      chosen.toTensor().is_same(yes.toTensor()))
    return;
  recorder_->forbid_writes({chosen.toTensor(), yes.toTensor(), no.toTensor()}, known);
}

/// A select in the place of a branch. False, and the obstacle, if there is none.
bool Interpreter::select_branches(torch::jit::Node* node, const Mark& condition, bool taken,
                                  Env& env, std::string& obstacle) {
  const FormulaRef formula = data_formula(condition);
  if (!formula) return false;
  const auto blocks = node->blocks();
  const size_t known = recorder_->tracks().roots();
  const auto yes = run_way(blocks[0], env, formula, obstacle);
  if (!yes) return false;
  const auto no = run_way(blocks[1], env,
                          operation_formula("logical_not", FormulaType::truth, {formula}), obstacle);
  if (!no) return false;
  position_.node = node;
  Values out;
  for (size_t i = 0; i < yes->size(); ++i) {
    auto chosen = choose(condition, taken, (*yes)[i], (*no)[i], obstacle);
    if (!chosen) return false;
    out.push_back(*std::move(chosen));
  }
  for (size_t i = 0; i < out.size(); ++i) forbid_writes(out[i], (*yes)[i], (*no)[i], known);
  set_outputs(node, env, std::move(out));
  return true;
}

}  // namespace t2n::trace
