// SPDX-License-Identifier: Apache-2.0
#include "src/dynamic/infer.h"

#include <algorithm>
#include <set>

#include "ir/op_traits.h"
#include "ir/prove.h"
#include "ir/quotients.h"
#include "ir/refusal.h"
#include "ir/scan.h"
#include "src/diag/error.h"
#include "src/dynamic/level.h"
#include "src/dynamic/refused_size.h"
#include "src/dynamic/same.h"
#include "src/dynamic/scan_shapes.h"
#include "src/dynamic/unbacked_sizes.h"
#include "src/shapes/shape_rule.h"

namespace t2n::dynamic {
namespace {

/// Whether `a` implies `b`.
bool implies(const Comparison& a, const Comparison& b) {
  return ir::prove(b, {&a, 1}) == ir::Verdict::always;
}

/// One pass over the graph, checked against the probes.
class Inference {
 public:
  Inference(std::vector<Probe>& probes, const InferOptions& options, const ir::OpTable& operators)
      : probes_(probes),
        operators_(operators),
        inputs_(options.inputs),
        refusals_(options.refusals),
        result_(probes[0].graph),
        unbacked_sizes_(probes[0].symbols),
        constraints_(sizes_of(probes), options.known) {
    constraints_.keep_orders(options.orders);
  }

  void run() {
    std::vector<const ir::Graph*> graphs;
    for (const Probe& probe : probes_) graphs.push_back(&probe.graph);
    const Level level(result_, std::move(graphs));
    T2N_ASSERT(inputs_.size() == result_.inputs.size(), "a shape for each input is needed");
    for (size_t i = 0; i < inputs_.size(); ++i) shape_of(level, result_.inputs[i]) = inputs_[i];
    body_of(level);
  }

  ir::Graph& graph() { return result_; }
  std::vector<Assumption>& found() { return found_; }

 private:
  static std::vector<const Sizes*> sizes_of(const std::vector<Probe>& probes) {
    std::vector<const Sizes*> out;
    for (const Probe& probe : probes) out.push_back(&probe.symbols);
    return out;
  }

  static ir::Shape& shape_of(const Level& level, ir::ValueId value) {
    return level.result().values[value].shape;
  }

  void body_of(const Level& level) {
    constants(level);
    for (size_t i = 0; i < level.result().nodes.size(); ++i) node(level, i);
  }

  void constants(const Level& level) {
    for (const ir::Constant& constant : level.result().constants)
      for (size_t probe = 1; probe < level.probes(); ++probe)
        if (level.shape(probe, constant.value) != level.shape(0, constant.value))
          refuse_constant(level, constant.value, probe);
  }

  [[noreturn]] void refuse_constant(const Level& level, ir::ValueId value, size_t probe) const {
    const auto seen = [&](size_t at) {
      return cat(ir::shape_str(level.shape(at, value)), " where ", sizes_str(probes_[at].symbols));
    };
    throw Error("dynamic-size",
                cat("the constant ", quoted(level.probe(0).values[value].name),
                    " has different sizes for different inputs"),
                cat(seen(0), ", ", seen(probe)),
                "compute it in forward() from the shapes of tensors");
  }

  bool is_elementwise(ir::OpId op) const {
    const auto* known = operators_.exact<shapes::ResultShapes>(op);
    return known != nullptr && known->is_elementwise;
  }

  void node(const Level& level, size_t index) {
    if (refusals_ == nullptr) return infer(level, index);
    try {
      infer(level, index);
    } catch (const Error& error) {
      if (error.code() != ExitCode::unsupported) throw;
      refusals_->push_back(error.diagnostic());
      constraints_.take_assumed();
      for (const ir::ValueId output : level.result().nodes[index].outputs)
        shape_of(level, output) = shape_with_symbols(level, output, probes_);
    }
  }

