// SPDX-License-Identifier: Apache-2.0
#include "src/frontend/state/state.h"

#include <algorithm>
#include <array>
#include <map>

#include "src/diag/error.h"
#include "src/diag/glob.h"
#include "src/diag/one_of.h"
#include "src/frontend/load/convert.h"
#include "src/frontend/load/operators.h"
#include "src/frontend/numbers/mark.h"
#include "src/frontend/state/observers.h"

namespace t2n::trace {
namespace {

const char* const kBuffer = "keep it in a tensor: self.register_buffer(name, tensor)";

std::string shape_text(const ir::Ints& shape) {
  std::string out;
  for (const int64_t size : shape) out += cat(out.empty() ? "" : ",", size);
  return cat("[", out, "]");
}

bool is_tensor(const ModelValue& leaf) {
  return leaf.value.isTensor() && leaf.value.toTensor().defined();
}

/// "an int, 3"
std::string value_text(const ModelValue& leaf) {
  const c10::IValue& value = leaf.value;
  if (value.isNone()) return "None";
  if (is_tensor(leaf)) return cat("a tensor of ", shape_text(leaf.shape));
  if (value.isScalar() || value.isString()) return cat(value);
  return cat("of type ", value.tagKind());
}

bool is_free(const std::set<std::pair<std::string, int64_t>>& free_axes, const std::string& name,
             int64_t axis, int64_t rank) {
  return std::any_of(free_axes.begin(), free_axes.end(), [&](const auto& free) {
    return (free.second == axis || free.second == axis - rank) && glob_matches(free.first, name);
  });
}

/// Why a shape is not allowed to change; only declared axes may.
std::string shape_reason(const ModelValue& before, const ModelValue& after,
                         const std::set<std::pair<std::string, int64_t>>& free_axes) {
  const std::string name = state_name(before.path);
  bool same = before.shape.size() == after.shape.size();
  const auto rank = static_cast<int64_t>(before.shape.size());
  for (int64_t i = 0; same && i < rank; ++i)
    same = before.shape[i] == after.shape[i] || is_free(free_axes, name, i, rank);
  if (same) return {};
  return cat("its shape changes from call to call: ", shape_text(before.shape),
             " before this one, ", shape_text(after.shape), " after");
}

std::string shape_remedy(const ModelValue& before, const ModelValue& after) {
  std::string declare;
  for (size_t i = 0; i < before.shape.size() && before.shape.size() == after.shape.size(); ++i)
    if (before.shape[i] != after.shape[i])
      declare += cat(" --dynamic ", state_name(before.path), ":", i, "=P");
  return declare.empty() ? "give it one shape for all calls"
                         : cat("declare the axis along which it grows:", declare,
                               "; or give it one shape for all calls");
}

std::string type_text(const at::Tensor& tensor) {
  const auto type = from_torch(tensor.scalar_type());
  return type ? std::string(ir::dtype_name(*type)) : std::string("another");
}

Change tensor_change(const ModelValue& before, const ModelValue& after, const StateWatch& watch,
                     const std::set<std::pair<std::string, int64_t>>& free_axes) {
  Change out;
  out.path = before.path;
  out.location = watch.location_of(before);
  out.before = before.value.toTensor();
  out.after = after.value.toTensor();
  out.in_place = watch.wrote_in_place(out.before);
  out.was_read = out.in_place || watch.was_read(before.holders);
  out.reason = shape_reason(before, after, free_axes);
  if (!out.reason.empty()) {
    out.remedy = shape_remedy(before, after);
  } else if (out.before.scalar_type() != out.after.scalar_type()) {
    out.reason = cat("its type changes from ", type_text(out.before), " to ", type_text(out.after),
                     " with the first call");
    out.remedy = "convert it to one type before it is kept";
  }
  return out;
}

/// The change of anything other than a tensor, or of the number of values.
Change plain_change(const Attribute& before, std::string path, const std::vector<Holder>& holders,
                    std::string reason, const StateWatch& watch) {
  Change out;
  out.path = std::move(path);
  out.location = watch.location_of(holders);
  out.reason = std::move(reason);
  out.remedy =
      cat(kBuffer,
          "; if it no longer changes after the first call, call the model once before saving it");
  out.could_be_seen = watch.could_see(before.holders);
  out.from_data = watch.is_from_data(holders);
  out.was_read = watch.was_read(before.holders);
  return out;
}

bool same_paths(const Attribute& a, const Attribute& b) {
  return a.leaves.size() == b.leaves.size() &&
         std::equal(a.leaves.begin(), a.leaves.end(), b.leaves.begin(),
                    [](const ModelValue& x, const ModelValue& y) { return x.path == y.path; });
}

bool is_same(const ModelValue& before, const ModelValue& after, const StateWatch& watch) {
  if (is_tensor(before) && is_tensor(after))
    return before.value.toTensor().is_same(after.value.toTensor()) &&
           !watch.wrote_in_place(before.value.toTensor()) && before.shape == after.shape;
  const auto& a = before.value;
  const auto& b = after.value;
  return are_identical(a, b) || (a.tagKind() == b.tagKind() && a.is(b));
}

class Finder {
 public:
  Finder(const StateWatch& watch, const std::set<std::pair<std::string, int64_t>>& free_axes)
      : watch_(watch), free_axes_(free_axes) {}

