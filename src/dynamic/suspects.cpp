// SPDX-License-Identifier: Apache-2.0
#include "src/dynamic/suspects.h"

#include <algorithm>
#include <array>

#include "ir/readable.h"
#include "src/diag/one_of.h"

namespace t2n::dynamic {
namespace {

/// A literal of an operation, and the size that it probably is.
struct Suspect {
  const ir::Node* node;
  std::string argument;
  int64_t literal;
  ir::Dim size;
};

bool is_shape_argument(std::string_view name) {
  constexpr std::array<std::string_view, 3> kNames = {"shape", "size", "sizes"};
  return is_one_of(name, kNames);
}

const ir::Shape* shape_of(const ir::Graph& graph, const ir::Node& node, std::string_view name) {
  const ir::ValueId id = ir::operand(node, name);
  return id == ir::kNoValue ? nullptr : &graph.values[id].shape;
}

class Finder {
 public:
  Finder(const ir::Graph& graph, const Sizes& sample) : graph_(graph), sample_(sample) {}

  std::vector<Suspect> find() {
    for (const ir::Node& node : graph_.nodes) {
      in_shape(node);
      in_slice(node);
      in_creation(node);
    }
    return std::move(found_);
  }

 private:
  int64_t sample_of(const ir::Dim& dim) const { return evaluate(dim, sample_); }
  void add(const ir::Node& node, std::string_view argument, const ir::Dim& literal,
           const ir::Dim& size) {
    found_.push_back({&node, std::string(argument), literal.value(), size});
  }

  /// view(2, 10, -1) of a tensor whose axes have these sizes in the sample only.
  void in_shape(const ir::Node& node) {
    const ir::Shape* self = shape_of(graph_, node, "self");
    if (self == nullptr) return;
    for (const ir::Argument& arg : node.args) {
      const auto* dims = std::get_if<std::vector<ir::Dim>>(&arg.value);
      if (dims == nullptr || !is_shape_argument(arg.name)) continue;
      for (size_t i = 0; i < std::min(dims->size(), self->size()); ++i) {
        const ir::Dim& size = (*self)[i];
        if ((*dims)[i].is_constant() && !size.is_constant() &&
            sample_of(size) == (*dims)[i].value())
          return add(node, arg.name, (*dims)[i], size);
      }
    }
  }

  /// x[:, :10] of an axis that has size 10 in the sample.
  void in_slice(const ir::Node& node) {
    const ir::Shape* self = shape_of(graph_, node, "self");
    const auto* dim = std::get_if<ir::Dim>(node.find("dim"));
    const bool has_end = node.find("end") != nullptr || node.find("length") != nullptr;
    if (self == nullptr || dim == nullptr || !dim->is_constant() || !has_end) return;
    const auto rank = static_cast<int64_t>(self->size());
    const int64_t at = dim->value() < 0 ? dim->value() + rank : dim->value();
    if (at < 0 || at >= rank) return;
    const ir::Dim& size = self->at(static_cast<size_t>(at));
    if (size.is_constant()) return;
    for (const std::string_view name : {"end", "length"}) {
      const auto* end = std::get_if<ir::Dim>(node.find(name));
      if (end && end->is_constant() && end->value() == sample_of(size)) add(node, name, *end, size);
    }
  }

  /// torch.arange(10), torch.zeros(2, 10): tensors made of literals. 1 and 2 are too common.
  void in_creation(const ir::Node& node) {
    bool has_operand = false;
    ir::for_each_input(node, [&](ir::ValueId) { has_operand = true; });
    if (has_operand) return;
    const auto look = [&](const ir::Argument& arg, const ir::Dim& literal) {
      constexpr int64_t kDistinctive = 3;
      if (!literal.is_constant() || literal.value() < kDistinctive) return;
      for (const auto& [symbol, size] : sample_)
        if (size == literal.value() && symbol.unbacked() == nullptr)
          return add(node, arg.name, literal, ir::Dim::symbol(symbol));
    };
    for (const ir::Argument& arg : node.args) {
      if (const auto* one = std::get_if<ir::Dim>(&arg.value)) look(arg, *one);
      if (const auto* many = std::get_if<std::vector<ir::Dim>>(&arg.value))
        for (const ir::Dim& literal : *many) look(arg, literal);
    }
  }

  const ir::Graph& graph_;
  const Sizes& sample_;
  std::vector<Suspect> found_;
};

bool mentions(const ir::Shape& shape, const Symbol& symbol) {
  return std::any_of(shape.begin(), shape.end(),
                     [&](const ir::Dim& dim) { return dim.mentions(symbol); });
}

Diagnostic suspicion(std::string message, std::vector<Where> where, std::string why) {
  return Diagnostic{.severity = Severity::warning,
                    .id = "dynamic-suspect",
                    .message = std::move(message),
                    .where = std::move(where),
                    .details = {},
                    .why = std::move(why),
                    .help = "take the number from x.size() in the model, and trace it again"};
}

void report_outputs(const ir::Graph& graph, const Sizes& sample, const Report& report) {
  for (const auto& [symbol, size] : sample) {
    if (symbol.unbacked() != nullptr) continue;
    bool grows = false;
    std::string fixed;
    for (size_t i = 0; i < graph.outputs.size(); ++i) {
      const ir::Shape& shape = graph.values[graph.outputs[i]].shape;
      grows = grows || mentions(shape, symbol);
      if (!mentions(shape, symbol) && size > 1 &&
          std::find(shape.begin(), shape.end(), ir::Dim(size)) != shape.end())
        fixed = graph.output_names[i];
    }
    if (!grows && !fixed.empty())
      report(suspicion(cat("the output ", quoted(fixed), " does not grow with ", symbol), {},
                       cat("it has an axis of ", size, ", which is ", symbol, " in the sample")));
    else if (!grows)
      report(Diagnostic{.severity = Severity::note,
                        .id = "dynamic-suspect",
                        .message = cat("no output's shape depends on ", symbol),
                        .where = {},
                        .details = {},
                        .why = {},
                        .help = {}});
  }
}

}  // namespace

void report_suspects(const ir::Graph& graph, const Sizes& sample, const Report& report) {
  if (!report) return;
  for (const Suspect& suspect : Finder(graph, sample).find())
    report(
        suspicion(cat(ir::op_name(suspect.node->op), ": ", suspect.argument, " holds the literal ",
                      suspect.literal, ", which is ", ir::readable(suspect.size), " in the sample"),
                  {ir::node_where(graph, *suspect.node)},
                  "the exported model uses the literal at all sizes, as the model does"));
  report_outputs(graph, sample, report);
}

}  // namespace t2n::dynamic
