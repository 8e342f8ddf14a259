#include "src/dynamic/infer.h"

#include <algorithm>

#include "src/diag/error.h"
#include "src/dynamic/fit.h"
#include "src/dynamic/level.h"
#include "src/dynamic/scan_shapes.h"
#include "src/dynamic/shape_rule.h"

namespace t2n::dynamic {
namespace {

/// Trials after which no other expression is expected to turn up, and after which we give up.
constexpr size_t kEnoughTrials = 6, kMaxTrials = 9;

/// "S=3, T=5"
std::string sizes_str(const Sizes& sizes) {
  std::string out;
  for (const auto& [symbol, size] : sizes) out += cat(out.empty() ? "" : ", ", symbol, "=", size);
  return out;
}

/// What is being looked for, for messages.
struct Subject {
  std::string op;
  std::string what;  ///< "axis 1 of its result"
  Where where;
};

[[noreturn]] void refuse(const Subject& subject, const std::vector<Observation>& seen,
                         const std::string& why) {
  Diagnostic out;
  out.id = "dynamic-size";
  out.message = cat(subject.op, ": ", subject.what, " is no expression of the dynamic axes");
  out.where = {subject.where};
  for (const Observation& at : seen)
    out.details.push_back(cat(at.extent, " where ", sizes_str(*at.symbols)));
  out.why = why;
  out.help = "declare fewer axes dynamic, or compute it from sizes by + - * // only";
  throw Error(std::move(out));
}

/// Whether `b` holds wherever `a` does: equal relations, and bounds on the same expression.
bool implies(const Comparison& a, const Comparison& b) {
  if (a == b) return true;
  if (a.left != b.left || a.relation != b.relation) return false;
  if (!a.right.is_constant() || !b.right.is_constant()) return false;
  return a.relation == Relation::ge
             ? a.right.value() >= b.right.value()
             : a.relation == Relation::le && a.right.value() <= b.right.value();
}

/// One pass over the graph with the trials at hand. It stops where it needs another trial.
class Inference {
 public:
  Inference(const std::vector<Trial>& trials, const std::vector<ir::Shape>& inputs)
      : trials_(trials), inputs_(inputs), result_(trials[0].graph), facts_(sizes_of(trials)) {}

  /// Whether the trials were enough.
  bool run() {
    std::vector<const ir::Graph*> graphs;
    for (const Trial& trial : trials_) graphs.push_back(&trial.graph);
    const Level level(result_, std::move(graphs));
    T2N_ASSERT(inputs_.size() == result_.inputs.size(), "a shape for each input is needed");
    for (size_t i = 0; i < inputs_.size(); ++i) shape_of(level, result_.inputs[i]) = inputs_[i];
    constants(level);
    return nodes(level);
  }

  ir::Graph& graph() { return result_; }
  Inferred& found() { return found_; }

 private:
  static std::vector<const Sizes*> sizes_of(const std::vector<Trial>& trials) {
    std::vector<const Sizes*> out;
    for (const Trial& trial : trials) out.push_back(&trial.symbols);
    return out;
  }

  static ir::Shape& shape_of(const Level& level, ir::ValueId value) {
    return level.result().values[static_cast<size_t>(value)].shape;
  }

  bool nodes(const Level& level) {
    for (size_t i = 0; i < level.result().nodes.size() && !needs_more_; ++i) node(level, i);
    return !needs_more_;
  }

  void constants(const Level& level) {
    for (const ir::Constant& constant : level.result().constants)
      for (size_t trial = 1; trial < level.trials(); ++trial)
        if (level.shape(trial, constant.value) != level.shape(0, constant.value))
          refuse_constant(level, constant.value, trial);
  }

  [[noreturn]] void refuse_constant(const Level& level, ir::ValueId value, size_t trial) const {
    const auto seen = [&](size_t at) {
      return cat(ir::shape_str(level.shape(at, value)), " where ", sizes_str(trials_[at].symbols));
    };
    throw Error("dynamic-size",
                cat("the constant ", quoted(level.trial(0).values[static_cast<size_t>(value)].name),
                    " has other sizes for other inputs"),
                cat(seen(0), ", ", seen(trial)),
                "compute it in forward() from the shapes of tensors");
  }