  void infer(const Level& level, size_t index) {
    ir::Node& node = level.result().nodes[index];
    for (size_t i = 0; i < node.args.size(); ++i) argument(level, index, i);
    shapes::RuleResult result;
    if (node.body) {
      body(level, index);
      result.shapes = scan_output_shapes(node);
    } else if (const auto* known = operators_.find<shapes::ResultShapes>(node.op)) {
      result = shapes::apply_shape_rule(known->rule,
                                        shapes::ShapeView(level.result(), node, constraints_));
      name_unbacked(level, node, result);
    } else {
      result.why = "no shape rule gives the sizes of its results";
    }
    accept(level, node, result);
  }

  /// Names a data-dependent size, with its upper bound.
  void name_unbacked(const Level& level, const ir::Node& node, shapes::RuleResult& result) {
    if (!has_unnamed(result.shapes)) return;
    if (!gives_unbacked_size(level.result(), node) &&
        !counts_over_dynamic_axes(level.result(), node)) {
      // Constants determine the size: it stays as traced.
      for (size_t i = 0; i < result.shapes.size(); ++i)
        result.shapes[i] = level.shape(0, node.outputs[i]);
      return;
    }
    std::vector<Sizes*> sizes;
    for (Probe& probe : probes_) sizes.push_back(&probe.symbols);
    if (const auto unbacked = unbacked_sizes_.name(level, node, result.shapes, sizes)) {
      if (unbacked->most)
        constraints_.know({ir::Dim::symbol(unbacked->symbol), Relation::le, *unbacked->most});
      return;
    }
    result.shapes.clear();
    result.why = level.depth() > 0 ? "inside a loop, no size can depend on tensor values"
                                   : "it depends on tensor values in an unsupported way";
  }

  /// torch rejects negative sizes, or gives them another meaning (-1 in expand).
  void require_sizes(const ir::Shape& shape) {
    for (const ir::Dim& each : shape) {
      const ir::Dim size = ir::with_fewer_terms(each);
      const bool may_be_negative =
          !size.is_constant() &&
          (size.constant_part() < 0 ||
           std::any_of(size.terms().begin(), size.terms().end(),
                       [](const ir::Term& term) { return term.factor < 0; }));
      if (may_be_negative) constraints_.decide(size, Relation::ge, 0);
    }
  }

  /// Accepts the shapes of a rule if every probe has them. Unused results, and results that depend
  /// only on constants, keep the sample's sizes.
  void accept(const Level& level, const ir::Node& node, const shapes::RuleResult& result) {
    for (const ir::Shape& shape : result.shapes) require_sizes(shape);
    std::vector<Comparison> assumed = constraints_.take_assumed();
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      const ir::ValueId output = node.outputs[i];
      if (!result.shapes.empty() && agrees(level, result.shapes[i], output))
        shape_of(level, output) = result.shapes[i];
      else if (is_read(level.result(), output) && !(is_constant_expression(level.result(), node) &&
                                                    agrees(level, shape_of(level, output), output)))
        refuse_shape(level, node, output, result);
    }
    note(level, node, std::move(assumed));
  }

  static bool is_read(const ir::Graph& graph, ir::ValueId value) {
    return ir::use_counts(graph)[value] > 0;
  }

  static bool has_symbols(const ir::Node& node) {
    const auto is_dynamic = [](const ir::Dim& dim) { return !dim.is_constant(); };
    return std::any_of(node.args.begin(), node.args.end(), [&](const ir::Argument& arg) {
      if (const auto* one = std::get_if<ir::Dim>(&arg.value)) return is_dynamic(*one);
      const auto* many = std::get_if<std::vector<ir::Dim>>(&arg.value);
      return many != nullptr && std::any_of(many->begin(), many->end(), is_dynamic);
    });
  }

