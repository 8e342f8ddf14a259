// Compares the iterations of a loop and builds one body from them.
#include <algorithm>

#include "ir/scan.h"
#include "src/diag/error.h"
#include "src/loops/roller.h"

namespace t2n::loops {

using ir::Dim;
using ir::Node;
using ir::ValueId;

namespace {

/// Results of scans have no scales. Quantised weights that each iteration reads are no obstacle.
void refuse_quantised_results(const ir::Graph& graph, const Node& node) {
  for (const ValueId id : node.outputs)
    if (graph.values[static_cast<size_t>(id)].quant)
      throw Mismatch{&node, "the loop computes quantised tensors",
                     "let it do so with their dequantize()d values"};
}

}  // namespace

Roller::Roller(Rolling& rolling, LoopRecord loop)
    : rolling_(rolling),
      graph_(rolling.graph()),
      values_(rolling.values()),
      naming_(rolling.naming()),
      loop_(std::move(loop)),
      bounds_(loop_.bounds) {}

const ir::Value& Roller::outer(ValueId id) const { return graph_.values[static_cast<size_t>(id)]; }

const Node& Roller::node(int64_t iteration, size_t position) const {
  return graph_.nodes[bounds_[static_cast<size_t>(iteration)] + position];
}

Roller::Ids Roller::column(size_t position, size_t output) const {
  Ids out;
  for (int64_t iteration = start_; iteration < iterations(); ++iteration)
    out.push_back(node(iteration, position).outputs[output]);
  return out;
}

Rolled Roller::run() {
  Node at;
  at.scope = loop_.place.scope;
  at.source = loop_.place.source;
  constexpr int64_t kLeast = 3;
  if (iterations() < kLeast)
    refuse_loop(graph_, at,
                cat("it took ", iterations(), " iterations with the sample, too few to compare"),
                cat("give sample inputs for which it takes ", kLeast, " or more"));
  T2N_ASSERT(sample(loop_.length) == iterations(), "a loop of ", iterations(),
             " iterations has the length ", loop_.length.str());
  std::vector<std::unordered_set<std::string>> made(bounds_.size() - 1);
  for (size_t iteration = 0; iteration < made.size(); ++iteration)
    for (size_t i = bounds_[iteration]; i < bounds_[iteration + 1]; ++i)
      for (const ValueId id : graph_.nodes[i].outputs) made[iteration].insert(outer(id).name);
  simplify();
  take_growing();
  index();
  try {
    build(0);
  } catch (const Mismatch& first) {
    try {
      build(1);  // the first iteration stays outside of the scan
    } catch (const Mismatch& mismatch) {
      refuse_loop(graph_, mismatch.node == nullptr ? at : *mismatch.node, mismatch.why,
                  mismatch.help);
    }
  }
  Rolled out;
  for (int64_t iteration = start_ + 1; iteration < iterations(); ++iteration) {
    out.names.merge(names_in(iteration));
    out.later.merge(made[static_cast<size_t>(iteration)]);
  }
  find_filled();
  for (const Node& each : body_->nodes)
    if (mentions(each, loop_.number))
      refuse_loop(graph_, each,
                  "a tensor that is written slice by slice is read in the loop as well",
                  "read what was written from the variable that it was written from, or collect "
                  "the slices in a list and torch.stack it after the loop");
  replace();
  return out;
}

// --- the iterations ---

/// Removes operations that only pass a tensor on, and inner loops whose results are not read.
void Roller::simplify() {
  std::vector<Node> kept;
  std::vector<size_t> bounds = {bounds_[0]};
  for (size_t iteration = 0; iteration + 1 < bounds_.size(); ++iteration) {
    for (size_t i = bounds_[iteration]; i < bounds_[iteration + 1]; ++i) {
      Node& node = graph_.nodes[i];
      for (ir::Argument& arg : node.args)
        ir::change_refs(arg.value, [&](ValueId& id) { id = values_.resolved(id); });
      if (!node.outputs.empty() && !simplify_node(node)) kept.push_back(std::move(node));
    }
    bounds.push_back(bounds_[0] + kept.size());
  }
  graph_.nodes.resize(bounds_[0]);
  std::move(kept.begin(), kept.end(), std::back_inserter(graph_.nodes));
  bounds_ = std::move(bounds);
}

bool Roller::simplify_node(const Node& node) {
  const std::string_view op = ir::op_name(node.op);
  const auto stands_for = [&](ValueId id) {
    if (id == ir::kNoValue || outer(id).dtype != outer(node.outputs[0]).dtype ||
        outer(id).shape != outer(node.outputs[0]).shape)
      return false;
    values_.stand_for(node.outputs[0], id);
    return true;
  };
  if (op == "aten::slice.Tensor" && is_whole(node)) return stands_for(ir::operand(node, "self"));
  if (op == "aten::slice_scatter" && is_whole(node)) return stands_for(ir::operand(node, "src"));
  return op == "aten::copy" && stands_for(ir::operand(node, "src"));
}

/// Whether a node of every iteration joins `part` of its two operands to its own result in the
/// iteration before, which nothing else reads, along one axis and in one dtype.
bool Roller::is_growing(size_t position, size_t part) const {
  const Node& last = node(iterations() - 1, position);
  for (int64_t iteration = 0; iteration < iterations(); ++iteration) {
    const Node& join = node(iteration, position);
    if (ir::op_name(join.op) != "aten::cat") return false;
    const std::vector<ValueId>& ids = std::get<ir::TensorRefs>(join.args.at(0).value).ids;
    const auto is_alike = [&](ValueId id) {
      return outer(id).dtype == outer(last.outputs[0]).dtype;
    };
    if (ids.size() != 2 || !std::all_of(ids.begin(), ids.end(), is_alike) ||
        !(join.args.at(1).value == last.args.at(1).value))
      return false;
    const ValueId before = ids[1 - part];
    if (iteration > 0 && before != node(iteration - 1, position).outputs[0]) return false;
    int reads = 0;
    for (size_t i = bounds_[0]; i < graph_.nodes.size(); ++i)
      ir::for_each_input(graph_.nodes[i], [&](ValueId id) { reads += id == join.outputs[0]; });
    if (reads != (iteration + 1 < iterations() ? 1 : 0)) return false;
  }
  return true;
}

void Roller::take_growing() {
  const size_t count = bounds_[1] - bounds_[0];
  for (size_t iteration = 0; iteration + 1 < bounds_.size(); ++iteration)
    if (bounds_[iteration + 1] - bounds_[iteration] != count) return;
  std::vector<size_t> taken;
  for (size_t position = 0; position < count; ++position)
    for (const size_t part : {size_t{1}, size_t{0}}) {
      if (!is_growing(position, part)) continue;
      Growing each{node(iterations() - 1, position), {}, {}};
      const auto operands = [&](int64_t iteration) {
        return std::get<ir::TensorRefs>(node(iteration, position).args[0].value).ids;
      };
      each.parts.push_back(operands(0)[1 - part]);
      for (int64_t iteration = 0; iteration < iterations(); ++iteration)
        each.parts.push_back(operands(iteration)[part]);
      for (int64_t iteration = 0; iteration + 1 < iterations(); ++iteration)
        each.grown.push_back(node(iteration, position).outputs[0]);
      if (part == 0) std::reverse(each.parts.begin(), each.parts.end());
      growing_.push_back(std::move(each));
      taken.push_back(position);
      break;
    }
  if (taken.empty()) return;
  size_t at = 0;
  const size_t first = bounds_[0];
  std::erase_if(graph_.nodes, [&](const Node&) {
    const size_t i = at++;
    return i >= first && std::find(taken.begin(), taken.end(), (i - first) % count) != taken.end();
  });
  for (size_t iteration = 0; iteration < bounds_.size(); ++iteration)
    bounds_[iteration] -= iteration * taken.size();
}

void Roller::index() {
  for (size_t i = 0; i < bounds_[0]; ++i)
    if (graph_.nodes[i].outputs.size() > 1)
      for (size_t p = 0; p < graph_.nodes[i].outputs.size(); ++p)
        unbound_[graph_.nodes[i].outputs[p]] = {i, p};
  for (int64_t iteration = 0; iteration < iterations(); ++iteration) {
    const size_t begin = bounds_[static_cast<size_t>(iteration)];
    for (size_t i = begin; i < bounds_[static_cast<size_t>(iteration) + 1]; ++i)
      for (size_t p = 0; p < graph_.nodes[i].outputs.size(); ++p)
        spots_[graph_.nodes[i].outputs[p]] = {iteration, i - begin, p};
  }
  for (size_t i = bounds_[0]; i < graph_.nodes.size(); ++i)
    ir::for_each_input(graph_.nodes[i], [this](ValueId id) { read_.insert(id); });
}

// --- one iteration as a graph ---

void Roller::build(int64_t start) {
  start_ = start;
  body_ = std::make_shared<ir::Graph>();
  body_->name = "iteration";
  body_->scopes = graph_.scopes;
  body_->sources = graph_.sources;
  body_names_.clear();
  inner_.clear();
  slices_.clear();
  states_.clear();
  captured_.clear();
  constants_.clear();
  const auto first = static_cast<size_t>(start);
  const size_t count = bounds_[first + 1] - bounds_[first];
  hoisted_.assign(count, false);
  for (size_t iteration = first; iteration + 1 < bounds_.size(); ++iteration)
    if (bounds_[iteration + 1] - bounds_[iteration] != count)
      throw Mismatch{
          &graph_.nodes[std::min(bounds_[iteration], graph_.nodes.size() - 1)],
          cat("iteration ", iteration, " runs ", bounds_[iteration + 1] - bounds_[iteration],
              " operations, iteration ", start, " runs ", count),
          kPlainHelp};
  number_ = body_value("turn", ir::DType::i64, {});  // a name that files have had since long
  for (size_t i = 0; i < count; ++i) add_node(i);
  resolve_states();
  check_arguments();
  if (!loop_.length.is_constant()) return;  // otherwise the loop can stay unrolled
  const auto check = [&](ValueId id) {
    if (ir::is_complex(body_->values[static_cast<size_t>(id)].dtype))
      throw Mismatch{nullptr, "the loop carries or reads complex tensors", kPlainHelp};
  };
  for (const Slices& each : slices_) check(each.inner);
  for (const CarriedState& each : states_) check(each.inner);
  for (const auto& [id, inner] : captured_) check(inner);
}

void Roller::add_node(size_t position) {
  check_same(position);
  if (is_invariant(position)) {
    hoisted_[position] = true;
    return;
  }
  if (add_slice(position)) return;
  // A slice through which the iteration wrote: its earlier content is not read.
  const Node& first = node(start_, position);
  const auto unread = [this](ValueId id) { return !read_.contains(id); };
  const Ids results = column(position, 0);
  if (mentions(first, loop_.number) && ir::operand(first, "self") != ir::kNoValue &&
      one_slice_of(first, outer(ir::operand(first, "self")).shape.size()) &&
      std::all_of(results.begin(), results.end(), unread)) {
    inner_[{position, 0}] = ir::kNoValue;
    return;
  }
  add_body_node(position);
}

void Roller::check_same(size_t position) const {
  const Node& first = node(start_, position);
  refuse_quantised_results(graph_, first);
  for (int64_t iteration = start_ + 1; iteration < iterations(); ++iteration) {
    const Node& other = node(iteration, position);
    const bool joins = ir::op_name(other.op) == "aten::cat";
    const auto fail = [&](std::string why) {
      throw Mismatch{&other, std::move(why), joins ? kJoinHelp : kPlainHelp};
    };
    if (first.op != other.op || first.args.size() != other.args.size())
      fail(cat("iteration ", iteration, " runs ", ir::op_name(other.op), " where iteration ",
               start_, " runs ", ir::op_name(first.op)));
    refuse_quantised_results(graph_, other);
    if (first.compute_dtype != other.compute_dtype)
      fail(cat(ir::op_name(other.op), " computes in another dtype in iteration ", iteration));
    if (first.outputs.size() != other.outputs.size())
      fail(cat(ir::op_name(other.op), " gives ", first.outputs.size(), " tensors in iteration ",
               start_, " and ", other.outputs.size(), " in iteration ", iteration));
    for (size_t p = 0; p < first.outputs.size(); ++p) {
      const ir::Value& a = outer(first.outputs[p]);
      const ir::Value& b = outer(other.outputs[p]);
      if (a.dtype != b.dtype || a.shape != b.shape)
        fail(cat("the result of ", ir::op_name(other.op), " is ", ir::dtype_name(a.dtype),
                 ir::shape_str(a.shape), " in iteration ", start_, " and ", ir::dtype_name(b.dtype),
                 ir::shape_str(b.shape), " in iteration ", iteration));
    }
    for (size_t a = 0; a < first.args.size(); ++a)
      if (first.args[a].value.index() != other.args[a].value.index())
        fail(cat("the argument ", quoted(first.args[a].name), " of ", ir::op_name(other.op),
                 " is of another kind in iteration ", iteration));
  }
}

}  // namespace t2n::loops
