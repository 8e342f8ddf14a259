// SPDX-License-Identifier: Apache-2.0
// Symbolic sizes: as numbers, as bounds of slices, and in the form that the engine infers.
#include <algorithm>
#include <utility>

#include "ir/prove.h"
#include "src/diag/error.h"
#include "src/tract_forms/sizes/size_text.h"
#include "src/translate/emitter.h"
#include "src/translate/emitter_state.h"
#include "src/translate/sizes.h"
#include "src/translate/streamed.h"
#include "src/translate/unbacked_sizes.h"

namespace t2n::ops {

int64_t Emitter::State::at_sample(const Dim& size) const {
  if (body.outer != nullptr) return body.outer->at_sample(size);
  const ir::Sizes& sizes = ir::sample_sizes(graph);
  return size
      .substitute([&](const ir::Symbol& symbol) -> std::optional<Dim> {
        constexpr int64_t kUnknown = 7;
        const auto found = sizes.find(symbol);
        return Dim(found == sizes.end() ? kUnknown : found->second);
      })
      .value();
}

bool Emitter::State::agrees(const Dim& a, const Dim& b) const {
  if (a == b) return true;
  if (a.is_constant() && b.is_constant()) return false;
  // An axis of extent 1 is broadcast to another size.
  return !(a == Dim(1)) && !(b == Dim(1)) && at_sample(a) == at_sample(b);
}

bool Emitter::State::agrees(const Shape& a, const Shape& b) const {
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(),
                    [this](const Dim& x, const Dim& y) { return agrees(x, y); });
}

int64_t Emitter::at_sample(const Dim& size) const { return state_->at_sample(size); }

Ref Emitter::size(const Dim& size, DType dtype) {
  if (size.is_constant())
    return ir::is_float(dtype) ? scalar(static_cast<double>(size.value()), dtype)
                               : scalar(size.value(), dtype);
  if (is_unbacked(size)) {
    const ir::Symbol* const symbol = size.as_symbol();
    return cast(symbol != nullptr ? unbacked_count(*this, *symbol) : computed_size(*this, size),
                dtype);
  }
  const bool is_direct = ir::is_float(dtype) || dtype == DType::i64;
  if (!is_direct) return cast(this->size(size, DType::i64), dtype);
  tract_forms::refuse_many_quotients(size);
  if (!tract_forms::has_size_text(size)) return cast(computed_size(*this, size), dtype);
  const Ref number = state_->append_call(
      "tract_core_cast",
      {{"", draft::dim_value(size)}, {"to", nnef::string(std::string(ir::dtype_name(dtype)))}},
      {{dtype, {}}})[0];
  state_->facts(number).from_sizes = true;
  return number;
}

bool may_be_zero(Emitter& out, const Dim& size) {
  const auto is_positive = [&](const Dim& dim) {
    return ir::prove({dim, ir::Relation::ge, 1}, ir::relations(out.state().outermost().graph)) ==
           ir::Verdict::always;
  };
  if (is_positive(size)) return false;
  // A product is positive if its factors are.
  if (size.constant_part() != 0 || size.terms().size() != 1) return true;
  const ir::Term& term = size.terms()[0];
  return term.factor < 1 ||
         !std::all_of(term.atoms.begin(), term.atoms.end(), [&](const ir::Atom& atom) {
           return is_positive(ir::sum_of({{1, {atom}}}));
         });
}

/// tract 0.23 fails if a mask is computed from a range of dimensions. A range of integers gets a
/// new size symbol, which tract_core_dyn_slice replaces.
Ref Emitter::range(const Dim& n) {
  // For a streamed size tract only supports ranges of dimensions.
  if (is_streamed(n))
    return call("tract_core_range", {}, {{"start", 0}, {"end", n}, {"step", 1}}, DType::i64, {n});
  const Ref all =
      call("tract_core_range", {scalar(0, DType::i64), size(n, DType::i64), scalar(1, DType::i64)},
           {}, DType::i64, {n});
  return sized(all, 0, n);
}

Ref Emitter::sized(Ref x, int axis, const Dim& size) {
  Shape shape = this->shape(x);
  shape.at(axis) = size;
  return call("tract_core_dyn_slice", {x},
              {{"start", 0}, {"end", size}, {"len", size}, {"axis", axis}}, dtype(x), shape);
}

Ref with_named_sizes(Emitter& out, Ref x, const Shape& shape) {
  if (out.state().at(x).kind == TensorEntry::Kind::constant) return x;
  for (size_t i = 0; i < shape.size(); ++i) {
    const Dim actual = size_of(out, x, static_cast<int64_t>(i)), named = shape[i];
    if (actual == named || actual == Dim(1) || named == Dim(1) || ir::is_unbacked(actual) ||
        ir::is_unbacked(named) || out.is_streamed(actual))
      continue;
    if (tract_forms::parsed_form(actual) != tract_forms::parsed_form(named) &&
        tract_forms::has_size_text(named))
      x = out.sized(x, static_cast<int>(i), named);
  }
  return x;
}

