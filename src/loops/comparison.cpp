// SPDX-License-Identifier: Apache-2.0
#include "src/loops/comparison.h"

#include <algorithm>
#include <utility>

#include "src/diag/error.h"
#include "src/loops/filled.h"
#include "src/loops/iteration.h"

namespace t2n::loops {

using ir::Node;
using ir::ValueId;

IterationComparison::IterationComparison(Rerolling& rerolling, const Iterations& all, int64_t start)
    : rerolling_(rerolling),
      graph_(rerolling.graph()),
      values_(rerolling.values()),
      all_(all),
      body_(graph_),
      masked_(body_, graph_) {
  found_.start = start;
  found_.body = body_.shared();
  found_.hoisted.assign(all_.size(start), false);
  check_sizes();
  found_.number = body_.value("turn", ir::DType::i64, {});  // part of the file format
  for (size_t i = 0; i < all_.size(start); ++i) add_node(i);
  resolve_states();
  check_arguments();
  if (loop().length.is_constant()) check_complex();  // the loop can stay unrolled
}

Recurrence IterationComparison::take() {
  found_.filled = take_filled(found_, body_, loop().number);
  write_parts();
  find_parts();
  return std::move(found_);
}

void IterationComparison::differ(const Node& at, std::string why, std::string help) const {
  refuse_loop(graph_, at, std::move(why), std::move(help));
}

void IterationComparison::differ(std::string why, std::string help) const {
  differ(reader_ == nullptr ? node_at(loop().location) : *reader_, std::move(why), std::move(help));
}

/// Results of scans have no scales. Iterations may read quantised weights.
void IterationComparison::require_no_scales(const Node& node) const {
  for (const ValueId id : node.outputs)
    if (outer(id).quant)
      differ(node, "the loop computes quantised tensors",
             "compute with their dequantize()d values");
}

void IterationComparison::check_sizes() const {
  const size_t size = all_.size(found_.start);
  for (int64_t iteration = found_.start; iteration < all_.count(); ++iteration)
    if (all_.size(iteration) != size)
      differ(graph_.nodes[std::min(all_.begin(iteration), graph_.nodes.size() - 1)],
             cat("iteration ", iteration, " runs ", all_.size(iteration), " operations, iteration ",
                 found_.start, " runs ", size),
             kPlainHelp);
}

void IterationComparison::check_complex() {
  const auto check = [&](ValueId id) {
    if (ir::is_complex(body_.graph().values[id].dtype))
      differ("the loop carries or reads complex tensors", kPlainHelp);
  };
  for (const Slices& each : found_.slices) check(each.inner);
  for (const CarriedState& each : found_.states) check(each.inner);
  for (const auto& [id, inner] : found_.captured) check(inner);
}

void IterationComparison::add_node(size_t position) {
  check_same(position);
  if (is_invariant(position)) {
    found_.hoisted[position] = true;
    return;
  }
  if (may_be_part(position)) {
    if (!add_part(position)) add_body_node(position);
    return check_extents(position);
  }
  if (add_slice(position)) return;
  // The iteration only writes through this slice: it does not read the earlier content.
  const Node& first = node(found_.start, position);
  const auto unread = [this](ValueId id) { return !all_.is_read(id); };
  const IterationValues results = all_.column(position, 0, found_.start);
  const ValueId self = ir::operand(first, "self");
  const bool is_part = self != ir::kNoValue && mentions(first, loop().number) &&
                       axis_part_of(first, outer(self).shape.size());
  const bool is_all = ir::op_name(first.op) == "aten::slice.Tensor" && is_full_slice(first);
  if ((is_part || is_all) && std::all_of(results.begin(), results.end(), unread)) {
    found_.inner[{position, 0}] = ir::kNoValue;
    return;
  }
  if (!add_read_of_state(position)) add_body_node(position);
}

void IterationComparison::check_same(size_t position) const {
  const Node& first = node(found_.start, position);
  const bool may_differ = may_be_part(position);
  require_no_scales(first);
  for (int64_t iteration = found_.start + 1; iteration < all_.count(); ++iteration) {
    const Node& other = node(iteration, position);
    const bool joins = ir::op_name(other.op) == "aten::cat";
    const auto fail = [&](std::string why) {
      differ(other, std::move(why), joins ? kJoinHelp : kPlainHelp);
    };
    if (first.op != other.op || first.args.size() != other.args.size())
      fail(cat("iteration ", iteration, " runs ", ir::op_name(other.op), " where iteration ",
               found_.start, " runs ", ir::op_name(first.op)));
    require_no_scales(other);
    if (first.compute_dtype != other.compute_dtype)
      fail(cat(ir::op_name(other.op), " computes in another dtype in iteration ", iteration));
    if (first.outputs.size() != other.outputs.size())
      fail(cat(ir::op_name(other.op), " gives ", first.outputs.size(), " tensors in iteration ",
               found_.start, " and ", other.outputs.size(), " in iteration ", iteration));
    for (size_t p = 0; p < first.outputs.size(); ++p) {
      const ir::Value& a = outer(first.outputs[p]);
      const ir::Value& b = outer(other.outputs[p]);
      if (a.dtype != b.dtype || (a.shape != b.shape && !may_differ))
        fail(cat("the result of ", ir::op_name(other.op), " is ", ir::dtype_name(a.dtype),
                 ir::shape_str(a.shape), " in iteration ", found_.start, " and ",
                 ir::dtype_name(b.dtype), ir::shape_str(b.shape), " in iteration ", iteration));
    }
    for (size_t a = 0; a < first.args.size(); ++a)
      if (first.args[a].value.index() != other.args[a].value.index())
        fail(cat("the argument ", quoted(first.args[a].name), " of ", ir::op_name(other.op),
                 " has another type in iteration ", iteration));
  }
}

}  // namespace t2n::loops