  /// True if the results depend only on constants, directly or indirectly.
  static bool is_constant_expression(const ir::Graph& graph, const ir::Node& node) {
    const std::vector<int> constants = ir::constant_index(graph), producers = ir::producers(graph);
    std::vector<const ir::Node*> pending = {&node};
    std::set<ir::ValueId> seen;
    bool is_constant = true;
    while (is_constant && !pending.empty()) {
      const ir::Node& next = *pending.back();
      pending.pop_back();
      is_constant = !next.body && !ir::is_unpredictable(next.op) && !has_symbols(next);
      ir::for_each_input(next, [&](ir::ValueId id) {
        const size_t at = id;
        if (constants[at] >= 0 || !seen.insert(id).second) return;
        is_constant = is_constant && producers[at] >= 0;
        if (producers[at] >= 0) pending.push_back(&graph.nodes[producers[at]]);
      });
    }
    return is_constant;
  }

  /// Refuses an operation that an earlier pass marked as inexpressible.
  static void refuse_mark(const Level& level, const ir::Node& node) {
    const std::optional<ir::Refusal> refusal = ir::refusal_of(node);
    if (!refusal) return;
    Diagnostic out;
    out.id = "unsupported-op";
    out.message = cat(refusal->subject(), " has no translation");
    out.where = {ir::node_where(level.result(), node)};
    out.why = refusal->why;
    out.help = refusal->help;
    throw Error(std::move(out));
  }

  [[noreturn]] void refuse_shape(const Level& level, const ir::Node& node, ir::ValueId value,
                                 const shapes::RuleResult& result) const {
    refuse_mark(level, node);
    std::string what = "the size of its result";
    std::vector<Observation> seen;
    const ir::Shape& first = level.shape(0, value);
    for (size_t axis = 0; axis < first.size() && seen.empty(); ++axis)
      for (size_t probe = 1; probe < level.probes(); ++probe) {
        const ir::Shape& other = level.shape(probe, value);
        if (other.size() != first.size() || other[axis] == first[axis]) continue;
        what = cat("axis ", axis, " of its result");
        seen = {{&probes_[0].symbols, first[axis].value()},
                {&probes_[probe].symbols, other[axis].value()}};
        break;
      }
    refuse(subject(level, node, what), seen,
           result.why.empty() ? "the shape rule of the operator gives a different size than torch"
                              : result.why);
  }

  bool agrees(const Level& level, const ir::Shape& shape, ir::ValueId value) const {
    for (size_t probe = 0; probe < level.probes(); ++probe)
      if (!agrees(shape, probe, level.shape(probe, value))) return false;
    return true;
  }
  bool agrees(const ir::Shape& shape, size_t probe, const ir::Shape& traced) const {
    if (shape.size() != traced.size()) return false;
    for (size_t i = 0; i < shape.size(); ++i)
      if (value_at(probe, shape[i]) != traced[i].value()) return false;
    return true;
  }

  /// Records assumptions, except those that others imply.
  void note(const Level& level, const ir::Node& node, std::vector<Comparison> assumed) {
    for (Comparison& relation : assumed) {
      constraints_.know(relation);
      std::erase_if(found_,
                    [&](const Assumption& known) { return implies(relation, known.relation); });
      found_.push_back({std::move(relation), std::string(ir::op_name(node.op)),
                        ir::node_where(level.result(), node)});
    }
  }

  /// Infers the body of a scan. The body sees one iteration's slice of the scanned operands.
  void body(const Level& level, size_t index) {
    ir::Node& node = level.result().nodes[index];
    node.body = std::make_shared<ir::Graph>(*node.body);
    std::vector<const ir::Graph*> graphs;
    for (size_t probe = 0; probe < level.probes(); ++probe)
      graphs.push_back(level.probe(probe).nodes[index].body.get());
    const Level inner(*node.body, std::move(graphs), &level);
    const std::vector<ir::Shape> shapes = scan_input_shapes(level.result(), node);
    for (size_t i = 0; i < shapes.size(); ++i) shape_of(inner, node.body->inputs.at(i)) = shapes[i];
    const Symbol iteration = Symbol::Iteration{level.depth()};
    constraints_.know({ir::Dim::symbol(iteration), Relation::lt, ir::read_scan(node).length});
    body_of(inner);
    constraints_.forget(iteration);
  }