  void node(const Level& level, size_t index) {
    ir::Node& node = level.result().nodes[index];
    for (size_t i = 0; i < node.args.size(); ++i) argument(level, index, i);
    if (node.body) body(level, index);
    if (needs_more_) return;
    bool rule_failed = false;
    if (node.body) {
      if (accept(level, node, {scan_output_shapes(node), {}})) return;
    } else if (const ShapeRule rule = find_shape_rule(node.op)) {
      const RuleResult result = apply_shape_rule(rule, ShapeView(level.result(), node, facts_));
      if (accept(level, node, result)) return;
      rule_failed = !result.bug.empty() || !result.shapes.empty();
    }
    for (const ir::ValueId output : node.outputs) {
      measure(level, node, output);
      found_.measured.push_back({level.outer() != nullptr ? ir::kNoValue : output,
                                 std::string(ir::op_name(node.op)), rule_failed});
    }
  }

  /// Takes what a rule says if it is true in every trial.
  bool accept(const Level& level, const ir::Node& node, const RuleResult& result) {
    std::vector<Comparison> assumed = facts_.take_assumed();
    if (result.shapes.empty()) return false;
    for (size_t i = 0; i < node.outputs.size(); ++i)
      for (size_t trial = 0; trial < level.trials(); ++trial)
        if (!agrees(result.shapes[i], trial, level.shape(trial, node.outputs[i]))) return false;
    for (size_t i = 0; i < node.outputs.size(); ++i)
      shape_of(level, node.outputs[i]) = result.shapes[i];
    note(level, node, std::move(assumed));
    return true;
  }

  bool agrees(const ir::Shape& shape, size_t trial, const ir::Shape& traced) const {
    if (shape.size() != traced.size()) return false;
    for (size_t i = 0; i < shape.size(); ++i)
      if (value_at(trial, shape[i]) != traced[i].value()) return false;
    return true;
  }

  /// Keeps the strongest of the bounds on an expression.
  void note(const Level& level, const ir::Node& node, std::vector<Comparison> assumed) {
    for (Comparison& relation : assumed) {
      const auto is_same = [&](const Assumption& known) {
        return implies(known.relation, relation);
      };
      if (std::any_of(found_.assumptions.begin(), found_.assumptions.end(), is_same)) continue;
      std::erase_if(found_.assumptions,
                    [&](const Assumption& known) { return implies(relation, known.relation); });
      found_.assumptions.push_back({std::move(relation), std::string(ir::op_name(node.op)),
                                    ir::node_where(level.result(), node)});
    }
  }

  /// The body of a scan sees what goes in, turn by turn.
  void body(const Level& level, size_t index) {
    ir::Node& node = level.result().nodes[index];
    node.body = std::make_shared<ir::Graph>(*node.body);
    std::vector<const ir::Graph*> graphs;
    for (size_t trial = 0; trial < level.trials(); ++trial)
      graphs.push_back(level.trial(trial).nodes[index].body.get());
    const Level inner(*node.body, std::move(graphs), &level);
    const std::vector<ir::Shape> shapes = scan_input_shapes(level.result(), node);
    for (size_t i = 0; i < shapes.size(); ++i) shape_of(inner, node.body->inputs.at(i)) = shapes[i];
    constants(inner);
    nodes(inner);
  }

  void measure(const Level& level, const ir::Node& node, ir::ValueId value) {
    ir::Shape& shape = shape_of(level, value);
    for (size_t axis = 0; axis < shape.size(); ++axis) {
      std::vector<Observation> seen;
      for (size_t trial = 0; trial < level.trials(); ++trial) {
        const ir::Shape& there = level.shape(trial, value);
        T2N_ASSERT(there.size() == shape.size(), "the trials differ in rank");
        seen.push_back({&trials_[trial].symbols, there[axis].value()});
      }
      shape[axis] = fitted(subject(level, node, cat("axis ", axis, " of its result")), seen);
    }
  }

  static Subject subject(const Level& level, const ir::Node& node, std::string what) {
    return {std::string(ir::op_name(node.op)), std::move(what),
            ir::node_where(level.result(), node)};
  }

  ir::Dim fitted(const Subject& subject, const std::vector<Observation>& seen) {
    const auto fit = fit_size(seen);
    if (fit && fit->is_proven) return fit->size;
    if (!fit && seen.size() >= kEnoughTrials)
      refuse(subject, seen,
             "it follows the values of a tensor, or the sizes in a way unknown here");
    if (seen.size() >= kMaxTrials)
      refuse(subject, seen, cat("more than one expression agrees, such as ", fit->size.str()));
    needs_more_ = true;
    return fit ? fit->size : ir::Dim(seen[0].extent);
  }

