// List elements at positions that follow from the iteration of a rolled loop. The sample's
// iterations are compared with each other; this file checks that the elements of further iterations
// are made in the same way.
#include <algorithm>
#include <array>

#include "src/diag/one_of.h"
#include "src/loops/iteration.h"
#include "src/trace/lists.h"

namespace t2n::trace {
namespace {

using ir::Dim;
using ir::Relation;
using torch::jit::Stack;

[[noreturn]] void refuse_list(std::string why) {
  loops::refuse_loop(
      std::move(why),
      "walk the list element by element (`for a in l`), or stack it and index the tensor");
}

size_t segment_of(const ListLayout& list_layout, int64_t place) {
  size_t at = 0;
  while (at + 1 < list_layout.size() && place >= list_layout[at].count)
    place -= list_layout[at++].count;
  return at;
}

}  // namespace

/// An access whose position changes from iteration to iteration, counted from the front that the
/// list had before the loop.
bool Lists::follows_iteration(const c10::IValue& list, const Mark& asked) const {
  if (loops_.rolling().empty()) return false;
  const Mark length = marks_.of(list);
  if (depends_on_iteration(asked)) return true;
  if (!is_size(length) || !depends_on_iteration(length)) return false;
  const ir::Symbol& iteration = loops_.rolling().back()->symbol;
  const auto step = loops::coefficient(length->size, iteration);
  return !step || *step < 0;  // its front moves
}

/// Whether the recorder may extrapolate beyond the sample's iterations: the elements are all the
/// same value, or results of one operation or loop, in its order.
bool Lists::are_alike(c10::ArrayRef<c10::IValue> elements) const {
  std::vector<std::pair<int64_t, at::Tensor>> placed;
  bool are_same = true, are_tensors = true;
  for (size_t i = 0; i < elements.size(); ++i) {
    const c10::IValue& element = elements[i];
    if (element.isTensor() && loops_.origins().is_of_open_loop(element.toTensor())) continue;
    are_same = are_same && element.is(elements.front());
    are_tensors = are_tensors && element.isTensor();
    if (element.isTensor()) placed.emplace_back(static_cast<int64_t>(i), element.toTensor());
  }
  return are_same || (are_tensors && loops_.origins().are_made_in_order(placed));
}

void Lists::settle_iteration_access(const std::string& name, const Stack& inputs,
                                    const Mark& asked) {
  constexpr std::array<std::string_view, 2> kChanges = {"aten::insert", "aten::Delete"};
  const c10::IValue& list = inputs[0];
  const Mark length = marks_.of(list);
  const auto elements = list.toListRef();
  const auto count = static_cast<int64_t>(elements.size());
  const int64_t given = unmarked(inputs[1]).toInt(), from = given < 0 ? given + count : given;
  if (from < 0 || from >= count) return;  // torch refuses it
  if ((asked && !is_size(asked)) || (length && !is_size(length)))
    refuse_list("which element of a list an iteration takes has no expression");
  const Dim whole = length ? length->size : Dim(count);
  Dim place = asked ? asked->size : Dim(given);
  if (given < 0) place = place + whole;
  if ((place - whole).is_constant()) return;  // the same position, counted from the end
  if (is_one_of(name, kChanges) || (name == "aten::pop" && depends_on_iteration(asked)))
    refuse_list(
        "elements of a list are put in or taken out at a place that follows from the iteration");
  if (name == "aten::_set_item") {
    if (!length)
      refuse_list(
          "a list of constant length is written at a place that follows from the iteration");
    return;  // changed_list_layout() follows it
  }
  if (elements[static_cast<size_t>(from)].isTensor() &&
      loops_.origins().is_of_open_loop(elements[static_cast<size_t>(from)].toTensor()))
    return;  // made by an earlier iteration: the recorder follows it
  ListLayout list_layout{{whole, count}};
  if (depends_on_iteration(length)) {
    const Dim before = loops::replaced(whole, loops_.rolling().back()->symbol, 0);
    place = place + before - whole;
    list_layout = {{before, count}};
  } else if (const ListLayout known = marks_.list_layout(list); !known.empty()) {
    list_layout = known;
  } else {
    settle_length(list);
    list_layout = {{Dim(count), count}};
  }
  const size_t at = depends_on_iteration(length) ? 0 : segment_of(list_layout, from);
  size_t first = 0;
  for (size_t i = 0; i < at; ++i) first += static_cast<size_t>(list_layout[i].count);
  const auto size =
      depends_on_iteration(length) ? elements.size() : static_cast<size_t>(list_layout[at].count);
  if (!are_alike(elements.slice(first, size)))
    refuse_list("elements of a list that were made in different ways are taken by the iteration");
  for (RolledLoop* loop : loops_.rolling()) {
    if (!place.mentions(loop->symbol)) continue;
    IterationAccess access{list_layout, place};
    const auto known = std::find(loop->accesses.begin(), loop->accesses.end(), access);
    if (known == loop->accesses.end()) loop->accesses.push_back(std::move(access));
  }
}

/// For all iterations, [low, high) must stay in the stretch that contains it now.
void Lists::settle_inside(const ListLayout& list_layout, const Dim& low, const Dim& high) {
  const auto now = [&](const Dim& dim) {
    const Dim out = dim.substitute(ir::sample_sizes(graph_));
    if (!out.is_constant())
      refuse_list("which part of a list an iteration takes has no expression");
    return out.value();
  };
  Dim begin;
  for (const ListSegment& segment : list_layout) {
    const Dim end = begin + segment.length;
    if (now(begin) <= now(low) && now(high) <= now(end)) {
      decisions_.settle(comparison_mark({begin, Relation::le, low}), true);
      decisions_.settle(comparison_mark({high, Relation::le, end}), true);
      return;
    }
    begin = end;
  }
  refuse_list("the iterations take elements of several parts of a list");
}

/// Checks the first iteration, and all others, whose positions may lie in another part of the list.
void Lists::settle_accesses(const RolledLoop& loop, const Dim& length) {
  for (const IterationAccess& access : loop.accesses) {
    const auto step = loops::coefficient(access.place, loop.symbol);
    const Dim first = loops::replaced(access.place, loop.symbol, 0);
    if (!step || (loops::mentions_iteration(first) && access.list_layout.size() > 1))
      refuse_list("which element of a list an iteration takes has no expression");
    if (loops::mentions_iteration(first)) continue;  // the loop around it bounds its own iterations
    settle_inside(access.list_layout, first, first + Dim(1));
    const Dim second = first + *step, last = first + *step * (length - Dim(1));
    settle_inside(access.list_layout, *step > 0 ? second : last,
                  (*step > 0 ? last : second) + Dim(1));
  }
}

/// `list[iteration] = v` in a loop with a known number of iterations: the positions that its
/// iterations write form one stretch. Errors: `dynamic-loop` if the position moves otherwise, or
/// the length of the rest of the list is not constant.
ListLayout Lists::written_in_iterations(const Mark& asked, const c10::IValue& list,
                                        bool is_from_end, ListLayout list_layout) {
  if (loops_.rolling().empty())
    loops::refuse_loop(
        "a list is written at a place that is the number of an iteration, after the loop",
        "use a size, or the length of what the loop made");
  const RolledLoop& loop = *loops_.rolling().back();
  const auto refuse_place = [] {
    loops::refuse_loop(
        "a list is written at places that follow from the iteration in another way than one by one",
        "collect the elements with append, or fill a tensor");
  };
  if (!is_size(asked)) refuse_place();
  const Dim place = is_from_end ? asked->size + length_of(list_layout) : asked->size;
  const auto step = loops::coefficient(place, loop.symbol);
  const Dim first = loops::replaced(place, loop.symbol, 0);
  const bool forwards = step == 1, is_line = forwards || step == -1;
  if (list_layout.empty() || !is_line || mark_of(loop.condition) ||
      loops::mentions_iteration(first))
    refuse_place();
  const Dim iterations = expression(loop.trips);
  Dim low = forwards ? first : first + Dim(1) - iterations;
  const Dim rest = length_of(list_layout) - low - iterations;
  if (!low.is_constant() || !rest.is_constant() || low.value() < 0 || rest.value() < 0)
    refuse_place();
  const auto count = static_cast<int64_t>(list.toListRef().size());
  auto end = cut(list_layout, count - rest.value(), false);
  const size_t segments = list_layout.size();
  const auto begin = end ? cut(list_layout, low.value(), true) : std::nullopt;
  if (!begin) refuse_place();
  *end += list_layout.size() - segments;
  const auto from = list_layout.begin() + static_cast<int64_t>(*begin);
  const auto spot = list_layout.erase(from, list_layout.begin() + static_cast<int64_t>(*end));
  list_layout.insert(spot, {iterations, unmarked(loop.trips).toInt()});
  return list_layout;
}

}  // namespace t2n::trace
