// SPDX-License-Identifier: Apache-2.0
// Turns findings of the lints into errors: internal errors, or axes to be declared differently.
#include "src/translate/check_document.h"

#include <algorithm>

#include "src/diag/error.h"
#include "src/lint/strict.h"
#include "src/lint/tract.h"

namespace t2n::ops {
namespace {

using spec::TractFinding;
using Cure = TractFinding::Cure;

template <typename Item>
std::string listed(const std::vector<Item>& items, std::string_view separator) {
  std::string out;
  for (const Item& item : items) out += cat(out.empty() ? "" : separator, item);
  return out;
}

std::string condition(const TractFinding& finding) {
  const std::string symbols = listed(finding.symbols, " and ");
  const bool are_many = finding.symbols.size() > 1;
  switch (finding.cure) {
    case Cure::multiple:
      return cat(are_many ? " unless they are multiples of " : " unless it is a multiple of ",
                 finding.number, ": ", symbols);
    case Cure::least: return cat(" below ", finding.number, ": ", symbols);
    case Cure::equal: return cat(" that are not equal: ", symbols);
    case Cure::most: return cat(" above ", finding.number, ": ", symbols);
    case Cure::unknown:
    case Cure::none: break;
  }
  return "";
}

/// "--dynamic x:1=4*S" for each input axis that contains one of the symbols.
std::string declarations(const TractFinding& finding, const ir::Graph& graph) {
  const auto is_named = [&](const ir::Symbol& symbol) {
    return std::find(finding.symbols.begin(), finding.symbols.end(), symbol) !=
           finding.symbols.end();
  };
  std::vector<std::string> out;
  for (const ir::ValueId id : graph.inputs) {
    const ir::Value& value = graph.values[id];
    for (size_t axis = 0; axis < value.shape.size(); ++axis) {
      const ir::Dim size = value.shape[axis].substitute([&](const ir::Symbol& symbol) {
        return is_named(symbol) ? std::optional(ir::Dim(finding.number) * ir::Dim::symbol(symbol))
                                : std::nullopt;
      });
      if (!(size == value.shape[axis]))
        out.push_back(cat("--dynamic ", value.name, ":", axis, "=", size.str()));
    }
  }
  return listed(out, " ");
}

std::string assertions(const TractFinding& finding) {
  std::vector<std::string> out;
  for (const ir::Symbol& symbol : finding.symbols)
    out.push_back(cat("--assert \"", symbol,
                      finding.cure == Cure::least ? " >= " : " <= ", finding.number, "\""));
  return listed(out, " ");
}

std::string help(const TractFinding& finding, const ir::Graph& graph) {
  switch (finding.cure) {
    case Cure::multiple: return cat("declare the multiple: ", declarations(finding, graph));
    case Cure::least:
    case Cure::most: return cat("add the assertion: ", assertions(finding));
    case Cure::equal:
      return finding.is_structural ? "give both axes the same symbol"
                                   : cat("give both axes the same symbol, or --assert \"",
                                         finding.symbols[0], " == ", finding.symbols[1], "\"");
    case Cure::unknown:
    case Cure::none: break;
  }
  return "declare fewer axes dynamic, or give those that must be equal the same symbol";
}

}  // namespace

void check_strict(const nnef::Document& document) {
  const std::vector<spec::Violation> broken = spec::lint_strict(document);
  if (broken.empty()) return;
  T2N_ASSERT(false, "the document breaks the specification: ", broken[0].message,
             broken.size() == 1 ? "" : cat(", and ", broken.size() - 1, " more"));
}

void check_tract(const nnef::Document& document, const ir::Graph& graph) {
  const auto finding = spec::lint_tract(document);
  if (!finding) return;
  const std::string values = spec::values_str(finding->sizes);
  const std::string location = values.empty() ? "" : cat(", at ", values);
  T2N_ASSERT(finding->cure != Cure::none, "the document breaks tract's rules: ", finding->problem,
             location);
  throw Error(Diagnostic{
      .id = "dynamic-declaration",
      .message = cat("the exported model would be wrong for some sizes", condition(*finding)),
      .where = {},
      .details = {finding->problem + location},
      .why = "all sizes that the exported model allows must be consistent",
      .help = help(*finding, graph)});
}

}  // namespace t2n::ops
