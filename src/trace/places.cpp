// Where two views of one tensor lie in it, over sizes: what is apart in this run of the model may
// meet at other sizes.
#include <algorithm>

#include "src/diag/error.h"
#include "src/trace/convert.h"
#include "src/trace/overlap.h"
#include "src/trace/recorder.h"
#include "src/trace/words.h"

namespace t2n::trace {

using ir::Comparison;
using ir::Dim;
using ir::Relation;

/// [start, end) of an axis, by `step`. What torch clamps to the axis is not clamped here.
struct Part {
  Dim start;
  Dim end;
  int64_t step = 1;
  friend bool operator==(const Part&, const Part&) = default;
};

/// What a chain of views shows of a tensor; if it is not exact, no more than this.
struct Box {
  std::vector<Part> parts;                  ///< by axis of the tensor
  std::vector<std::optional<size_t>> axes;  ///< of the tensor, by axis of the view
  std::vector<Comparison> needs;            ///< what this holds for
  bool is_exact = true;
};

namespace {

Box whole_box(const ir::Shape& shape) {
  Box box;
  for (const Dim& size : shape) {
    box.axes.emplace_back(box.parts.size());
    box.parts.push_back({0, size, 1});
  }
  return box;
}

/// A place as torch counts it: a negative one from the end.
Dim counted(const Dim& place, const Dim& size, const ir::Sizes& samples, Box& box) {
  if (place.is_constant()) return place.value() < 0 ? size + place : place;
  const bool from_front = place.substitute(samples).value() >= 0;
  box.needs.push_back({place, from_front ? Relation::ge : Relation::lt, 0});
  return from_front ? place : size + place;
}

const Dim* dim_of(const ir::Node& node, std::string_view name) {
  const ir::Attr* const attr = node.find(name);
  return attr == nullptr ? nullptr : std::get_if<Dim>(attr);
}

/// Takes [start, end) of an axis of what the box shows.
void cut(Box& box, size_t axis, const Dim& start, const std::optional<Dim>& end, int64_t step = 1) {
  const auto of = box.axes[axis];
  if (!of) {
    box.is_exact = false;
    return;
  }
  Part& part = box.parts[*of];
  const Dim unit = part.step;
  if (end) part.end = part.start + unit * *end;
  part.start = part.start + unit * start;
  part.step *= step;
}

size_t axis_of(const Box& box, const Dim& axis) {
  const auto rank = static_cast<int64_t>(box.axes.size());
  return static_cast<size_t>(axis.value() < 0 ? axis.value() + rank : axis.value());
}

bool swap_axes(Box& box, const ir::Node& node, const char* first, const char* second) {
  const Dim *a = dim_of(node, first), *b = dim_of(node, second);
  if (a == nullptr || b == nullptr || box.axes.empty()) return false;
  std::swap(box.axes[axis_of(box, *a)], box.axes[axis_of(box, *b)]);
  return true;
}

bool is_split(std::string_view op) {
  constexpr std::array<std::string_view, 6> kSplits = {
      "aten::split",        "aten::split_with_sizes", "aten::chunk",
      "aten::tensor_split", "aten::unsafe_split",     "aten::unsafe_chunk"};
  return is_one_of(op.substr(0, op.find('.')), kSplits);
}

/// A view of a part of an axis of `size`.
void follow_cut(Box& box, const ir::Node& node, size_t axis, const Dim& size, size_t output,
                const ir::Sizes& samples) {
  const std::string_view op = ir::op_name(node.op);
  const auto place = [&](const char* name) {
    const Dim* const dim = dim_of(node, name);
    return dim == nullptr ? Dim(0) : counted(*dim, size, samples, box);
  };
  const auto drop = [&] { box.axes.erase(box.axes.begin() + static_cast<int64_t>(axis)); };
  if (op == "aten::slice.Tensor") {
    const Dim *end = dim_of(node, "end"), *step = dim_of(node, "step");
    const bool is_open = end == nullptr || *end == Dim(INT64_MAX);
    box.is_exact = step != nullptr && step->is_constant();
    if (box.is_exact)
      cut(box, axis, place("start"), is_open ? std::nullopt : std::optional(place("end")),
          step->value());
  } else if (op == "aten::select.int") {
    const Dim at = place("index");
    cut(box, axis, at, at + Dim(1));
    drop();
  } else if (op == "aten::unbind.int") {
    const Dim at = static_cast<int64_t>(output);
    cut(box, axis, at, at + Dim(1));
    drop();
  } else if (const Dim* const length = dim_of(node, "length"); op == "aten::narrow" && length) {
    const Dim start = place("start");
    cut(box, axis, start, start + *length);
  } else {
    box.is_exact = false;
  }
}

/// Whether the two show nothing in common; what that relies on is appended.
bool are_apart(const Box& a, const Box& b, const ir::Sizes& samples, std::vector<Comparison>& out) {
  for (size_t axis = 0; axis < a.parts.size(); ++axis) {
    const Part &one = a.parts[axis], &other = b.parts[axis];
    const Dim gap = one.start - other.start;
    if (one.step == other.step && gap.is_constant() && gap.value() % one.step != 0) {
      out.push_back({one.start, Relation::ge, 0});
      out.push_back({other.start, Relation::ge, 0});
      return true;
    }
    for (const auto& [first, second] : {std::pair{one, other}, std::pair{other, one}}) {
      if (first.end.substitute(samples).value() > second.start.substitute(samples).value())
        continue;
      out.push_back({first.end, Relation::le, second.start});
      return true;
    }
  }
  return false;
}

/// Whether `a` begins nowhere behind `b`, and is counted in the same steps.
bool leads(const Box& a, const Box& b, const ir::Sizes& samples, std::vector<Comparison>& out) {
  if (!a.is_exact || !b.is_exact || a.axes != b.axes) return false;
  for (size_t axis = 0; axis < a.parts.size(); ++axis) {
    const Part &one = a.parts[axis], &other = b.parts[axis];
    if (one.step != other.step ||
        one.start.substitute(samples).value() > other.start.substitute(samples).value())
      return false;
    out.push_back({one.start, Relation::le, other.start});
  }
  return true;
}

}  // namespace

/// What a track shows of `base`, one of those that it is a view of.
Box Recorder::box_of(int track, int base) {
  if (track == base) return whole_box(shape_of(tracks_[static_cast<size_t>(base)].value));
  const Track of = tracks_[static_cast<size_t>(track)];
  Box box = box_of(of.parent, base);
  if (!box.is_exact) return box;
  const ir::Node& node = of.view->call.node;
  const std::string_view op = ir::op_name(node.op);
  if (op == "aten::detach" || op == "aten::alias") return box;
  if (op == "aten::transpose.int" && swap_axes(box, node, "dim0", "dim1")) return box;
  const Dim* const dim = dim_of(node, "dim");
  if (dim == nullptr || !dim->is_constant() || box.axes.empty()) {
    box.is_exact = false;
    return box;
  }
  const size_t axis = axis_of(box, *dim);
  const Dim size = shape_of(tracks_[static_cast<size_t>(of.parent)].value)[axis];
  if (is_split(op)) {
    Dim start;
    for (size_t i = 0; i < of.view->output; ++i) start = start + shape_of(node.outputs[i])[axis];
    cut(box, axis, start, start + shape_of(node.outputs[of.view->output])[axis]);
  } else {
    follow_cut(box, node, axis, size, of.view->output, ir::sample_sizes(graph_));
  }
  return box;
}

/// The views between `base` and the track are as large as in this run, and stand where they did.
void Recorder::rely_on_sizes(int track, int base) {
  const auto rely = [&](const Dim& dim, int64_t now) {
    if (!dim.is_constant()) relied_.push_back({dim, Relation::eq, now});
  };
  const ir::Sizes& samples = ir::sample_sizes(graph_);
  for (int at = track;; at = tracks_[static_cast<size_t>(at)].parent) {
    for (const Dim& size : shape_of(tracks_[static_cast<size_t>(at)].value))
      rely(size, size.substitute(samples).value());
    if (at == base) return;
    for (const ir::Argument& arg : tracks_[static_cast<size_t>(at)].view->call.node.args)
      if (const auto* one = std::get_if<Dim>(&arg.value))
        rely(*one, one->substitute(samples).value());
      else if (const auto* many = std::get_if<std::vector<Dim>>(&arg.value))
        for (const Dim& each : *many) rely(each, each.substitute(samples).value());
  }
}

/// That an operand which shares memory with what is written lies apart from it, or is the same, is
/// seen at the sizes of this run: the file holds where that is so.
void Recorder::rely_on_places(const std::string& name, const at::Tensor& written,
                              const torch::jit::Stack& inputs) {
  const int target = find(written);
  if (target < 0) return;
  const auto track = [this](int index) -> const Track& {
    return tracks_[static_cast<size_t>(index)];
  };
  std::vector<int> above;
  for (int at = target; at >= 0; at = track(at).parent) above.push_back(at);
  if (repeats(target)) rely_on_sizes(target, above.back());
  for (const c10::IValue& input : inputs)
    for (const at::Tensor& operand : flatten_tensors(input)) {
      const int source = operand.defined() ? find(operand) : -1;
      if (source < 0 || source == target || track(source).root != track(target).root) continue;
      int base = source;
      while (base >= 0 && std::find(above.begin(), above.end(), base) == above.end())
        base = track(base).parent;
      if (base < 0) continue;  // a write is refused where memory is shared in another way
      const Box a = box_of(target, base), b = box_of(source, base);
      const ir::Sizes& samples = ir::sample_sizes(graph_);
      std::vector<Comparison> relied = a.needs;
      relied.insert(relied.end(), b.needs.begin(), b.needs.end());
      const bool is_same = a.is_exact && b.is_exact && a.axes == b.axes && a.parts == b.parts;
      if (is_same || are_apart(a, b, samples, relied) ||
          (moves_forward(name, written, operand) && leads(a, b, samples, relied))) {
        relied_.insert(relied_.end(), relied.begin(), relied.end());
        continue;
      }
      rely_on_sizes(target, base);
      rely_on_sizes(source, base);
    }
}

}  // namespace t2n::trace
