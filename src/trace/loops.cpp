// Rolled loops on the recorder's side: what their turns computed, once a scan computes it.
#include <algorithm>
#include <functional>
#include <set>

#include "ir/dead_code.h"
#include "ir/scan.h"
#include "src/diag/error.h"
#include "src/trace/recorder.h"
#include "src/trace/roll.h"

namespace t2n::trace {
namespace {

bool is_stack(const ir::Node& node) { return ir::op_name(node.op) == "aten::stack"; }

bool is_cat(const ir::Node& node) {
  const std::string_view op = ir::op_name(node.op);
  return op == "aten::cat" || op == "aten::concat" || op == "aten::concatenate";
}

bool makes(const ir::Node& node, ir::ValueId value) {
  return std::find(node.outputs.begin(), node.outputs.end(), value) != node.outputs.end();
}

/// The body's node that gives a value, if it only adds axis `dim` to another.
std::optional<ir::ValueId> before_unsqueeze(const ir::Graph& body, ir::ValueId value, int64_t dim) {
  for (const ir::Node& node : body.nodes) {
    if (!makes(node, value) || ir::op_name(node.op) != "aten::unsqueeze") continue;
    const auto rank = static_cast<int64_t>(body.values[static_cast<size_t>(value)].shape.size());
    const int64_t at = std::get<ir::Dim>(*node.find("dim")).value();
    if ((at < 0 ? at + rank : at) == dim) return std::get<ir::TensorRef>(*node.find("self")).id;
  }
  return std::nullopt;
}

void clean_bodies(ir::Graph& graph) {
  for (ir::Node& node : graph.nodes) {
    if (!node.body) continue;
    clean_bodies(*node.body);
    ir::remove_dead(*node.body);
  }
}

void for_each_node(const ir::Graph& graph, const std::function<void(const ir::Node&)>& visit) {
  for (const ir::Node& node : graph.nodes) {
    visit(node);
    if (node.body) for_each_node(*node.body, visit);
  }
}

/// The values of the graph whose sizes an argument or a decision is made of.
std::vector<ir::ValueId> sized_values(const ir::Graph& graph,
                                      const std::vector<Decision>& decisions) {
  std::set<ir::Symbol> symbols;
  const auto add = [&](const ir::Dim& dim) {
    for (const ir::Symbol& symbol : dim.symbols()) symbols.insert(symbol);
  };
  for (const Decision& decision : decisions) {
    add(decision.sizes);
    if (!decision.comparison) continue;
    add(decision.comparison->left);
    add(decision.comparison->right);
  }
  for_each_node(graph, [&](const ir::Node& node) {
    for (const ir::Argument& arg : node.args) {
      if (const auto* one = std::get_if<ir::Dim>(&arg.value)) add(*one);
      if (const auto* many = std::get_if<std::vector<ir::Dim>>(&arg.value))
        for (const ir::Dim& dim : *many) add(dim);
    }
  });
  std::vector<ir::ValueId> out;
  const std::vector<int> made_by = ir::producers(graph);
  for (size_t i = 0; i < graph.values.size(); ++i)
    for (size_t axis = 0; axis < graph.values[i].shape.size(); ++axis)
      if (made_by[i] >= 0 &&
          symbols.contains(ir::Symbol::AxisSize{graph.values[i].name, static_cast<int64_t>(axis)}))
        out.push_back(static_cast<ir::ValueId>(i));
  return out;
}

ir::Argument number(std::string name, int64_t value) { return {std::move(name), ir::Dim(value)}; }

}  // namespace

void finish_loops(ir::Graph& graph, const std::vector<Decision>& decisions) {
  const size_t outputs = graph.outputs.size();
  for (const ir::ValueId id : sized_values(graph, decisions)) graph.outputs.push_back(id);
  ir::remove_dead(graph);
  graph.outputs.resize(outputs);
  clean_bodies(graph);
  for (const ir::Node& node : graph.nodes)
    if (mentions_turn(node))
      refuse_loop(graph, node, "a number that depends on the turn is used after the loop",
                  "use tensors for what leaves the loop");
}

void Recorder::begin_loop(const ir::Symbol& turn_symbol) {
  loops_.push_back({turn_symbol, {graph_.nodes.size()}, {}});
  loops_.back().first_values.push_back(static_cast<ir::ValueId>(graph_.values.size()));
  ++turn_;
}

void Recorder::end_turn() {
  ActiveLoop& loop = loops_.back();
  loop.bounds.push_back(graph_.nodes.size());
  loop.first_values.push_back(static_cast<ir::ValueId>(graph_.values.size()));
  if (loop.namings.size() < 2) loop.namings.push_back({names_taken_, next_suffix_, calls_});
  ++turn_;
  // Read later, they would be taken for numbers of a later turn.
  std::erase_if(numbers_, [](const auto& each) { return depends_on_turn(each.second); });
}

Rolled Recorder::end_loop(const ir::Dim& length, Place place) {
  const ActiveLoop loop = std::move(loops_.back());
  loops_.pop_back();
  has_rolled_ = true;
  return Roller(*this, loop, length, place).run();
}

void Recorder::check_view(const Track& track) const {
  if (track.view == nullptr || track.turn == turn_ || !mentions_turn(track.view->call.node)) return;
  refuse_loop(graph_, track.view->call.node,
              "a view that one turn made is read or written in another",
              "clone() it in the turn that makes it");
}

ir::ValueId Recorder::resolved(ir::ValueId id) const {
  for (auto found = same_as_.find(id); found != same_as_.end(); found = same_as_.find(id))
    id = found->second;
  return id;
}

ir::Node& Recorder::scan_of(const Family& family) {
  for (size_t i = graph_.nodes.size(); i-- > 0;)
    if (graph_.nodes[i].body == family.body) return graph_.nodes[i];
  const ir::Graph& body = *family.body;
  const auto made = std::find_if(body.nodes.begin(), body.nodes.end(),
                                 [&](const ir::Node& node) { return makes(node, family.value); });
  ir::Node at;
  if (made != body.nodes.end()) {
    at.scope = made->scope;
    at.source = made->source;
  }
  refuse_loop(body, at, "what a loop inside computes in its turns is read after the turn around it",
              "torch.stack it, or join it with torch.cat, before that turn ends");
}

/// Whether a family belongs to the turn that is being recorded; else it comes from before the loop,
/// which may scan it in turn.
bool Recorder::is_local(const Family& family) const {
  const size_t first = loops_.empty() ? 0 : loops_.back().bounds.back();
  for (size_t i = first; i < graph_.nodes.size(); ++i)
    if (graph_.nodes[i].body == family.body) return true;
  return loops_.empty();
}

bool Recorder::is_of_turn(const at::Tensor& tensor) const {
  const int track = find(tensor);
  if (track < 0) return false;
  const auto found = instances_.find(resolved(tracks_[static_cast<size_t>(track)].value));
  return found != instances_.end() && found->second.family != kNoFamily;
}

ir::ValueId Recorder::settled(ir::ValueId id, Place place) {
  if (!has_rolled_) return id;
  id = resolved(id);
  const auto found = instances_.find(id);
  if (found == instances_.end() || found->second.is_output) return id;
  if (found->second.family == kNoFamily) {
    ir::Node at;
    at.scope = place.scope;
    at.source = place.source;
    refuse_loop(graph_, at, "a slice that a loop wrote to is read after it",
                "read the tensor that it is a slice of");
  }
  if (!is_local(families_[found->second.family])) return id;
  return materialise(id, found->second, place);
}

void Recorder::settle(ir::Node& node) {
  const Place place{node.scope, node.source};
  for (ir::Argument& arg : node.args)
    ir::change_refs(arg.value, [&](ir::ValueId& id) { id = settled(id, place); });
}

ir::ValueId Recorder::stacked(size_t index, int64_t axis, bool reversed, ir::ValueId wanted) {
  const auto known = families_[index].stacked.find({axis, reversed});
  if (known != families_[index].stacked.end()) return known->second;
  Family& family = families_[index];
  ir::Node& scan = scan_of(family);
  ir::Scan parts = ir::read_scan(scan);
  const auto at = static_cast<std::ptrdiff_t>(parts.stacked());
  ir::Graph& body = *family.body;
  const ir::Value inner = body.values[static_cast<size_t>(family.value)];
  if (wanted == ir::kNoValue) {
    ir::Shape shape = inner.shape;
    shape.insert(shape.begin() + axis, ir::Dim(family.turns));
    wanted = ir::add_value(graph_, {unique_name(inner.name + "_all"), inner.dtype, shape, {}});
  }
  value_marks_.resize(graph_.values.size());
  value_marks_[static_cast<size_t>(wanted)] = data_mark("a loop");
  parts.stacked_axes.push_back(axis);
  parts.stacked_reversed.push_back(reversed);
  scan.args = ir::scan_arguments(parts);
  scan.outputs.insert(scan.outputs.begin() + at, wanted);
  body.outputs.insert(body.outputs.begin() + at, family.value);
  std::string name = inner.name;
  for (int i = 1; std::find(body.output_names.begin(), body.output_names.end(), name) !=
                  body.output_names.end();
       ++i)
    name = cat(inner.name, "_", i);
  body.output_names.insert(body.output_names.begin() + at, name);
  family.stacked[{axis, reversed}] = wanted;
  return wanted;
}

ir::ValueId Recorder::materialise(ir::ValueId id, const Instance& instance, Place place) {
  const int64_t turns = families_[instance.family].turns;
  const Family& family = families_[instance.family];
  const std::string name = family.body->values[static_cast<size_t>(family.value)].name;
  if (instance.turn != 0 && instance.turn != turns - 1) {
    ir::Node at;
    at.scope = place.scope;
    at.source = place.source;
    refuse_loop(
        graph_, at,
        cat("what turn ", instance.turn, " of a loop computed is used by itself (", name, ")"),
        "only the first and the last turn can be told apart; join all of them with "
        "torch.stack or torch.cat");
  }
  const bool last = instance.turn != 0;
  const ir::ValueId all = stacked(instance.family, 0, false, ir::kNoValue);
  graph_.values[static_cast<size_t>(id)].name = unique_name(name + (last ? "_last" : "_first"));
  instances_.erase(id);
  ir::Node node;
  node.op = ir::op_id("aten::select.int");
  node.args = {{"self", ir::TensorRef{all}}, number("dim", 0), number("index", last ? -1 : 0)};
  node.outputs = {id};
  node.scope = place.scope;
  node.source = place.source;
  node.call = calls_[{place.scope, "select"}]++;
  value_marks_.resize(graph_.values.size());
  append(std::move(node));
  return id;
}

/// Splits a list into runs of turns and what is no run.
std::vector<Segment> Recorder::segments(const std::vector<ir::ValueId>& ids) const {
  std::vector<Segment> out;
  const auto instance = [&](size_t i) -> const Instance* {
    const auto found = instances_.find(resolved(ids[i]));
    return found == instances_.end() || found->second.family == kNoFamily ? nullptr
                                                                          : &found->second;
  };
  for (size_t i = 0; i < ids.size();) {
    const Instance* first = instance(i);
    const Instance* second = i + 1 < ids.size() ? instance(i + 1) : nullptr;
    const int64_t step = first && second ? second->turn - first->turn : 0;
    if (!first || !second || first->family != second->family || (step != 1 && step != -1)) {
      if (out.empty() || out.back().first) out.emplace_back();
      out.back().values.push_back(ids[i++]);
      continue;
    }
    Segment run{{}, *first, 1, step < 0};
    const Instance* next = second;
    for (++i; next && next->family == first->family && next->turn == first->turn + run.count * step;
         next = i < ids.size() ? instance(i) : nullptr) {
      ++run.count;
      ++i;
    }
    out.push_back(run);
  }
  return out;
}

/// torch.stack and torch.cat over the turns of a loop: a stacked output of its scan.
bool Recorder::settle_join(ir::Node& node) {
  if (!is_stack(node) && !is_cat(node)) return false;
  auto& list = std::get<ir::TensorRefs>(node.args.at(0).value).ids;
  const std::vector<Segment> parts = segments(list);
  if (std::none_of(parts.begin(), parts.end(), [](const Segment& s) { return s.first; }))
    return false;
  const Place place{node.scope, node.source};
  const bool stack = is_stack(node);
  const ir::ValueId result = node.outputs.at(0);
  const auto rank = static_cast<int64_t>(graph_.values[static_cast<size_t>(result)].shape.size());
  const int64_t given = std::get<ir::Dim>(*node.find("dim")).value();
  const int64_t dim = given < 0 ? given + rank : given;
  if (parts.size() == 1) {
    const ir::ValueId whole = piece(parts[0], stack, dim, result, place);
    if (whole != result) same_as_[result] = whole;
    return true;
  }
  list.clear();
  for (const Segment& part : parts) {
    if (part.first) {
      list.push_back(piece(part, stack, dim, ir::kNoValue, place));
      continue;
    }
    for (const ir::ValueId id : part.values) {
      const ir::ValueId one = settled(id, place);
      const ir::Value value = graph_.values[static_cast<size_t>(one)];
      ir::Ints shape = ir::static_shape(value.shape);
      if (stack) shape.insert(shape.begin() + dim, 1);
      list.push_back(stack ? emit("aten::unsqueeze",
                                  {{"self", ir::TensorRef{one}}, number("dim", dim)}, value.dtype,
                                  shape, place)
                           : one);
    }
  }
  node.op = ir::op_id("aten::cat");
  return false;
}

/// What a turn computes without an axis of extent 1, in the body. (Axes that go in and out of a
/// body keep tract 0.23 busy for ever.)
ir::ValueId Recorder::squeezed(size_t family, int64_t dim) {
  ir::Graph& body = *families_[family].body;
  const ir::ValueId self = families_[family].value;
  ir::Value value = body.values[static_cast<size_t>(self)];
  value.name = unique_name(value.name + "_row");
  value.shape.erase(value.shape.begin() + dim);
  ir::Node node;
  node.op = ir::op_id("aten::squeeze.dim");
  node.args = {{"self", ir::TensorRef{self}}, number("dim", dim)};
  for (const ir::Node& made : body.nodes)  // the join itself may have a place that no body knows
    if (makes(made, self)) {
      node.scope = made.scope;
      node.source = made.source;
    }
  node.call = static_cast<int>(body.nodes.size());
  node.outputs = {ir::add_value(body, value)};
  body.nodes.push_back(node);
  return node.outputs[0];
}

/// A run of turns along `dim`: of its own for a stack, of the values for a join.
ir::ValueId Recorder::piece(const Segment& run, bool is_stack, int64_t dim, ir::ValueId wanted,
                            Place place) {
  size_t index = run.first->family;
  const ir::Value inner =
      families_[index].body->values[static_cast<size_t>(families_[index].value)];
  bool flatten = false;
  if (!is_stack) {
    flatten = true;
    if (const auto before = before_unsqueeze(*families_[index].body, families_[index].value, dim)) {
      families_.push_back({families_[index].body, *before, families_[index].turns, {}});
      index = families_.size() - 1;
      flatten = false;
    } else if (inner.shape.at(static_cast<size_t>(dim)) == ir::Dim(1)) {
      families_.push_back(
          {families_[index].body, squeezed(index, dim), families_[index].turns, {}});
      index = families_.size() - 1;
      flatten = false;
    }
  }
  const ir::DType dtype = inner.dtype;
  const int64_t turns = families_[index].turns;
  const bool whole = run.count == turns;
  const bool direct = whole && !flatten;
  ir::ValueId out = stacked(index, dim, run.reversed, direct ? wanted : ir::kNoValue);
  ir::Shape shape = graph_.values[static_cast<size_t>(out)].shape;
  const auto at = static_cast<size_t>(dim);
  if (!whole) {
    const int64_t begin = run.reversed ? turns - 1 - run.first->turn : run.first->turn;
    const int64_t rest = turns - begin - run.count;
    shape[at] = run.count;
    out = emit("aten::slice.Tensor",
               {{"self", ir::TensorRef{out}},
                number("dim", dim),
                number("start", begin),
                number("end", rest == 0 ? INT64_MAX : -rest),
                number("step", 1)},
               dtype, ir::static_shape(shape), place);
  }
  if (!flatten) return out;
  shape[at] = shape[at] * shape[at + 1];
  shape.erase(shape.begin() + dim + 1);
  return emit("aten::flatten.using_ints",
              {{"self", ir::TensorRef{out}}, number("start_dim", dim), number("end_dim", dim + 1)},
              dtype, ir::static_shape(shape), place);
}

ir::Dim Recorder::size_symbol(ir::ValueId value, int64_t axis) {
  const ir::Value& owner = graph_.values[static_cast<size_t>(value)];
  const ir::Symbol symbol = ir::Symbol::AxisSize{owner.name, axis};
  std::any& samples = graph_.attributes[ir::kSampleSizes];
  if (!samples.has_value()) samples = ir::Sizes();
  std::any_cast<ir::Sizes&>(samples)[symbol] = owner.shape[static_cast<size_t>(axis)].value();
  return ir::Dim::symbol(symbol);
}

}  // namespace t2n::trace
