#include "src/export/signature.h"

#include <algorithm>
#include <set>

#include "nnef/walk.h"

namespace t2n {
namespace {

bool is_external(const nnef::Assignment& statement) {
  return statement.right.text == "external" || statement.right.text == "tract_core_external";
}

/// Identifiers, and words in dimension expressions.
std::set<std::string> words_read(const nnef::Graph& graph) {
  std::set<std::string> words(graph.results.begin(), graph.results.end());
  for (const nnef::Assignment& statement : graph.body)
    if (!is_external(statement))
      nnef::walk(statement.right, [&](const nnef::Value& value) {
        if (value.kind == nnef::Kind::identifier) words.insert(value.text);
        for (const ir::Symbol& symbol : value.dim.symbols()) words.insert(symbol.str());
      });
  return words;
}

/// The size of an input may be read although none of its values is.
bool names_symbol(const ir::Shape& shape, const std::set<std::string>& words) {
  return std::any_of(shape.begin(), shape.end(), [&](const ir::Dim& dim) {
    const auto symbols = dim.symbols();
    return std::any_of(symbols.begin(), symbols.end(),
                       [&](const ir::Symbol& symbol) { return words.contains(symbol.str()); });
  });
}

/// The rest of `list`, without the elements at `places`.
template <typename T>
void drop_places(std::vector<T>& list, const std::vector<size_t>& places) {
  for (size_t i = places.size(); i > 0; --i)
    list.erase(list.begin() + static_cast<std::ptrdiff_t>(places[i - 1]));
}

/// Removes inputs from the graph and from its document.
void drop_inputs(ir::Graph& graph, nnef::Document& document, const std::vector<size_t>& places) {
  std::set<std::string> names;
  for (const size_t i : places) names.insert(document.graph.parameters[i]);
  std::erase_if(document.graph.body, [&](const nnef::Assignment& statement) {
    return is_external(statement) && names.contains(statement.left.text);
  });
  drop_places(document.graph.parameters, places);
  drop_places(graph.inputs, places);
}

}  // namespace

std::vector<size_t> unused_inputs(const ir::Graph& graph, const nnef::Document& document) {
  const std::set<std::string> words = words_read(document.graph);
  std::vector<size_t> out;
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    const ir::Value& value = graph.values[static_cast<size_t>(graph.inputs[i])];
    if (!words.contains(document.graph.parameters[i]) && !names_symbol(value.shape, words))
      out.push_back(i);
  }
  return out;
}

void settle_unused(const ExportOptions& options, ir::Graph& graph, nnef::Document& document,
                   ExportResult& result) {
  const std::vector<size_t> unused = unused_inputs(graph, document);
  std::string names;
  for (const size_t i : unused) {
    names += (names.empty() ? "" : ", ") + quoted(result.inputs[i].name);
    result.inputs[i].is_unused = true;
    if (options.prune_unused_inputs) result.pruned_inputs.push_back(result.inputs[i].name);
  }
  if (unused.empty()) return;
  if (options.prune_unused_inputs) {
    drop_inputs(graph, document, unused);
    std::erase_if(result.inputs, [](const Port& port) { return port.is_unused; });
  } else if (options.report) {
    const auto number = [&](const char* one, const char* several) {
      return unused.size() == 1 ? one : several;
    };
    options.report(Diagnostic{
        .severity = Severity::warning,
        .id = "input-unused",
        .message = cat("no output depends on the ", number("input ", "inputs "), names),
        .where = {},
        .details = {},
        .why = number("nothing reads its values; at most its shape counts, a constant of the file",
                      "nothing reads their values; at most their shapes count, constants of the "
                      "file"),
        .help = cat("the file asks for ", number("it and ignores it", "them and ignores them"),
                    "; --prune-unused-inputs leaves ", number("it", "them"), " out")});
  }
}

}  // namespace t2n