  void argument(const Level& level, size_t index, size_t which) {
    ir::Attr& value = level.result().nodes[index].args[which].value;
    if (auto* one = std::get_if<ir::Dim>(&value)) {
      *one = number(level, index, which,
                    [](const ir::Attr& attr) { return std::get_if<ir::Dim>(&attr); });
    } else if (auto* many = std::get_if<std::vector<ir::Dim>>(&value)) {
      for (size_t i = 0; i < many->size(); ++i)
        (*many)[i] = number(level, index, which, [i](const ir::Attr& attr) {
          const auto* list = std::get_if<std::vector<ir::Dim>>(&attr);
          return list != nullptr && i < list->size() ? &(*list)[i] : nullptr;
        });
    } else {
      require_equal(level, index, which);
    }
  }

  /// An integer, which `read` finds in the argument of any trial.
  template <typename Read>
  ir::Dim number(const Level& level, size_t index, size_t which, Read read) {
    std::vector<Observation> seen;
    const ir::Dim traced = *read(level.trial(0).nodes[index].args[which].value);
    const ir::Dim size = level.resolved(traced);
    bool agrees = true;
    for (size_t trial = 0; trial < level.trials(); ++trial) {
      const ir::Dim* there = read(level.trial(trial).nodes[index].args[which].value);
      T2N_ASSERT(there != nullptr, "the trials differ in arguments");
      const auto extent = level.number(trial, *there);
      T2N_ASSERT(extent, "the size '", there->str(), "' is unknown");
      seen.push_back({&trials_[trial].symbols, *extent});
      agrees = agrees && value_at(trial, size) == *extent;
    }
    const ir::Node& node = level.result().nodes[index];
    if (agrees) {
      const ir::Dim simple = facts_.simplified(size);
      note(level, node, facts_.take_assumed());
      return simple;
    }
    found_.measured.push_back({ir::kNoValue, std::string(ir::op_name(node.op))});
    return fitted(subject(level, node, cat("the argument ", quoted(node.args[which].name))), seen);
  }

  std::optional<int64_t> value_at(size_t trial, const ir::Dim& size) const {
    const Sizes& sizes = trials_[trial].symbols;
    for (const std::string& symbol : size.symbols())
      if (!sizes.contains(symbol)) return std::nullopt;
    return evaluate(size, sizes);
  }

  /// Arguments that are neither tensors nor integers cannot follow a size.
  void require_equal(const Level& level, size_t index, size_t which) const {
    const auto text = [](const ir::Attr& attr) {
      return ir::attr_str(attr, [](ir::ValueId id) { return std::to_string(id); });
    };
    const ir::Node& node = level.result().nodes[index];
    const std::string own = text(node.args[which].value);
    for (size_t trial = 1; trial < level.trials(); ++trial) {
      const std::string there = text(level.trial(trial).nodes[index].args[which].value);
      if (there == own) continue;
      Diagnostic out;
      out.id = "dynamic-size";
      out.message = cat(ir::op_name(node.op), ": ", node.args[which].name, "=", own,
                        " is another number for other sizes");
      out.where = {ir::node_where(level.result(), node)};
      out.details = {cat(own, " where ", sizes_str(trials_[0].symbols)),
                     cat(there, " where ", sizes_str(trials_[trial].symbols))};
      out.why = "only integers can follow the dynamic axes in a file";
      out.help = "compute it as a tensor, or from axes that are not dynamic";
      throw Error(std::move(out));
    }
  }

  const std::vector<Trial>& trials_;
  const std::vector<ir::Shape>& inputs_;
  ir::Graph result_;
  Facts facts_;
  Inferred found_;
  bool needs_more_ = false;
};

}  // namespace

Inferred infer_shapes(std::vector<Trial>& trials, const InferOptions& options) {
  while (true) {
    Inference inference(trials, options.inputs);
    if (!inference.run()) {
      trials.push_back(options.more());
      continue;
    }
    trials[0].graph = std::move(inference.graph());
    trials[0].graph.attributes[ir::kSampleSizes] = trials[0].symbols;
    return std::move(inference.found());
  }
}

ir::Dim over_axes(const ir::Dim& dim, const ir::Graph& graph) {
  const Names names = names_of(graph);
  const ir::Dim out =
      dim.substitute([&](std::string_view symbol) { return traced_size(symbol, graph, names); });
  for (const std::string& symbol : out.symbols())
    T2N_ASSERT(!symbol.starts_with("size."), "the size '", symbol, "' is of no value");
  return out;
}

}  // namespace t2n::dynamic