/// Bounds that are no sizes to tract break tract_core_dyn_slice, which mixes up their axes with
/// those of the tensor.
Ref Emitter::slice_dynamic(Ref x, int axis, const Dim& begin, const Dim& end) {
  Shape shape = this->shape(x);
  shape.at(axis) = end - begin;
  // tract sometimes computes a size `S - S/2` wrong, so the slice becomes a gather.
  if (ir::has_operation<ir::FloorDiv, ir::Mod>(begin)) {
    const Ref index = elementwise("add", {range(end - begin), size(begin, DType::i64)});
    return call("tract_core_gather", {x, index}, {{"axis", axis}}, dtype(x), shape);
  }
  if (target::has(state_->target, target::Feature::open_sizes)) {
    const Ref part =
        call("slice", {x}, {{"axes", Ints{axis}}, {"begin", Shape{begin}}, {"end", Shape{end}}},
             dtype(x), shape);
    const Dim size = tract_forms::parsed_form(end) - tract_forms::parsed_form(begin);
    const bool is_inferred =
        size == tract_forms::parsed_form(end - begin) || is_streamed(end - begin);
    return is_inferred ? part : sized(part, axis, end - begin);
  }
  return call("tract_core_dyn_slice", {x},
              {{"start", begin}, {"end", end}, {"len", end - begin}, {"axis", axis}}, dtype(x),
              shape);
}

Ref Emitter::slice(Ref x, int axis, const Dim& begin, const Dim& end, int64_t stride) {
  const Dim extent = shape(x).at(axis);
  if (begin == Dim(0) && end == extent && stride == 1) return x;
  if (begin.is_constant() && end.is_constant() && stride > 0)
    return slice(x, axis, begin.value(), end.value(), stride);
  if (stride == 1) return slice_dynamic(x, axis, begin, end);
  if (stride > 0 && begin.is_constant() && is_streamed(extent) && ir::is_float(dtype(x)))
    return streamed_steps(*this, slice_dynamic(x, axis, begin, end), axis, stride);
  const int64_t step = std::abs(stride);
  const Dim span = stride < 0 ? begin - end : end - begin;
  const Dim count = floor_div(span + Dim(step - 1), Dim(step));
  const Ref numbers = range(count);
  const Ref offsets = step == 1 ? numbers : elementwise("mul", {numbers, scalar(step, DType::i64)});
  const Ref index = stride < 0 ? elementwise("sub", {size(begin, DType::i64), offsets})
                               : elementwise("add", {offsets, size(begin, DType::i64)});
  Shape shape = this->shape(x);
  shape[axis] = count;
  return call("tract_core_gather", {x, index}, {{"axis", axis}}, dtype(x), shape);
}

namespace {

/// Consecutive axes with as many elements before as after.
struct Group {
  size_t from, from_end;
  size_t to, to_end;
};

/// Equal, or equal at the sample and written differently.
bool is_same(const Emitter& out, const Dim& a, const Dim& b) {
  if (a == b) return true;
  std::vector<ir::Symbol> in_a = a.symbols(), in_b = b.symbols();
  std::sort(in_a.begin(), in_a.end());
  std::sort(in_b.begin(), in_b.end());
  return !in_a.empty() && in_a == in_b && out.at_sample(a) == out.at_sample(b);
}

std::vector<Group> groups_of(const Emitter& out, const Shape& from, const Shape& to) {
  std::vector<Group> groups;
  size_t i = 0, j = 0;
  while (i < from.size() && j < to.size()) {
    Group group{i, i + 1, j, j + 1};
    Dim before = from[i], after = to[j];
    while (!is_same(out, before, after)) {
      const bool is_short = out.at_sample(before) < out.at_sample(after);
      if (is_short && group.from_end < from.size())
        before = before * from[group.from_end++];
      else if (group.to_end < to.size())
        after = after * to[group.to_end++];
      else
        return {{0, from.size(), 0, to.size()}};
    }
    i = group.from_end;
    j = group.to_end;
    groups.push_back(group);
  }
  groups.back().from_end = from.size();  // the remaining axes have extent 1
  groups.back().to_end = to.size();
  return groups;
}

Shape part(const Shape& shape, size_t begin, size_t end) {
  return Shape(shape.begin() + static_cast<std::ptrdiff_t>(begin),
               shape.begin() + static_cast<std::ptrdiff_t>(end));
}

/// tract reads S + S/2 as (3*S)/2, and computes it as either. Where all other sizes are numbers, it
/// infers this one.
Shape with_inferred_quotient(Shape shape) {
  const auto is_quotient = [](const Dim& size) { return has_operation<ir::FloorDiv>(size); };
  const auto found = std::find_if(shape.begin(), shape.end(), is_quotient);
  const auto constants =
      std::count_if(shape.begin(), shape.end(), [](const Dim& size) { return size.is_constant(); });
  if (found != shape.end() && constants + 1 == std::ssize(shape)) *found = -1;
  return shape;
}

}  // namespace

/// tract up to 0.22 compares products as they are written, so the fewer factors the better.
Ref Emitter::reshape_groups(Ref x, const Shape& shape) {
  const Shape from = this->shape(x);
  const std::vector<Group> groups = groups_of(*this, from, shape);
  const bool is_inferring = target::has(state_->target, target::Feature::open_sizes);
  for (size_t g = groups.size(); g-- > 0;) {
    const Group& group = groups[g];
    const Shape inner = part(shape, group.to, group.to_end);
    if (inner == part(from, group.from, group.from_end)) continue;
    Shape next = part(from, 0, group.from);
    for (const Dim& size : part(shape, group.to, shape.size())) next.push_back(size);
    const auto start = static_cast<int64_t>(group.from);
    const auto count = static_cast<int64_t>(group.from_end - group.from);
    x = call("reshape", {x},
             {{"shape", is_inferring ? with_inferred_quotient(inner) : inner},
              {"axis_start", start},
              {"axis_count", count}},
             dtype(x), next);
  }
  return x;
}

}  // namespace t2n::ops
