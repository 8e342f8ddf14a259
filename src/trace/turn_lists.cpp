// Elements of lists at places that follow from the turn of a rolled loop. The turns of the sample
// are compared with each other; that the elements of further turns are made like theirs is seen
// here.
#include <algorithm>
#include <array>

#include "src/diag/error.h"
#include "src/diag/one_of.h"
#include "src/trace/interpreter.h"

namespace t2n::trace {
namespace {

using ir::Dim;
using ir::Relation;
using torch::jit::Stack;

[[noreturn]] void refuse(std::string why) {
  throw Error("dynamic-loop", "a loop of dynamic length cannot be expressed as one scan",
              std::move(why),
              "walk the list element by element (`for a in l`), or stack it and index the tensor");
}

Dim in_turn(const Dim& dim, const ir::Symbol& symbol, const Dim& turn) {
  return dim.substitute(
      [&](const ir::Symbol& each) { return each == symbol ? std::optional(turn) : std::nullopt; });
}

size_t stretch_of(const Outline& outline, int64_t place) {
  size_t at = 0;
  while (at + 1 < outline.size() && place >= outline[at].count) place -= outline[at++].count;
  return at;
}

}  // namespace

/// An access at another place from turn to turn, counted from the front of the list as it was
/// before the loop.
bool Interpreter::follows_turn(const c10::IValue& list, const Mark& asked) const {
  if (rolling_.empty()) return false;
  const Mark length = marks_.of(list);
  if (depends_on_turn(asked)) return true;
  if (!is_size(length) || !depends_on_turn(length)) return false;
  const ir::Symbol& turn = rolling_.back()->symbol;
  const Dim step = in_turn(length->size, turn, 1) - in_turn(length->size, turn, 0);
  return step.is_constant() && step.value() < 0;  // its front moves on
}

/// Whether one stands for all: the same value, or tensors that one operation or loop made.
bool Interpreter::are_alike(c10::ArrayRef<c10::IValue> elements) const {
  std::vector<at::Tensor> tensors;
  bool are_same = true;
  for (const c10::IValue& element : elements) {
    if (element.isTensor() && recorder_->is_of_open_loop(element.toTensor())) continue;
    are_same = are_same && element.is(elements.front());
    if (element.isTensor()) tensors.push_back(element.toTensor());
  }
  return are_same || (tensors.size() == elements.size() && recorder_->are_made_together(tensors));
}

void Interpreter::settle_turn_access(const std::string& name, const Stack& inputs,
                                     const Mark& asked) {
  constexpr std::array<std::string_view, 2> kChanges = {"aten::insert", "aten::Delete"};
  const c10::IValue& list = inputs[0];
  const Mark length = marks_.of(list);
  const auto elements = list.toListRef();
  const auto count = static_cast<int64_t>(elements.size());
  const int64_t given = unmarked(inputs[1]).toInt(), from = given < 0 ? given + count : given;
  if (from < 0 || from >= count) return;  // torch refuses it
  if ((asked && !is_size(asked)) || (length && !is_size(length)))
    refuse("which element of a list a turn takes has no expression");
  const Dim whole = length ? length->size : Dim(count);
  Dim place = asked ? asked->size : Dim(given);
  if (given < 0) place = place + whole;
  if ((place - whole).is_constant()) return;  // the same from the end
  if (is_one_of(name, kChanges) || (name == "aten::pop" && depends_on_turn(asked)))
    refuse("elements of a list are put in or taken out at a place that follows from the turn");
  if (name == "aten::_set_item") {
    if (!length)
      refuse("a list of constant length is written at a place that follows from the turn");
    return;  // changed_outline() follows it
  }
  if (elements[static_cast<size_t>(from)].isTensor() &&
      recorder_->is_of_open_loop(elements[static_cast<size_t>(from)].toTensor()))
    return;  // of a turn before: the recorder follows it
  Outline outline{{whole, count}};
  if (depends_on_turn(length)) {
    const Dim before = in_turn(whole, rolling_.back()->symbol, 0);
    place = place + before - whole;
    outline = {{before, count}};
  } else if (const Outline known = marks_.outline(list); !known.empty()) {
    outline = known;
  } else {
    settle_length(list);
    outline = {{Dim(count), count}};
  }
  const size_t at = depends_on_turn(length) ? 0 : stretch_of(outline, from);
  size_t first = 0;
  for (size_t i = 0; i < at; ++i) first += static_cast<size_t>(outline[i].count);
  const auto size =
      depends_on_turn(length) ? elements.size() : static_cast<size_t>(outline[at].count);
  if (!are_alike(elements.slice(first, size)))
    refuse("elements of a list that were made in different ways are taken by the turn");
  for (RolledLoop* loop : rolling_) {
    if (!place.mentions(loop->symbol)) continue;
    TurnAccess access{outline, place};
    const auto known = std::find(loop->accesses.begin(), loop->accesses.end(), access);
    if (known == loop->accesses.end()) loop->accesses.push_back(std::move(access));
  }
}

/// All turns but the first must find their elements in one stretch.
void Interpreter::settle_accesses(const RolledLoop& loop, const Dim& length) {
  const ir::Sizes& samples = ir::sample_sizes(graph_);
  const auto now = [&](const Dim& dim) {
    const Dim out = dim.substitute(samples);
    return out.is_constant() ? std::optional(out.value()) : std::nullopt;
  };
  for (const TurnAccess& access : loop.accesses) {
    const Dim first = in_turn(access.place, loop.symbol, 0);
    const Dim step = in_turn(access.place, loop.symbol, 1) - first;
    const bool is_line =
        step.is_constant() && access.place == first + step * Dim::symbol(loop.symbol);
    if (!is_line || depends_on_turn(size_mark(first))) {
      if (access.outline.size() > 1) refuse("which part of a list a turn takes has no expression");
      continue;
    }
    const Dim second = first + step, last = first + step * (length - Dim(1));
    const bool forwards = step.value() > 0;
    const Dim low = forwards ? second : last, high = (forwards ? last : second) + Dim(1);
    Dim begin;
    bool is_inside = false;
    for (const Stretch& stretch : access.outline) {
      const Dim end = begin + stretch.length;
      const auto a = now(begin), b = now(end), c = now(low), d = now(high);
      is_inside = a && b && c && d && *a <= *c && *d <= *b;
      if (is_inside) {
        settle(comparison_mark({begin, Relation::le, low}), true);
        settle(comparison_mark({high, Relation::le, end}), true);
        break;
      }
      begin = end;
    }
    if (!is_inside) refuse("the turns take elements of several parts of a list");
  }
}

}  // namespace t2n::trace
