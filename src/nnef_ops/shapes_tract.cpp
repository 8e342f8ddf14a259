// Shape rules of tract's operations. The standard's rules are reused where tract requires the same
// or more. A rule here only refuses calls that every version of tract refuses or cannot run.
#include <algorithm>
#include <array>
#include <map>

#include "src/nnef_ops/elementwise.h"
#include "src/nnef_ops/tract_rules.h"

namespace t2n::spec {
namespace {

MaybeShapes tract_declared_shape(const ShapeCall& call) { return one_shape(call.ints("shape")); }

MaybeShapes same_as_first(const ShapeCall& call) { return one_shape(call.first_shape()); }

/// Axes of size 1 are broadcast, and so are missing ones at the end.
MaybeShapes broadcast_operands(const ShapeCall& call) {
  Ints out;
  for (const Ints& shape : call.operand_shapes()) out = broadcast(call, out, shape);
  return one_shape(out);
}

MaybeShapes tract_unsqueeze(const ShapeCall& call) {
  Ints out = call.shape("input");
  Ints axes = call.ints("axes");
  std::sort(axes.begin(), axes.end());
  for (const int64_t axis : axes) {
    call.require(axis >= 0 && axis <= static_cast<int64_t>(out.size()), "'axes' names axis ", axis,
                 " of a tensor with ", out.size(), " axes");
    out.insert(axis_at(out, static_cast<size_t>(axis)), 1);
  }
  return one_shape(out);
}

MaybeShapes tract_slice(const ShapeCall& call, Slices beyond) {
  Ints out = call.shape("input");
  const Ints axes = call.axes("axes", out.size());
  const Ints begin = call.ints("begin"), end = call.ints("end"), stride = call.ints("stride");
  if (begin.size() != axes.size() || end.size() != axes.size()) return {};
  if (!stride.empty() && stride.size() != axes.size()) return {};
  for (size_t i = 0; i < axes.size(); ++i) {
    int64_t& extent = out[axes[i]];
    const int64_t first = begin[i] < 0 ? begin[i] + extent : begin[i];
    int64_t last = end[i] <= 0 ? end[i] + extent : end[i];
    if (last > extent && beyond == Slices::unknown) return {};
    call.require(last <= extent || beyond != Slices::refused, "the slice ends at ", last, " of ",
                 extent);
    last = std::min(last, extent);
    if (first < 0 || first > last) return {};
    const int64_t step = stride.empty() ? 1 : std::abs(stride[i]);
    if (step == 0) return {};
    extent = (last - first + step - 1) / step;
  }
  return one_shape(out);
}

MaybeShapes tract_pad(const ShapeCall& call) {
  Ints out = call.shape("input");
  const Pairs padding = call.pairs("padding");
  if (padding.size() != out.size()) return {};
  for (size_t i = 0; i < out.size(); ++i) out[i] += padding[i].first + padding[i].second;
  return one_shape(out);
}

MaybeShapes tract_tile(const ShapeCall& call) {
  Ints out = call.shape("input");
  const Ints repeats = call.ints("repeats");
  call.require(repeats.size() == out.size(), "'repeats' has ", repeats.size(),
               " numbers, and the tensor ", out.size(), " axes");
  for (size_t i = 0; i < out.size(); ++i) out[i] = product(out[i], repeats[i]);
  return one_shape(out);
}

/// Axes are matched from the last on, as in numpy.
MaybeShapes broadcast_to(const ShapeCall& call) {
  Ints a = call.shape("input"), b = call.ints("shape");
  std::reverse(a.begin(), a.end());
  std::reverse(b.begin(), b.end());
  if (a.size() < b.size()) std::swap(a, b);
  for (size_t i = 0; i < b.size(); ++i) {
    call.require(a[i] == b[i] || a[i] == 1 || b[i] == 1, "the shape ",
                 shape_text(call.shape("input")), " does not broadcast to ",
                 shape_text(call.ints("shape")));
    if (a[i] == 1) a[i] = b[i];
  }
  std::reverse(a.begin(), a.end());
  return one_shape(a);
}

MaybeShapes tract_gather(const ShapeCall& call) {
  const Ints input = call.shape("input"), indices = call.shape("indices");
  const size_t axis = call.axis("axis", input.size());
  Ints out(input.begin(), axis_at(input, axis));
  out.insert(out.end(), indices.begin(), indices.end());
  out.insert(out.end(), axis_at(input, axis + 1), input.end());
  return one_shape(out);
}

MaybeShapes as_indices(const ShapeCall& call) { return one_shape(call.shape("indices")); }

MaybeShapes topk(const ShapeCall& call) {
  Ints out = call.shape("input");
  const auto k = call.number_of("k");
  if (!k) return {};
  const size_t axis = call.axis("axis", out.size());
  call.require(*k <= out[axis], "'k' is ", *k, " of ", out[axis], " values");
  out[axis] = *k;
  return Shapes{out, out};
}

/// Entries from `start` up to, but not including, `end`.
MaybeShapes range(const ShapeCall& call) {
  const auto start = call.number_of("start"), end = call.number_of("end"),
             step = call.number_of("step");
  if (!start || !end || !step || *step == 0) return {};
  const int64_t direction = *step > 0 ? *end - *start : *start - *end;
  const int64_t size = std::abs(*step);
  return one_shape({direction <= 0 ? 0 : (direction + size - 1) / size});
}

MaybeShapes dyn_slice(const ShapeCall& call) {
  Ints out = call.shape("input");
  out[call.axis("axis", out.size())] = call.integer("len");
  return one_shape(out);
}

MaybeShapes one_hot(const ShapeCall& call) {
  Ints out = call.shape("input");
  out.insert(axis_at(out, call.axis("axis", out.size() + 1)), call.integer("dim"));
  return one_shape(out);
}

constexpr TractRow kTractRows[] = {
    {"external", tract_declared_shape},
    {"tract_core_external", tract_declared_shape},
    {"variable", tract_declared_shape},
    {"unsqueeze", tract_unsqueeze},
    {"pad", tract_pad},
    {"tile", tract_tile},
    {"tract_core_broadcast", broadcast_to},
    {"tract_core_gather", tract_gather},
    {"tract_core_gather_elements", as_indices},
    {"tract_core_topk", topk},
    {"tract_core_range", range},
    {"tract_core_dyn_slice", dyn_slice},
    {"tract_core_one_hot", one_hot},
};

/// Operations that follow a rule of the standard, under the same name or another.
struct StandardRow {
  std::string_view operation;
  std::string_view standard;
};
constexpr StandardRow kStandard[] = {
    {"reshape", "reshape"},
    {"squeeze", "squeeze"},
    {"transpose", "transpose"},
    {"concat", "concat"},
    {"stack", "stack"},
    {"unstack", "unstack"},
    {"moments", "moments"},
    {"sum_reduce", "sum_reduce"},
    {"max_reduce", "sum_reduce"},
    {"min_reduce", "sum_reduce"},
    {"mean_reduce", "sum_reduce"},
    {"argmax_reduce", "sum_reduce"},
    {"argmin_reduce", "sum_reduce"},
    {"all_reduce", "sum_reduce"},
    {"any_reduce", "sum_reduce"},
    {"tract_core_product_reduce", "sum_reduce"},
    {"tract_core_argmax_reduce_last", "sum_reduce"},
    {"tract_core_argmin_reduce_last", "sum_reduce"},
};

/// Further operations whose results have the shape of the first operand.
constexpr std::string_view kLikeFirst[] = {"softabs",
                                           "softmax",
                                           "l1_normalization",
                                           "l2_normalization",
                                           "local_response_normalization",
                                           "local_mean_normalization",
                                           "local_variance_normalization",
                                           "local_contrast_normalization",
                                           "tract_core_cast",
                                           "tract_core_trilu",
                                           "tract_core_scatter_elements",
                                           "tract_core_scatter_nd",
                                           "tract_core_cumsum",
                                           "tract_core_softmax",
                                           "tract_core_log_softmax",
                                           "tract_core_rms_norm",
                                           "tract_core_scaled_rms_norm",
                                           "tract_core_fft",
                                           "tract_transformers_rms_norm",
                                           "tract_transformers_apply_rope",
                                           "tract_transformers_scaled_masked_softmax"};

/// Further operations whose later operands broadcast.
constexpr std::string_view kBroadcastOperands[] = {"prelu", "batch_normalization"};

const std::map<std::string_view, TractRule>& tract_rules() {
  static const auto rules = [] {
    std::map<std::string_view, TractRule> out;
    for (const std::span<const TractRow> rows :
         {std::span<const TractRow>(kTractRows), tract_product_rows()})
      for (const TractRow& row : rows) out[row.operation].specific = row.rule;
    out["slice"].slicing = tract_slice;
    for (const StandardRow& row : kStandard)
      out[row.operation].standard = standard_rule(row.standard);
    for (const auto& names : {unary_operations(), std::span<const std::string_view>(kLikeFirst)})
      for (const std::string_view operation : names) out[operation].specific = same_as_first;
    for (const auto& names :
         {broadcasting_operations(), std::span<const std::string_view>(kBroadcastOperands)})
      for (const std::string_view operation : names) out[operation].specific = broadcast_operands;
    return out;
  }();
  return rules;
}

}  // namespace

const TractRule* tract_rule(std::string_view operation) {
  const auto found = tract_rules().find(operation);
  return found == tract_rules().end() ? nullptr : &found->second;
}

}  // namespace t2n::spec