  static Subject subject(const Level& level, const ir::Node& node, std::string what) {
    return {std::string(ir::op_name(node.op)), std::move(what),
            ir::node_where(level.result(), node)};
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

  /// An integer argument; `read` gets it from any probe.
  template <typename Read>
  ir::Dim number(const Level& level, size_t index, size_t which, Read read) {
    std::vector<Observation> seen;
    const ir::Dim traced = *read(level.probe(0).nodes[index].args[which].value);
    const ir::Dim size = level.resolved(traced);
    bool agrees = true;
    for (size_t probe = 0; probe < level.probes(); ++probe) {
      const ir::Dim* other = read(level.probe(probe).nodes[index].args[which].value);
      if (other == nullptr) require_equal(level, index, which);  // a list of another length
      T2N_ASSERT(other != nullptr, "the probes differ in arguments");
      const auto extent = level.number(probe, *other);
      seen.push_back({&probes_[probe].symbols, extent});
      agrees = agrees && extent && value_at(probe, size) == *extent;
    }
    const ir::Node& node = level.result().nodes[index];
    if (agrees) {
      const bool is_number =
          std::holds_alternative<ir::Dim>(node.args[which].value) && is_elementwise(node.op);
      const ir::Dim simple =
          is_number ? constraints_.simplified_number(size) : constraints_.simplified(size);
      note(level, node, constraints_.take_assumed());
      return simple;
    }
    refuse(
        subject(level, node, cat("the argument ", quoted(node.args[which].name))), seen,
        "it depends on tensor values, or on sizes in a way that has no exact integer form: a root, "
        "or a product with a fraction that floats round at some sizes (int(45 * 1.4) is 62)");
  }

  std::optional<int64_t> value_at(size_t probe, const ir::Dim& size) const {
    const Sizes& sizes = probes_[probe].symbols;
    for (const Symbol& symbol : size.symbols())
      if (!sizes.contains(symbol)) return std::nullopt;
    return evaluate(size, sizes);
  }

  /// Arguments that are neither tensors nor integers cannot depend on a size.
  void require_equal(const Level& level, size_t index, size_t which) const {
    const auto text = [](const ir::Attr& attr) {
      return ir::attr_str(attr, [](ir::ValueId id) { return std::to_string(id); });
    };
    const ir::Node& node = level.result().nodes[index];
    const std::string first = text(node.args[which].value);
    for (size_t probe = 1; probe < level.probes(); ++probe) {
      const std::string other = text(level.probe(probe).nodes[index].args[which].value);
      if (other == first) continue;
      Diagnostic out;
      out.id = "dynamic-size";
      out.message = cat(ir::op_name(node.op), ": ", node.args[which].name, "=", first,
                        " differs at other sizes");
      out.where = {ir::node_where(level.result(), node)};
      out.details = {cat(first, " where ", sizes_str(probes_[0].symbols)),
                     cat(other, " where ", sizes_str(probes_[probe].symbols))};
      out.why = "in NNEF, only integers can depend on dynamic axes";
      out.help = "compute it as a tensor, or from axes that are not dynamic";
      throw Error(std::move(out));
    }
  }

  std::vector<Probe>& probes_;  ///< they receive the data-dependent sizes
  const ir::OpTable& operators_;
  const std::vector<ir::Shape>& inputs_;
  std::vector<Diagnostic>* refusals_;
  ir::Graph result_;
  UnbackedSizes unbacked_sizes_;
  shapes::ConstraintSet constraints_;
  std::vector<Assumption> found_;
};

}  // namespace

std::vector<Assumption> infer_shapes(std::vector<Probe>& probes, const InferOptions& options,
                                     const ir::OpTable& operators) {
  Inference inference(probes, options, operators);
  inference.run();
  probes[0].graph = std::move(inference.graph());
  probes[0].graph.attributes[ir::kSampleSizes] = probes[0].symbols;
  return std::move(inference.found());
}

}  // namespace t2n::dynamic