  void compare(const Attribute& before, const Attribute& after) {
    if (!same_paths(before, after)) {
      out_.push_back(plain_change(before, before.path, before.holders,
                                  cat("it holds ", before.leaves.size(),
                                      " values before the call, ", after.leaves.size(), " after"),
                                  watch_));
      return;
    }
    for (size_t i = 0; i < before.leaves.size(); ++i)
      compare(before, before.leaves[i], after.leaves[i]);
  }
  std::vector<Change> take() && { return std::move(out_); }

 private:
  void compare(const Attribute& attribute, const ModelValue& before, const ModelValue& after) {
    if (is_same(before, after, watch_)) return;
    if (is_tensor(before) && is_tensor(after)) {
      out_.push_back(tensor_change(before, after, watch_, free_axes_));
      return;
    }
    std::vector<Holder> holders = attribute.holders;
    holders.insert(holders.end(), before.holders.begin(), before.holders.end());
    Change change =
        plain_change(attribute, before.path, holders,
                     cat("it is ", value_text(before), " before the call, ", value_text(after),
                         " after: a value of the program, not a tensor"),
                     watch_);
    if (before.value.isNone() && is_tensor(after)) {
      change.reason = cat("it is None before the first call, ", value_text(after), " after it");
      change.remedy = cat("give it an initial value: --input ", state_name(before.path), "=",
                          shape_text(after.shape).substr(1));
      change.remedy.pop_back();
      change.remedy += ", or call the model once before saving it";
    }
    out_.push_back(std::move(change));
  }

