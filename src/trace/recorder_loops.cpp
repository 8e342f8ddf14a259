// The recorder's part in rolled loops.
#include <algorithm>

#include "src/trace/iteration.h"
#include "src/trace/recorder.h"

namespace t2n::trace {

void Recorder::begin_loop(const ir::Symbol& number) {
  rolling_.begin_loop(number);
  tracks_.begin_iteration();
}

void Recorder::end_iteration() {
  rolling_.end_iteration();
  tracks_.begin_iteration();
  // Read later, they would be taken for numbers of another iteration.
  std::erase_if(numbers_, [](const auto& each) {
    return std::any_of(each.second.begin(), each.second.end(), depends_on_iteration);
  });
}

loops::Rolled Recorder::end_loop(const ir::Dim& length, Place place) {
  marked_nodes_ = rolling_.open().back().bounds.front();
  loops::Rolled out = rolling_.end_loop(length, place);
  mark_new_nodes();
  return out;
}

void Recorder::check_view(const Track& track) const {
  if (track.view == nullptr || track.iteration == tracks_.iteration() ||
      !mentions_iteration(track.view->call.node))
    return;
  refuse_loop(graph_, track.view->call.node,
              "a view that one iteration made is read or written in another",
              "clone() it in the iteration that makes it");
}

}  // namespace t2n::trace
