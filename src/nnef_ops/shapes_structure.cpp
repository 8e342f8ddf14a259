// Shapes of operations that move, concatenate and slice tensors (§4.5), and of inputs and variables
// (§4.1).
#include <algorithm>
#include <array>

#include "src/nnef_ops/shape_call.h"

namespace t2n::spec {
namespace {

/// More than any statement has names, to bound the memory.
constexpr int64_t kMostResults = 1 << 16;

Shapes declared_shape(const ShapeCall& call) {
  return {call.positive("shape", call.list_size("shape"))};
}

Shapes constant(const ShapeCall& call) {
  Shapes out = declared_shape(call);
  const size_t count = call.list_size("value");
  const int64_t expected = volume(out[0]);
  call.require(count == 1 || static_cast<int64_t>(count) == expected, "'value' has ", count,
               " values, and a tensor of shape ", shape_text(out[0]), " has ", expected);
  return out;
}

Shapes variable(const ShapeCall& call) {
  Shapes out = declared_shape(call);
  call.require(out[0].size() <= 8, "a stored tensor has at most 8 axes, and this one ",
               out[0].size());
  return out;
}

Shapes update(const ShapeCall& call) {
  const Ints variable = call.shape("variable");
  const Ints value = call.shape("value");
  call.require(variable == value, "the variable has the shape ", shape_text(variable),
               ", and its new value ", shape_text(value));
  return {variable};
}

/// The axes of the input that a reshape affects.
std::pair<size_t, size_t> reshaped_range(const ShapeCall& call, size_t rank) {
  const int64_t start = call.integer("axis_start");
  const int64_t count = call.integer("axis_count");
  const auto limit = static_cast<int64_t>(rank);
  call.require(start >= 0 && start <= limit, "'axis_start' is ", start, " for a tensor with ", rank,
               " axes");
  call.require(count >= -1 && count <= limit - start, "'axis_count' is ", count, " from axis ",
               start, " of a tensor with ", rank, " axes");
  return {start, count == -1 ? limit : start + count};
}

/// The new extents, with 0 and -1 resolved.
Ints resolved_shape(const ShapeCall& call, const Ints& input, size_t begin, size_t end) {
  Ints shape = call.ints("shape");
  for (size_t i = 0; i < shape.size(); ++i) {
    call.require(shape[i] >= -1, "'shape' is ", shape_text(shape), ", with less than -1");
    if (shape[i] != 0) continue;
    call.require(begin + i < input.size(), "'shape' copies axis ", begin + i, ", and the input ",
                 shape_text(input), " has no such axis");
    shape[i] = input[begin + i];
  }
  const auto inferred = std::find(shape.begin(), shape.end(), -1);
  const int64_t elements = volume(Ints(axis_at(input, begin), axis_at(input, end)));
  if (inferred != shape.end()) {
    *inferred = 1;
    call.require(std::find(shape.begin(), shape.end(), -1) == shape.end(),
                 "'shape' contains -1 more than once");
    const int64_t known = volume(shape);
    call.require(elements % known == 0, elements, " elements are not divisible by ", known);
    *inferred = elements / known;
  }
  call.require(volume(shape) == elements, "the shape ", shape_text(shape), " has ", volume(shape),
               " elements, and the input ", shape_text(input), " has ", elements, " there");
  return shape;
}

Shapes reshape(const ShapeCall& call) {
  const Ints input = call.shape("input");
  const auto [begin, end] = reshaped_range(call, input.size());
  const Ints middle = resolved_shape(call, input, begin, end);
  Ints out(input.begin(), axis_at(input, begin));
  out.insert(out.end(), middle.begin(), middle.end());
  out.insert(out.end(), axis_at(input, end), input.end());
  return {out};
}

Shapes squeeze(const ShapeCall& call) {
  const Ints input = call.shape("input");
  const Ints axes = call.axes("axes", input.size());
  Ints out;
  for (size_t i = 0; i < input.size(); ++i) {
    const bool is_removed =
        std::find(axes.begin(), axes.end(), static_cast<int64_t>(i)) != axes.end();
    call.require(!is_removed || input[i] == 1, "axis ", i, " of ", shape_text(input),
                 " has not the extent 1");
    if (!is_removed) out.push_back(input[i]);
  }
  return {out};
}

/// Axes refer to the result. Readers disagree if they are not ascending.
Shapes unsqueeze(const ShapeCall& call) {
  const Ints input = call.shape("input");
  const Ints axes = call.axes("axes", input.size() + call.list_size("axes"));
  call.require(std::is_sorted(axes.begin(), axes.end()), "'axes' must ascend");
  Ints out = input;
  for (const int64_t axis : axes) out.insert(axis_at(out, static_cast<size_t>(axis)), 1);
  return {out};
}

Shapes transpose(const ShapeCall& call) {
  const Ints input = call.shape("input");
  const size_t count = call.list_size("axes");
  call.require(count <= input.size(), "'axes' has ", count, " axes, and the tensor ", input.size());
  const Ints axes = call.axes("axes", count);
  Ints out = input;
  for (size_t i = 0; i < count; ++i) out[i] = input[axes[i]];
  return {out};
}

Shapes split(const ShapeCall& call) {
  const Ints value = call.shape("value");
  const size_t axis = call.axis("axis", value.size());
  const Ints ratios = call.positive("ratios", call.list_size("ratios"));
  int64_t sum = 0;
  for (const int64_t ratio : ratios) sum += ratio;
  call.require(sum > 0 && value[axis] % sum == 0, "the extent ", value[axis],
               " cannot be split into ", shape_text(ratios));
  Shapes out(ratios.size(), value);
  for (size_t i = 0; i < out.size(); ++i) out[i][axis] = value[axis] / sum * ratios[i];
  return out;
}

void check_equal(const ShapeCall& call, const Ints& a, const Ints& b, size_t except) {
  bool equal = a.size() == b.size();
  for (size_t i = 0; equal && i < a.size(); ++i) equal = i == except || a[i] == b[i];
  call.require(equal, "the shapes ", shape_text(a), " and ", shape_text(b), " are incompatible");
}

Shapes concat(const ShapeCall& call) {
  const Shapes values = call.shapes("values");
  call.require(!values.empty(), "the list of tensors is empty");
  const size_t axis = call.axis("axis", values[0].size());
  Ints out = values[0];
  for (size_t i = 1; i < values.size(); ++i) {
    check_equal(call, values[0], values[i], axis);
    out[axis] += values[i][axis];
  }
  return {out};
}

Shapes stack(const ShapeCall& call) {
  const Shapes values = call.shapes("values");
  call.require(!values.empty(), "the list of tensors is empty");
  const size_t axis = call.axis("axis", values[0].size() + 1);
  for (const Ints& value : values) check_equal(call, values[0], value, value.size());
  Ints out = values[0];
  out.insert(axis_at(out, axis), static_cast<int64_t>(values.size()));
  return {out};
}

Shapes unstack(const ShapeCall& call) {
  const Ints value = call.shape("value");
  const size_t axis = call.axis("axis", value.size());
  Ints shape = value;
  shape.erase(axis_at(shape, axis));
  const int64_t count = std::min(value[axis], kMostResults);
  return Shapes(static_cast<size_t>(count), shape);
}

/// The number of elements in a slice. Like every reader, and unlike §4.5.4, it counts an incomplete
/// last step.
int64_t sliced(const ShapeCall& call, int64_t extent, int64_t begin, int64_t end, int64_t stride) {
  const auto clamped = [&](int64_t at) {
    return std::clamp<int64_t>(at < 0 ? at + extent : at, -1, extent);
  };
  const int64_t first = clamped(begin);
  const int64_t last = clamped(end);
  const bool inside = stride > 0 ? first >= 0 && first < last : last < first && first < extent;
  call.require(inside, "from ", begin, " to ", end, " by ", stride,
               ": the slice is empty, the extent is ", extent);
  const int64_t length = stride > 0 ? last - first : first - last;
  const int64_t step = stride > 0 ? stride : -stride;
  return (length + step - 1) / step;
}

Shapes slice(const ShapeCall& call) {
  Ints out = call.shape("input");
  const Ints axes = call.axes("axes", out.size());
  const Ints begin = call.ints("begin");
  Ints end = call.ints("end");
  Ints stride = call.ints("stride");
  call.require(begin.size() == axes.size() && end.size() == axes.size(),
               "'axes', 'begin' and 'end' have ", axes.size(), ", ", begin.size(), " and ",
               end.size(), " numbers");
  call.require(stride.empty() || stride.size() == axes.size(), "'stride' has ", stride.size(),
               " numbers for ", axes.size(), " axes");
  if (stride.empty()) stride.assign(axes.size(), 1);
  const bool is_plain =
      std::count(stride.begin(), stride.end(), 1) == static_cast<ptrdiff_t>(stride.size());
  for (size_t i = 0; i < axes.size(); ++i) {
    int64_t& extent = out[axes[i]];
    call.require(stride[i] != 0, "'stride' is 0");
    if (is_plain && end[i] == 0) end[i] = extent;
    extent = sliced(call, extent, begin[i], end[i], stride[i]);
  }
  return {out};
}

Shapes pad(const ShapeCall& call) {
  Ints out = call.shape("input");
  const Pairs padding = call.pairs("padding");
  call.one_of("border", kFilledBorders);
  call.require(padding.size() == out.size(), "'padding' has ", padding.size(),
               " pairs, and the tensor ", out.size(), " axes");
  for (size_t i = 0; i < out.size(); ++i) {
    check_reflection(call, i, out[i], padding[i]);
    out[i] += padding[i].first + padding[i].second;
    call.require(out[i] > 0, "axis ", i, " of the result has the extent ", out[i]);
  }
  return {out};
}

Shapes tile(const ShapeCall& call) {
  Ints out = call.shape("input");
  const Ints repeats = call.positive("repeats", out.size());
  for (size_t i = 0; i < out.size(); ++i) out[i] = product(out[i], repeats[i]);
  return {out};
}

Shapes gather(const ShapeCall& call) {
  const Ints input = call.shape("input");
  const Ints indices = call.shape("indices");
  const size_t axis = call.axis("axis", input.size());
  Ints out(input.begin(), axis_at(input, axis));
  out.insert(out.end(), indices.begin(), indices.end());
  out.insert(out.end(), axis_at(input, axis + 1), input.end());
  return {out};
}

Shapes copy_n(const ShapeCall& call) {
  const int64_t times = call.integer("times");
  call.require(times > 0 && times <= kMostResults, "'times' is ", times);
  return Shapes(static_cast<size_t>(times), call.shape("x"));
}

Shapes add_n(const ShapeCall& call) {
  const Shapes values = call.shapes("x");
  call.require(!values.empty(), "the list of tensors is empty");
  for (const Ints& value : values) check_equal(call, values[0], value, value.size());
  return {values[0]};
}

constexpr std::array kStructureRows = {ShapeRow{"external", declared_shape},
                                       ShapeRow{"constant", constant},
                                       ShapeRow{"variable", variable},
                                       ShapeRow{"update", update},
                                       ShapeRow{"reshape", reshape},
                                       ShapeRow{"squeeze", squeeze},
                                       ShapeRow{"unsqueeze", unsqueeze},
                                       ShapeRow{"transpose", transpose},
                                       ShapeRow{"split", split},
                                       ShapeRow{"concat", concat},
                                       ShapeRow{"stack", stack},
                                       ShapeRow{"unstack", unstack},
                                       ShapeRow{"slice", slice},
                                       ShapeRow{"pad", pad},
                                       ShapeRow{"tile", tile},
                                       ShapeRow{"gather", gather},
                                       ShapeRow{"copy_n", copy_n},
                                       ShapeRow{"add_n", add_n}};

}  // namespace

std::span<const ShapeRow> structure_shapes() { return kStructureRows; }

}  // namespace t2n::spec
