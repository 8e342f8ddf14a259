// SPDX-License-Identifier: Apache-2.0
// The regions that views show of their base, as expressions over sizes: views that are disjoint in
// this run may overlap at other sizes.
#include "src/frontend/record/regions.h"

#include <algorithm>

#include "ir/prove.h"
#include "src/diag/error.h"
#include "src/diag/one_of.h"
#include "src/frontend/record/overlap.h"
#include "src/loops/iteration.h"

namespace t2n::trace {

using ir::Comparison;
using ir::Dim;
using ir::Relation;

/// [start, end) of an axis, by `step`. Bounds that torch clamps to the axis are not clamped here.
struct Part {
  Dim start;
  Dim end;
  int64_t step = 1;
  Dim offset = 0;  ///< start within the last cut's axis; torch uses 0 if it is negative
  Dim origin = 0;  ///< index of that 0 in the tensor's axis
  friend bool operator==(const Part&, const Part&) = default;
};

/// The part of a tensor that a chain of views shows; if not exact, an upper bound of it.
struct Box {
  std::vector<Part> parts;                  ///< by axis of the tensor
  std::vector<std::optional<size_t>> axes;  ///< the tensor's axis for each axis of the view
  std::vector<Comparison> needs;            ///< conditions under which this holds
  bool is_exact = true;
};

namespace {

Box full_box(const ir::Shape& shape) {
  Box box;
  for (const Dim& size : shape) {
    box.axes.emplace_back(box.parts.size());
    box.parts.push_back({0, size});
  }
  return box;
}

using Comparisons = std::vector<Comparison>;

/// Evaluates a comparison. A result that is only known for the sizes of this run is added to
/// `relied`. Nothing if it depends on the iteration of a loop.
std::optional<bool> holds(const Comparison& comparison, const ir::Sizes& samples,
                          Comparisons& relied) {
  const ir::Verdict verdict = ir::prove(comparison);
  if (verdict != ir::Verdict::unknown) return verdict == ir::Verdict::always;
  const Dim left = comparison.left.substitute(samples),
            right = comparison.right.substitute(samples);
  if (!left.is_constant() || !right.is_constant()) return std::nullopt;
  const bool result = ir::holds(left.value(), comparison.relation, right.value());
  relied.push_back(result ? comparison : ir::negated(comparison));
  return result;
}

/// An index from the front: torch counts negative ones from the end. Nothing if its sign depends on
/// an iteration.
std::optional<Dim> index_from_front(const Dim& index, const Dim& size, const ir::Sizes& samples,
                                    Box& box) {
  const auto from_front = holds({index, Relation::ge, 0}, samples, box.needs);
  if (!from_front) return std::nullopt;
  return *from_front ? index : size + index;
}

/// Restricts an axis of the view to [start, end).
void cut(Box& box, size_t axis, const Dim& start, const Dim& end, int64_t step,
         const ir::Sizes& samples) {
  const auto base_axis = box.axes[axis];
  if (!base_axis) {  // an axis of one element that the view added
    box.is_exact = box.is_exact && start == Dim(0) && end == Dim(1);
    return;
  }
  Part& part = box.parts[*base_axis];
  const Dim unit = part.step;
  const auto is_inside = holds({part.offset, Relation::ge, 0}, samples, box.needs);
  if (!is_inside) box.is_exact = false;
  const Dim origin = is_inside.value_or(false) ? part.start : part.origin;
  part = {origin + unit * start, origin + unit * end, part.step * step};
  if (ir::prove({start, Relation::ge, 0}) == ir::Verdict::always) return;
  part.offset = start;
  part.origin = origin;
}

size_t axis_of(const Box& box, const Dim& axis) {
  const auto rank = static_cast<int64_t>(box.axes.size());
  return axis.value() < 0 ? axis.value() + rank : axis.value();
}

/// Whether a slice is `x[:]`.
bool is_full_slice(const ir::Node& slice) {
  const Dim *start = loops::dim_of(slice, "start"), *end = loops::dim_of(slice, "end"),
            *step = loops::dim_of(slice, "step");
  return (start == nullptr || *start == Dim(0)) && (end == nullptr || *end == Dim(INT64_MAX)) &&
         (step == nullptr || *step == Dim(1));
}

/// Applies a view that shows all of its base, with axes permuted or added.
bool apply_permutation(Box& box, const ir::Node& node) {
  const std::string_view op = ir::op_name(node.op);
  constexpr std::array<std::string_view, 3> kSwaps = {"aten::transpose.int", "aten::swapaxes",
                                                      "aten::swapdims"};
  constexpr std::array<std::string_view, 3> kSame = {"aten::detach", "aten::alias",
                                                     "aten::contiguous"};
  const auto swap = [&](const Dim* a, const Dim* b) {
    if (a == nullptr || b == nullptr) return false;
    if (!box.axes.empty()) std::swap(box.axes[axis_of(box, *a)], box.axes[axis_of(box, *b)]);
    return true;
  };
  if (is_one_of(op, kSame) || (op == "aten::slice.Tensor" && is_full_slice(node))) return true;
  if (op == "aten::t" || op == "aten::numpy_T" || op == "aten::mT") {
    if (box.axes.size() > 2) return false;
    std::reverse(box.axes.begin(), box.axes.end());
    return true;
  }
  if (is_one_of(op, kSwaps)) {
    const std::string axis = op == "aten::swapaxes" ? "axis" : "dim";
    return swap(loops::dim_of(node, axis + "0"), loops::dim_of(node, axis + "1"));
  }
  if (const auto* dims = std::get_if<std::vector<Dim>>(node.find("dims"));
      op == "aten::permute" && dims != nullptr) {
    std::vector<std::optional<size_t>> axes;
    for (const Dim& dim : *dims) axes.push_back(box.axes[axis_of(box, dim)]);
    box.axes = std::move(axes);
    return true;
  }
  if (const Dim* const dim = loops::dim_of(node, "dim");
      op == "aten::unsqueeze" && dim != nullptr) {
    const auto rank = static_cast<int64_t>(box.axes.size()) + 1;
    const int64_t at = dim->value() < 0 ? dim->value() + rank : dim->value();
    box.axes.insert(box.axes.begin() + at, std::nullopt);
    return true;
  }
  return false;
}

bool is_split(std::string_view op) {
  constexpr std::array<std::string_view, 6> kSplits = {
      "aten::split",        "aten::split_with_sizes", "aten::chunk",
      "aten::tensor_split", "aten::unsafe_split",     "aten::unsafe_chunk"};
  return is_one_of(op.substr(0, op.find('.')), kSplits);
}

/// Applies a view of a part of an axis of `size`.
void apply_cut(Box& box, const ir::Node& node, size_t axis, const Dim& size, size_t output,
               const ir::Sizes& samples) {
  const std::string_view op = ir::op_name(node.op);
  const Dim *length = loops::dim_of(node, "length"), *step = loops::dim_of(node, "step");
  const auto bound = [&](const char* name) {
    const Dim* const dim = loops::dim_of(node, name);
    return dim == nullptr ? std::optional(Dim(0)) : index_from_front(*dim, size, samples, box);
  };
  std::optional<Dim> start, end;
  const bool drops = op == "aten::select.int" || op == "aten::unbind.int";
  if (op == "aten::unbind.int") start = Dim(static_cast<int64_t>(output));
  if (op == "aten::select.int") start = bound("index");
  if (op == "aten::slice.Tensor" || op == "aten::narrow") start = bound("start");
  if (start && drops) end = *start + Dim(1);
  if (start && op == "aten::narrow" && length != nullptr) end = *start + *length;
  if (op == "aten::slice.Tensor") {
    const Dim* const end_dim = loops::dim_of(node, "end");
    end = end_dim == nullptr || *end_dim == Dim(INT64_MAX) ? size : bound("end");
    if (step == nullptr || !step->is_constant()) end.reset();
  }
  if (start && end)
    cut(box, axis, *start, *end, step == nullptr ? 1 : step->value(), samples);
  else
    box.is_exact = false;
  if (drops) box.axes.erase(box.axes.begin() + static_cast<int64_t>(axis));
}

/// The conditions under which the two have no common element; nothing if that is not provable.
std::optional<Comparisons> are_disjoint(const Box& a, const Box& b, const ir::Sizes& samples) {
  for (size_t axis = 0; axis < a.parts.size(); ++axis) {
    const Part &one = a.parts[axis], &other = b.parts[axis];
    const Dim gap = one.start - other.start;
    if (one.step == other.step && gap.is_constant() && gap.value() % one.step != 0)
      return Comparisons{{one.offset, Relation::ge, 0}, {other.offset, Relation::ge, 0}};
    for (const auto& [first, second] : {std::pair{one, other}, std::pair{other, one}}) {
      Comparisons relied;
      if (holds({first.end, Relation::le, second.start}, samples, relied).value_or(false))
        return relied;
    }
  }
  return std::nullopt;
}

/// The conditions under which `a` begins at or before `b`, with the same steps.
std::optional<Comparisons> begins_before(const Box& a, const Box& b, const ir::Sizes& samples) {
  if (!a.is_exact || !b.is_exact || a.axes != b.axes) return std::nullopt;
  Comparisons relied;
  for (size_t axis = 0; axis < a.parts.size(); ++axis) {
    const Part &one = a.parts[axis], &other = b.parts[axis];
    const auto is_before = holds({one.start, Relation::le, other.start}, samples, relied);
    if (one.step != other.step || !is_before.value_or(false)) return std::nullopt;
  }
  return relied;
}

}  // namespace

ir::Shape size_symbols(ir::Graph& graph, ir::ValueId value) {
  ir::Shape shape = graph.values[value].shape;
  for (size_t axis = 0; axis < shape.size(); ++axis)
    shape[axis] = ir::size_symbol(graph, value, static_cast<int64_t>(axis));
  return shape;
}

/// The size of an axis, taken from the first view of the chain, starting at `base`, that has it.
Dim Regions::size_of(int entry, size_t axis, int base) {
  while (entry != base) {
    const ir::Node& node = aliases_[entry].view->call.node;
    if (ir::op_name(node.op) != "aten::slice.Tensor") break;
    const ir::Shape& shape = graph_.values[node.outputs.at(0)].shape;
    const Dim* const dim = loops::dim_of(node, "dim");
    const int64_t cut = dim == nullptr ? 0 : dim->value();
    const auto rank = static_cast<int64_t>(shape.size());
    const bool is_cut = (cut < 0 ? cut + rank : cut) == static_cast<int64_t>(axis);
    if (is_cut && !is_full_slice(node)) break;
    entry = aliases_[entry].parent;
  }
  return size_symbols(graph_, aliases_[entry].value)[axis];
}

/// The region of `base` that `entry`, a view of it, shows.
Box Regions::box_of(int entry, int base) {
  if (entry == base) return full_box(size_symbols(graph_, aliases_[base].value));
  const TensorInfo& info = aliases_[entry];
  Box box = box_of(info.parent, base);
  if (!box.is_exact) return box;
  const ir::Node& node = info.view->call.node;
  const std::string_view op = ir::op_name(node.op);
  if (apply_permutation(box, node)) return box;
  const Dim* const dim = loops::dim_of(node, "dim");
  if (dim == nullptr || !dim->is_constant() || box.axes.empty()) {
    box.is_exact = false;
    return box;
  }
  const size_t axis = axis_of(box, *dim);
  const Dim size = size_of(info.parent, axis, base);
  if (is_split(op)) {
    Dim start;
    for (size_t i = 0; i < info.view->output; ++i)
      start = start + size_symbols(graph_, node.outputs[i])[axis];
    cut(box, axis, start, start + size_symbols(graph_, node.outputs[info.view->output])[axis], 1,
        ir::sample_sizes(graph_));
  } else {
    apply_cut(box, node, axis, size, info.view->output, ir::sample_sizes(graph_));
  }
  return box;
}

std::optional<SymbolicSlice> Regions::symbolic_slice(const View& view) {
  const ir::Node& node = view.call.node;
  const std::string_view op = ir::op_name(node.op);
  const Dim* const dim = loops::dim_of(node, "dim");
  const bool narrows = op == "aten::narrow";
  if (!narrows && !is_split(op)) return {};
  const auto rank = static_cast<int64_t>(graph_.values[node.outputs.at(0)].shape.size());
  const int64_t dim_value = dim == nullptr ? 0 : dim->value();
  const int64_t axis = dim_value < 0 ? dim_value + rank : dim_value;
  const auto size = [&](size_t output) {
    return ir::size_symbol(graph_, node.outputs[output], axis);
  };
  if (!narrows) {
    Dim start;
    for (size_t i = 0; i < view.output; ++i) start = start + size(i);
    return SymbolicSlice{axis, start, start + size(view.output)};
  }
  const Dim* const start = loops::dim_of(node, "start");
  if (start == nullptr) return {};
  const Dim sample = start->substitute(ir::sample_sizes(graph_));
  if (!sample.is_constant() || sample.value() < 0) return {};
  if (ir::prove({*start, Relation::ge, 0}) != ir::Verdict::always)
    rely_on({{*start, Relation::ge, 0}});
  return SymbolicSlice{axis, *start, *start + size(0)};
}

/// The entry's region of the base is known only for the sizes of this run. Errors: `dynamic-loop`
/// if it depends on the iteration of a loop.
void Regions::rely_on_sizes(int entry, int base) {
  for (int at = entry;; at = aliases_[at].parent) {
    const TensorInfo& info = aliases_[at];
    if (at == base) {
      for (const Dim& size : size_symbols(graph_, info.value)) overlaps_.push_back(size);
      return;
    }
    const ir::Node& view = info.view->call.node;
    if (loops::mentions_iteration(view))
      loops::refuse_loop(
          graph_, view,
          "a view is written while another view of its tensor is read, and their overlap depends "
          "on the iteration",
          "clone() the view that is read");
    for (const ir::Argument& arg : view.args)
      for (const Dim& dim : ir::dims(arg.value)) overlaps_.push_back(dim);
  }
}

void Regions::rely_on_regions(const std::string& name, const at::Tensor& written,
                              const torch::jit::Stack& inputs) {
  const int target = aliases_.find(written);
  if (target < 0) return;
  const auto entry = [this](int index) -> const TensorInfo& { return aliases_[index]; };
  std::vector<int> bases;
  for (int at = target; at >= 0; at = entry(at).parent) bases.push_back(at);
  if (aliases_.repeats_elements(target)) rely_on_sizes(target, bases.back());
  for (const c10::IValue& input : inputs)
    for (const at::Tensor& operand : flatten_tensors(input)) {
      const int source = operand.defined() ? aliases_.find(operand) : -1;
      if (source < 0 || source == target || entry(source).root != entry(target).root) continue;
      int base = source;
      while (base >= 0 && std::find(bases.begin(), bases.end(), base) == bases.end())
        base = entry(base).parent;
      if (base < 0) continue;  // writes to memory that is shared in another way are refused
      const Box a = box_of(target, base), b = box_of(source, base);
      const ir::Sizes& samples = ir::sample_sizes(graph_);
      const bool is_same = a.is_exact && b.is_exact && a.axes == b.axes && a.parts == b.parts;
      auto relied = is_same ? std::optional(Comparisons()) : are_disjoint(a, b, samples);
      if (!relied && moves_forward(name, written, operand)) relied = begins_before(a, b, samples);
      if (relied) {
        for (const Comparisons& each : {a.needs, b.needs, *relied}) rely_on(each);
        continue;
      }
      rely_on_sizes(target, base);
      rely_on_sizes(source, base);
    }
}

}  // namespace t2n::trace
