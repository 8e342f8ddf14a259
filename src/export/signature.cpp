// SPDX-License-Identifier: Apache-2.0
#include "src/export/signature.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "src/nnef/walk.h"

namespace t2n {
namespace {

bool is_external(const nnef::Assignment& statement) {
  return statement.right.text == "external" || statement.right.text == "tract_core_external";
}

/// Identifiers, including those in dimension expressions.
std::set<std::string> names_read(const nnef::Graph& graph) {
  std::set<std::string> names(graph.results.begin(), graph.results.end());
  for (const nnef::Assignment& statement : graph.body)
    if (!is_external(statement))
      nnef::walk(statement.right, [&](const nnef::Value& value) {
        if (value.kind == nnef::Kind::identifier) names.insert(value.text);
        for (const ir::Symbol& symbol : value.dim.symbols()) names.insert(symbol.str());
      });
  return names;
}

/// Whether the shape of an input contains a name: its size may be read although its values are not.
bool names_symbol(const ir::Shape& shape, const std::set<std::string>& names) {
  return std::any_of(shape.begin(), shape.end(), [&](const ir::Dim& dim) {
    const auto symbols = dim.symbols();
    return std::any_of(symbols.begin(), symbols.end(),
                       [&](const ir::Symbol& symbol) { return names.contains(symbol.str()); });
  });
}

/// Removes the elements at `indices`, which ascend.
template <typename T>
void remove_at(std::vector<T>& list, const std::vector<size_t>& indices) {
  for (size_t i = indices.size(); i > 0; --i)
    list.erase(list.begin() + static_cast<std::ptrdiff_t>(indices[i - 1]));
}

/// Removes inputs from the graph and from its document.
void drop_inputs(ir::Graph& graph, nnef::Document& document, const std::vector<size_t>& indices) {
  std::set<std::string> names;
  for (const size_t i : indices) names.insert(document.graph.parameters[i]);
  std::erase_if(document.graph.body, [&](const nnef::Assignment& statement) {
    return is_external(statement) && names.contains(statement.left.text);
  });
  remove_at(document.graph.parameters, indices);
  remove_at(graph.inputs, indices);
}

}  // namespace

std::vector<size_t> unused_inputs(const ir::Graph& graph, const nnef::Document& document) {
  const std::set<std::string> names = names_read(document.graph);
  std::vector<size_t> out;
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    const ir::Value& value = graph.values[graph.inputs[i]];
    if (!names.contains(document.graph.parameters[i]) && !names_symbol(value.shape, names))
      out.push_back(i);
  }
  return out;
}

std::vector<size_t> resolve_unused_inputs(const ExportOptions& options, ir::Graph& graph,
                                          nnef::Document& document, ExportResult& result) {
  const std::vector<size_t> unused = unused_inputs(graph, document);
  std::vector<size_t> kept(graph.inputs.size());
  std::iota(kept.begin(), kept.end(), size_t{0});
  std::string names;
  for (const size_t i : unused) {
    names += (names.empty() ? "" : ", ") + quoted(result.inputs[i].name);
    result.inputs[i].is_unused = true;
    if (options.prune_unused_inputs) result.pruned_inputs.push_back(result.inputs[i].name);
  }
  if (unused.empty()) return kept;
  if (options.prune_unused_inputs) {
    drop_inputs(graph, document, unused);
    remove_at(kept, unused);
    std::erase_if(result.inputs, [](const Port& port) { return port.is_unused; });
  } else if (options.report) {
    const auto number = [&](const char* one, const char* several) {
      return unused.size() == 1 ? one : several;
    };
    options.report(Diagnostic{
        .severity = Severity::warning,
        .id = "input-unused",
        .message = cat("no output depends on the ", number("input ", "inputs "), names),
        .why = number(
            "no operation reads its values; only its shape may matter, which is constant in the "
            "file",
            "no operation reads their values; only their shapes may matter, which are constant "
            "in the file"),
        .help = cat("--prune-unused-inputs removes ", number("it", "them"), " from the file")});
  }
  return kept;
}

}  // namespace t2n
