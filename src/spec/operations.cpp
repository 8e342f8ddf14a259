// SPDX-License-Identifier: Apache-2.0
// Tables of declarations, parsed on first use.
#include "src/spec/operations.h"

#include <map>

#include "src/diag/error.h"
#include "src/nnef/parser.h"
#include "src/spec/texts.h"

namespace t2n::spec {
namespace {

using nnef::Fragment;
using Operations = std::map<std::string_view, const Fragment*>;

std::vector<Fragment> declarations(std::string_view file) {
  for (const nnef::FragmentText& source : fragment_texts())
    if (source.file == file) return nnef::parse_fragments(source.text, file);
  internal_error(__FILE__, __LINE__, cat("no text ", file));
}

using Fragments = std::vector<Fragment>;

/// tract declares some operations differently.
Operations table_of(const Fragments& standard, const Fragments& own) {
  Operations out;
  for (const Fragments* fragments : {&standard, &own})
    for (const Fragment& fragment : *fragments) out[fragment.name] = &fragment;
  return out;
}

const Operations& operation_table(Dialect dialect) {
  static const Fragments standard = declarations("standard.nnef");
  static const Fragments khronos = declarations("khronos.nnef"), tract = declarations("tract.nnef");
  static const Operations of_khronos = table_of(standard, khronos);
  static const Operations of_tract = table_of(standard, tract);
  return dialect == Dialect::khronos ? of_khronos : of_tract;
}

}  // namespace

const Fragment* find_operation(std::string_view name, Dialect dialect) {
  const auto found = operation_table(dialect).find(name);
  return found == operation_table(dialect).end() ? nullptr : found->second;
}

void refuse_invalid(std::string message, std::string help) {
  throw Error("nnef-invalid", std::move(message), {}, std::move(help));
}

const Fragment& operation(std::string_view name, Dialect dialect) {
  const Fragment* const found = find_operation(name, dialect);
  if (found != nullptr) return *found;
  const std::string near = nearest(name, operation_names(dialect));
  refuse_invalid(cat("there is no operation ", quoted(name)),
                 near.empty() ? "" : cat("did you mean ", quoted(near), "?"));
}

std::vector<std::string> operation_names(Dialect dialect) {
  std::vector<std::string> out;
  for (const auto& [name, declaration] : operation_table(dialect)) out.emplace_back(name);
  return out;
}

}  // namespace t2n::spec
