// Loops of dynamic length: run iteration after iteration as any loop, recorded as one scan.
#include <algorithm>

#include "src/diag/error.h"
#include "src/trace/interpreter.h"
#include "src/trace/iteration.h"

namespace t2n::trace {
namespace {

using ir::Dim;
using ir::Relation;
using torch::jit::Block;
using torch::jit::Node;
using Steps = std::vector<std::optional<int64_t>>;

/// `count += 1`: what each iteration adds to a carried integer, if it is a constant.
Steps induction_steps(Block* body) {
  Steps out;
  for (size_t i = 1; i < body->outputs().size(); ++i) {
    out.emplace_back();
    const Node* node = body->outputs()[i]->node();
    const bool adds = node->kind() == c10::aten::add;
    if ((!adds && node->kind() != c10::aten::sub) || node->inputs().size() != 2 ||
        node->owningBlock() != body || node->input(0) != body->inputs()[i])
      continue;
    const auto step = torch::jit::toIValue(node->input(1));
    if (step && step->isInt()) out.back() = adds ? step->toInt() : -step->toInt();
  }
  return out;
}

Dim expression(const c10::IValue& value) {
  const Mark mark = mark_of(value);
  return is_size(mark) ? mark->size : Dim(unmarked(value).toInt());
}

/// How many iterations `while` takes, from the condition after an iteration: left + step *
/// iteration < right.
std::optional<Dim> iterations_of_while(const ir::Comparison& condition, const ir::Symbol& symbol) {
  Dim gap = condition.right - condition.left;
  Relation relation = condition.relation;
  Dim step = replaced(gap, symbol, 0) - replaced(gap, symbol, 1);
  if (relation == Relation::gt || relation == Relation::ge) {
    gap = Dim(-1) * gap;
    step = Dim(-1) * step;
    relation = mirrored(relation);
  }
  if (!step.is_constant() || step.value() <= 0) return std::nullopt;
  const Dim first = replaced(gap, symbol, 0);
  if (relation == Relation::le) return floor_div(first, step) + Dim(2);
  if (relation == Relation::lt || (relation == Relation::ne && step == Dim(1)))
    return floor_div(first + step - Dim(1), step) + Dim(1);
  return std::nullopt;
}

Dim length_of(const RolledLoop& loop) {
  const Mark trips = mark_of(loop.trips);
  if (is_size(trips)) return trips->size;
  const Mark condition = mark_of(loop.condition);
  if (condition && condition->comparison)
    if (const auto count = iterations_of_while(*condition->comparison, loop.symbol)) return *count;
  refuse_loop("how many iterations it takes cannot be told from its condition",
              "use `for t in range(n)`, or let a number grow by one up to a size");
}

/// Whether `a * iteration + c relation 0` is the same for all iterations but the first.
bool is_settled(Relation relation, int64_t a, int64_t c) {
  const int64_t second = a + c;
  const bool away = a > 0 ? second > 0 : second < 0;
  if (relation == Relation::eq || relation == Relation::ne) return away;
  const bool strict = relation == Relation::lt || relation == Relation::gt;
  const bool towards = (relation == Relation::lt || relation == Relation::le) == (a < 0);
  // It is true for good, or false for good.
  if (towards) return strict ? away : away || second == 0;
  return strict ? away || second == 0 : away;
}

bool is_same(const c10::IValue& a, const c10::IValue& b) { return a.is(b); }

bool begins_with(const c10::IValue& list, const c10::IValue& part) {
  const auto whole = list.toListRef(), first = part.toListRef();
  return first.size() <= whole.size() &&
         std::equal(first.begin(), first.end(), whole.begin(), is_same);
}

bool ends_with(const c10::IValue& list, const c10::IValue& part) {
  const auto whole = list.toListRef(), last = part.toListRef();
  return last.size() <= whole.size() &&
         std::equal(last.begin(), last.end(), whole.end() - last.size(), is_same);
}

}  // namespace

/// A branch on the number of the iteration may set the first iteration apart, and no other.
void Interpreter::check_iteration_branch(const Mark& condition) {
  if (!depends_on_iteration(condition)) return;
  const auto& asked = condition->comparison;
  const Dim gap = asked ? asked->left - asked->right : Dim(0);
  for (const ir::Symbol& symbol : gap.symbols()) {
    if (!symbol.is_iteration()) continue;
    const Dim c = replaced(gap, symbol, 0), a = replaced(gap, symbol, 1) - c;
    if (a.is_constant() && c.is_constant() && a.value() != 0 &&
        gap == c + a * Dim::symbol(symbol) && is_settled(asked->relation, a.value(), c.value()))
      return;
  }
  refuse_loop(
      "a branch in it goes another way in some iterations, by the number of the iteration",
      "only the first iteration may differ (`if t == 0`); compute both ways and choose with "
      "torch.where");
}

void Interpreter::check_carried(const Values& before, const Values& after,
                                const Steps& steps) const {
  for (size_t i = 0; i < before.size(); ++i) {
    const c10::IValue a = unmarked(before[i]);
    const c10::IValue b = unmarked(after[i]);
    if (steps[i] || keeps_content(a, b)) continue;
    refuse_loop("a number changes from iteration to iteration, and is no tensor",
                "let it grow by a constant (count += 1), or carry a tensor");
  }
}

void Interpreter::note_list(const std::string& name, const torch::jit::Stack& inputs) {
  const bool changes = name == "aten::append" || name == "aten::extend" || name == "aten::insert" ||
                       name == "aten::add_" || name == "aten::pop" || name == "aten::Delete" ||
                       name == "aten::clear" || name == "aten::mul_" || name == "aten::remove";
  if (!changes || !inputs[0].isList()) return;
  const bool leads = name == "aten::insert" && unmarked(inputs[1]).toInt() == 0;
  const bool grows = name == "aten::append" || name == "aten::extend" || name == "aten::add_";
  for (ChangedLists& lists : changed_lists_) {
    const ChangedList now{inputs[0], inputs[0].toListRef().size(), marks_.of(inputs[0]),
                          marks_.outline(inputs[0])};
    ChangedList& each = lists.try_emplace(inputs[0].internalToPointer(), now).first->second;
    each.only_grows = each.only_grows && grows;
    each.only_leads = each.only_leads && leads;
  }
}

/// A list that every iteration made longer or shorter: its length follows from that of the loop.
void Interpreter::follow_list(const c10::IValue& list, size_t before, const Mark& known,
                              int64_t iterations, const Dim& length) {
  const auto more = static_cast<int64_t>(list.toListRef().size()) - static_cast<int64_t>(before);
  if (iterations == 0) return;
  const Dim start = is_size(known) ? known->size : Dim(static_cast<int64_t>(before));
  if (more % iterations == 0 && (!known || is_size(known)))
    marks_.set(list, size_mark(start + Dim(more / iterations) * length));
  else if (!is_data(known))
    marks_.set(list, join(known, opaque_mark(length)));
}

/// A list to which every iteration added at its end, or at its front: what the iterations added is
/// one stretch.
void Interpreter::follow_grown(const c10::IValue& list, Outline before, bool at_end) {
  const Mark length = marks_.of(list);
  if (!is_size(length) || before.empty()) return;
  Stretch grown{length->size, static_cast<int64_t>(list.toListRef().size())};
  for (const Stretch& each : before) grown = {grown.length - each.length, grown.count - each.count};
  before.insert(at_end ? before.end() : before.begin(), grown);
  marks_.set_outline(list, std::move(before));
}

/// `list[iteration] = v` in a loop that takes a known number of iterations: the places that all its
/// iterations write are one stretch. Errors: `dynamic-loop` if the place moves otherwise, or the
/// rest of the list is not of constant length.
Outline Interpreter::written_in_iterations(const Mark& asked, const c10::IValue& list,
                                           bool is_from_end, Outline outline) {
  if (rolling_.empty())
    refuse_loop("a list is written at a place that is the number of an iteration, after the loop",
                "use a size, or the length of what the loop made");
  const RolledLoop& loop = *rolling_.back();
  const auto refuse_place = [] {
    refuse_loop(
        "a list is written at places that follow from the iteration in another way than one by one",
        "collect the elements with append, or fill a tensor");
  };
  if (!is_size(asked)) refuse_place();
  const Dim place = is_from_end ? asked->size + length_of(outline) : asked->size;
  const auto step = coefficient(place, loop.symbol);
  const Dim first = replaced(place, loop.symbol, 0);
  const bool forwards = step == 1, is_line = forwards || step == -1;
  if (outline.empty() || !is_line || mark_of(loop.condition) || mentions_iteration(first))
    refuse_place();
  const Dim iterations = expression(loop.trips);
  Dim low = forwards ? first : first + Dim(1) - iterations;
  const Dim rest = length_of(outline) - low - iterations;
  if (!low.is_constant() || !rest.is_constant() || low.value() < 0 || rest.value() < 0)
    refuse_place();
  const auto count = static_cast<int64_t>(list.toListRef().size());
  auto end = cut(outline, count - rest.value(), false);
  const size_t stretches = outline.size();
  const auto begin = end ? cut(outline, low.value(), true) : std::nullopt;
  if (!begin) refuse_place();
  *end += outline.size() - stretches;
  const auto from = outline.begin() + static_cast<int64_t>(*begin);
  const auto spot = outline.erase(from, outline.begin() + static_cast<int64_t>(*end));
  outline.insert(spot, {iterations, unmarked(loop.trips).toInt()});
  return outline;
}

/// A loop that is left by a condition tells nothing of lengths but that they follow from sizes.
void Interpreter::follow_lists(const ChangedLists& lists, int64_t iterations, const Mark& trips) {
  if (!is_size(trips)) return;
  for (const auto& [key, each] : lists) {
    follow_list(each.list, each.before, marks_.of(each.list), iterations, trips->size);
    if (each.only_grows || each.only_leads) follow_grown(each.list, each.outline, each.only_grows);
  }
}

/// One iteration, in which the numbers of the iteration are symbols.
void Interpreter::run_iteration(Block* body, Env& env, RolledLoop& loop) {
  const Dim iteration = Dim::symbol(loop.symbol);
  begin_written_iteration(loop);
  env[body->inputs()[0]] = marked(c10::IValue(loop.iterations), size_mark(iteration));
  for (size_t i = 0; i < loop.carried.size(); ++i) {
    if (loop.steps[i])
      loop.carried[i] = marked(loop.carried[i], size_mark(expression(loop.initial[i]) +
                                                          Dim(*loop.steps[i]) * iteration));
    env[body->inputs()[i + 1]] = loop.carried[i];
  }
  const torch::jit::Node* node = node_;
  run_block(body, env);
  node_ = node;
  Values results = take_results(body, env);
  loop.condition = results[0];
  Values after(results.begin() + 1, results.end());
  if (loop.iterations > 0) check_carried(loop.carried, after, loop.steps);
  for (size_t i = 0; i < after.size(); ++i) follow_rebound(loop, i, after[i]);
  loop.carried = std::move(after);
  for (size_t i = 0; i < loop.carried.size(); ++i)
    if (!loop.steps[i]) loop.carried[i] = marks_.after_iteration(loop.carried[i]);
  end_written_iteration(loop);
  note_iteration_end(loop);
  recorder_->end_iteration();
}

/// What the carried numbers and lists follow from after the loop.
void Interpreter::follow_carried(RolledLoop& loop, const ChangedLists& lists, const Dim& length) {
  for (const auto& [key, each] : lists) {
    follow_list(each.list, each.before, each.known, loop.iterations, length);
    if (each.only_grows || each.only_leads) follow_grown(each.list, each.outline, each.only_grows);
  }
  for (size_t i = 0; i < loop.carried.size(); ++i) {
    const c10::IValue& initial = loop.initial[i];
    c10::IValue& last = loop.carried[i];
    if (loop.steps[i])
      last = marked(last, size_mark(expression(initial) + Dim(*loop.steps[i]) * length));
    if (!initial.isList() || last.is(initial)) continue;
    follow_list(last, initial.toListRef().size(), marks_.of(initial), loop.iterations, length);
    if (begins_with(last, initial))
      follow_grown(last, marks_.outline(initial), true);
    else if (ends_with(last, initial))
      follow_grown(last, marks_.outline(initial), false);
  }
}

/// What the iterations after the first decided, said of the values that stay: they may have gone
/// another way, and so may each of them, by what the iterations before it left.
void Interpreter::decide_later(std::vector<Decision> later, const loops::Rolled& rolled,
                               size_t first) {
  const auto renamed = [&](const Dim& dim) {
    return dim.substitute([&](const ir::Symbol& symbol) -> std::optional<Dim> {
      const ir::Symbol::AxisSize* const size = symbol.axis_size();
      if (size == nullptr) return std::nullopt;
      const auto found = rolled.names.find(size->value);
      if (found != rolled.names.end())
        return Dim::symbol(ir::Symbol::AxisSize{found->second, size->axis});
      if (rolled.later.contains(size->value))
        refuse_loop(
            "one of its iterations decides by the size of a tensor that the first does not compute",
            "let all iterations compute the same, and choose with torch.where");
      return std::nullopt;
    });
  };
  for (Decision& decision : later) {
    decision.sizes = renamed(decision.sizes);
    if (auto& asked = decision.comparison)
      asked = ir::Comparison{renamed(asked->left), asked->relation, renamed(asked->right)};
    const auto from = decisions_.begin() + static_cast<int64_t>(first);
    if (std::find(from, decisions_.end(), decision) == decisions_.end())
      decisions_.push_back(std::move(decision));
  }
}

void Interpreter::run_rolled(Node* node, Env& env) {
  Block* body = node->blocks()[0];
  const Values initial = values(node->inputs().slice(2), env);
  RolledLoop loop(ir::Symbol::Iteration{static_cast<int64_t>(changed_lists_.size())});
  loop.trips = value(node->input(0), env);
  loop.condition = value(node->input(1), env);
  loop.initial = loop.carried = initial;
  loop.steps = induction_steps(body);
  changed_lists_.emplace_back();
  rolling_.push_back(&loop);
  recorder_->begin_loop(loop.symbol);
  const size_t before = decisions_.size();
  size_t decisions = before;
  std::vector<Decision> later;
  for (;; ++loop.iterations) {
    node_ = node;
    for (const Mark& mark : {mark_of(loop.trips), mark_of(loop.condition)})
      if (is_data(mark)) refuse_branch(node, mark);
    if (loop.iterations >= unmarked(loop.trips).toInt() || !unmarked(loop.condition).toBool())
      break;
    run_iteration(body, env, loop);
    if (loop.iterations == 0) decisions = decisions_.size();
    later.insert(later.end(), decisions_.begin() + static_cast<int64_t>(decisions),
                 decisions_.end());
    decisions_.resize(decisions);
  }
  const Dim length = length_of(loop);
  if (depends_on_iteration(size_mark(length)))
    refuse_loop("how many iterations it takes follows from the iteration of a loop around it",
                "let it take as many iterations in each iteration of the loop around it");
  decide_later(std::move(later), recorder_->end_loop(length, place()), before);
  const ChangedLists lists = std::move(changed_lists_.back());
  changed_lists_.pop_back();
  rolling_.pop_back();
  settle_accesses(loop, length);
  settle_iteration_ends(loop, length);
  follow_carried(loop, lists, length);
  // What the iterations leave behind is there after one of them.
  const Mark any = loop.iterations > 0 ? comparison_mark({length, Relation::ge, Dim(1)}) : nullptr;
  if (!depends_on_iteration(any)) settle(any, true);
  set_outputs(node, env, std::move(loop.carried));
}

}  // namespace t2n::trace
