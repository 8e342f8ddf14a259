// What shares memory with what, where that follows from sizes or values.
#include <algorithm>

#include "src/diag/error.h"
#include "src/trace/recorder.h"

namespace t2n::trace {

using ir::Comparison;
using ir::Dim;
using ir::Relation;

namespace {

/// A view of a part of an axis.
bool cuts(const ir::Node& view) {
  const std::string_view op = ir::op_name(view.op);
  return op == "aten::slice.Tensor" || op == "aten::narrow" || op.starts_with("aten::split") ||
         op == "aten::chunk" || op.starts_with("aten::tensor_split");
}

}  // namespace

void Recorder::forbid_writes(const std::vector<at::Tensor>& choice, size_t known) {
  std::vector<size_t> of;
  for (const at::Tensor& tensor : choice) {
    const int track = find(tensor);
    T2N_ASSERT(track >= 0, "a choice of a tensor that is not known");
    of.push_back(static_cast<size_t>(tracks_[static_cast<size_t>(track)].root));
  }
  const bool are_new = std::all_of(of.begin(), of.end(), [&](size_t root) {
    return root >= known && std::count(of.begin(), of.end(), root) == 1 && !roots_[root].is_choice;
  });
  // Two results of one branch may share what the branch made: the second choice finds it here.
  for (const size_t root : of) roots_[root].is_choice = roots_[root].is_choice || !are_new;
}

void Recorder::lose(const at::Tensor& tensor, Place place) {
  const int track = track_of(tensor, place, {});
  roots_[static_cast<size_t>(tracks_[static_cast<size_t>(track)].root)].is_lost = true;
}

bool Recorder::is_choice(const at::Tensor& tensor) const {
  const int track = find(tensor);
  return track >= 0 &&
         roots_[static_cast<size_t>(tracks_[static_cast<size_t>(track)].root)].is_choice;
}

int64_t Recorder::version(const at::Tensor& tensor) const {
  const int track = find(tensor);
  return track < 0 ? 0
                   : roots_[static_cast<size_t>(tracks_[static_cast<size_t>(track)].root)].version;
}

std::optional<at::Tensor> Recorder::owner(const at::Tensor& tensor) const {
  int at = find(tensor);
  if (at < 0) return std::nullopt;
  while (tracks_[static_cast<size_t>(at)].parent >= 0) at = tracks_[static_cast<size_t>(at)].parent;
  const auto held = tracks_[static_cast<size_t>(at)].tensor.lock();
  if (!held) return std::nullopt;
  const at::Tensor out(held);
  const bool is_whole = out.is_contiguous() && out.storage_offset() == 0;
  return is_whole && out.scalar_type() == tensor.scalar_type() ? std::optional(out) : std::nullopt;
}

std::vector<Comparison> Recorder::layout_conditions(const at::Tensor& tensor) {
  std::vector<Comparison> out;
  const int index = find(tensor);
  if (index < 0 || !mark(tensor)) return out;
  const Track& track = tracks_[static_cast<size_t>(index)];
  const ir::Shape shape = graph_.values[static_cast<size_t>(track.value)].shape;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    const int64_t extent = shape[axis].value();
    const Dim size = size_symbol(track.value, static_cast<int64_t>(axis));
    if (extent > 0)
      out.push_back(extent == 1 ? Comparison{size, Relation::eq, 1}
                                : Comparison{size, Relation::ge, 2});
    if (track.parent < 0 || !cuts(track.view->call.node)) continue;
    const ir::ValueId base = tracks_[static_cast<size_t>(track.parent)].value;
    const ir::Shape whole = graph_.values[static_cast<size_t>(base)].shape;
    const Dim of = size_symbol(base, static_cast<int64_t>(axis));
    if (extent == whole[axis].value()) out.push_back({size, Relation::eq, of});
    if (extent < whole[axis].value()) out.push_back({size, Relation::lt, of});
  }
  return out;
}

void Recorder::relies_on_layout(const at::Tensor& tensor, const at::Tensor& result) {
  const bool by_values = is_open_shape(tensor);
  const std::vector<Comparison> conditions =
      keep_sizes_ && !by_values ? layout_conditions(tensor) : std::vector<Comparison>();
  if (!by_values && conditions.empty()) return;
  for (const at::Tensor& each : {tensor, result}) {
    const int track = find(each);
    if (track < 0) continue;
    Root& root = roots_[static_cast<size_t>(tracks_[static_cast<size_t>(track)].root)];
    root.follows_values = root.follows_values || by_values;
    root.layout.insert(root.layout.end(), conditions.begin(), conditions.end());
  }
}

}  // namespace t2n::trace