  const StateWatch& watch_;
  const std::set<std::pair<std::string, int64_t>>& free_axes_;
  std::vector<Change> out_;
};

/// The values that `roots` are computed from, including themselves.
std::vector<bool> sources_of(const ir::Graph& graph, const std::vector<ir::ValueId>& roots) {
  std::vector<bool> out(graph.values.size(), false);
  for (const ir::ValueId root : roots) out[root] = true;
  for (auto node = graph.nodes.rbegin(); node != graph.nodes.rend(); ++node) {
    const bool is_source = std::any_of(node->outputs.begin(), node->outputs.end(),
                                       [&](ir::ValueId id) { return out[id]; });
    if (!is_source) continue;
    for (const ir::Argument& argument : node->args)
      if (!reads_only_shape(*node, argument.name))
        ir::for_each_ref(argument.value, [&](ir::ValueId id) { out[id] = true; });
  }
  return out;
}

Where where(const Location& location, const ir::Graph& graph) {
  ir::Node at;
  at.scope = location.scope;
  at.source = location.source;
  return ir::node_where(graph, at);
}

std::vector<Use> uses_of(const std::vector<Change>& changes, const ir::Graph& graph,
                         bool with_reasons) {
  std::vector<Use> out;
  for (const Change& change : changes) {
    Use use{.what = quoted(change.path), .where = {where(change.location, graph)}};
    if (with_reasons && !change.reason.empty()) {
      use.why = change.reason;
      use.help = change.remedy;
    }
    out.push_back(std::move(use));
  }
  return out;
}

}  // namespace

Change constant_change(Location location) {
  Change out;
  out.path = "constant";
  out.location = location;
  out.reason = "it is a constant of the program, not an attribute";
  out.remedy = "make it in forward, or keep it: self.register_buffer(name, tensor)";
  out.from_data = true;
  return out;
}

std::string state_name(const std::string& path) {
  std::string out = path;
  std::replace(out.begin(), out.end(), '.', '_');
  return out;
}

std::vector<Change> find_changes(const std::vector<Attribute>& before,
                                 const std::vector<Attribute>& after, const StateWatch& watch,
                                 const std::set<std::pair<std::string, int64_t>>& free_axes) {
  std::map<std::string, const Attribute*> by_path;
  for (const Attribute& attribute : after) by_path[attribute.path] = &attribute;
  Finder finder(watch, free_axes);
  for (const Attribute& attribute : before) {
    const auto found = by_path.find(attribute.path);
    const Attribute missing{attribute.path, attribute.holders, {}};
    finder.compare(attribute, found == by_path.end() ? missing : *found->second);
  }
  return std::move(finder).take();
}

namespace {

/// Whether only embeddings with max_norm read the table. They rescale the rows before the lookup,
/// so changes by earlier calls affect no result.
bool is_renormed_table(const ir::Graph& graph, ir::ValueId table) {
  static const ir::OpId renorm = ir::op_id("aten::embedding_renorm");
  constexpr std::array<std::string_view, 2> kLookups = {"embedding", "embedding_bag"};
  const auto is_same = [&](const ir::Node& node, ir::ValueId id) {
    constexpr std::array<std::string_view, 3> kViews = {"detach", "alias", "reshape"};
    const auto shape = [&](ir::ValueId value) { return graph.values[value].shape; };
    return is_one_of(ir::op_short_name(node.op), kViews) && shape(node.outputs[0]) == shape(id);
  };
  std::map<ir::ValueId, ir::ValueId> indices = {{table, ir::kNoValue}};  ///< of the renormed tables
  bool out = true;
  for (const ir::Node& node : graph.nodes) {
    const ir::ValueId row_indices =
        node.find("indices") ? ir::operand(node, "indices") : ir::kNoValue;
    ir::for_each_input(node, [&](ir::ValueId id) {
      const auto form = indices.find(id);
      if (form == indices.end()) return;
      if (node.op == renorm && id == ir::operand(node, "self") && id != row_indices)
        indices.emplace(node.outputs[0], row_indices);
      else if (is_same(node, id))
        indices.emplace(node.outputs[0], form->second);
      else
        out = out && is_one_of(ir::op_short_name(node.op), kLookups) &&
              id == ir::operand(node, "weight") && id != row_indices && form->second == row_indices;
    });
  }
  return out && indices.size() > 1 &&
         std::none_of(graph.outputs.begin(), graph.outputs.end(),
                      [&](ir::ValueId id) { return indices.contains(id); });
}

}  // namespace

std::set<size_t> live_states(const ir::Graph& graph, const std::vector<ir::ValueId>& candidates,
                             const std::vector<ir::ValueId>& next) {
  std::set<size_t> live;
  std::vector<ir::ValueId> roots = graph.outputs;
  std::vector<bool> renormed;
  for (size_t i = 0; i < candidates.size(); ++i) {
    renormed.push_back(is_renormed_table(graph, candidates[i]));
    if (!renormed[i] && sources_of(graph, {next[i]})[candidates[i]]) live.insert(i);
  }
  for (size_t before = candidates.size() + 1; before != live.size();) {
    before = live.size();
    for (const size_t i : live) roots.push_back(next[i]);
    const std::vector<bool> sources = sources_of(graph, roots);
    for (size_t i = 0; i < candidates.size(); ++i)
      if (!renormed[i] && sources[candidates[i]]) live.insert(i);
  }
  return live;
}

namespace {

/// Whether a batch normalisation updates it, in training mode only.
bool is_count_of_batches(const Change& change) {
  return change.path.ends_with("num_batches_tracked");
}

}  // namespace

void refuse_changes(const std::vector<Change>& changes, const ir::Graph& graph) {
  const bool one = changes.size() == 1;
  Diagnostic out{
      .id = "model-state",
      .message = one ? cat("forward changes ", quoted(changes[0].path), ", a part of the model")
                     : cat("forward changes ", changes.size(), " parts of the model"),
      .where = {},
      .details = {},
      .why = "the next call would run a changed model; an exported file has no memory",
      .help = {}};
  if (one)
    out.where = {where(changes[0].location, graph)};
  else
    set_uses(out, uses_of(changes, graph, false));
  const bool possible = std::all_of(changes.begin(), changes.end(),
                                    [](const Change& change) { return change.reason.empty(); });
  out.help =
      cat(possible
              ? cat("--state makes ", one ? "it an input and an output" : "them inputs and outputs",
                    " of the file; or pass ", one ? "it" : "them", " in and return ",
                    one ? "it" : "them")
              : cat("pass ", one ? "it" : "them", " in and return ", one ? "it" : "them"),
          ", or change ", one ? "it" : "them", " in training mode only");
  const auto counts = std::count_if(changes.begin(), changes.end(), is_count_of_batches);
  if (counts > 0) {
    const bool all = counts == std::ssize(changes);
    out.help = cat("call model.eval() before tracing, and save the model again",
                   all ? "" : cat("; for the other parts: ", out.help));
    if (all) out.why = "the model was traced in training mode, where batch norm counts its calls";
  }
  if (is_observer(where(changes[0].location, graph))) out.help = kSwitchOff;
  throw Error(std::move(out));
}

void refuse_explicit(const std::vector<Change>& changes, const ir::Graph& graph) {
  if (changes.size() == 1)
    throw Error(Diagnostic{.id = "model-state",
                           .message = cat("forward changes ", quoted(changes[0].path),
                                          ", which cannot become an input of the file"),
                           .where = {where(changes[0].location, graph)},
                           .details = {},
                           .why = changes[0].reason,
                           .help = changes[0].remedy});
  Diagnostic out{.id = "model-state",
                 .message = cat("forward changes ", changes.size(),
                                " parts of the model that cannot become inputs of the file")};
  set_uses(out, uses_of(changes, graph, true));
  throw Error(std::move(out));
}

void note_unread(const std::vector<Change>& changes, const ir::Graph& graph, const Report& report) {
  if (changes.empty() || !report) return;
  std::string names;
  for (const Change& change : changes) names += (names.empty() ? "" : ", ") + quoted(change.path);
  report(Diagnostic{
      .severity = Severity::note,
      .id = "model-state",
      .message = cat("the file does not keep ", names, ", which forward writes and never reads"),
      .where = changes.size() == 1 ? std::vector<Where>{where(changes[0].location, graph)}
                                   : std::vector<Where>(),
      .details = {},
      .why = {},
      .help = {}});
}

}  // namespace t2n::trace
