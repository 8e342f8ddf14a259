// Tables of declarations, parsed on first use.
#include "src/spec/operations.h"

#include <array>
#include <map>

#include "src/diag/error.h"
#include "src/nnef/parser.h"
#include "src/spec/texts.h"

namespace t2n::spec {
namespace {

using nnef::Fragment;
using Operations = std::map<std::string_view, const Fragment*>;

/// Operations of the standard that no version of tract supports.
constexpr std::array kNotInTract = {"add_n",
                                    "area_downsample",
                                    "argmax_pool",
                                    "avg_roi_align",
                                    "avg_roi_pool",
                                    "cast",
                                    "constant",
                                    "copy_n",
                                    "desample",
                                    "gather",
                                    "gelu",
                                    "linear_quantize",
                                    "logarithmic_quantize",
                                    "max_roi_align",
                                    "max_roi_pool",
                                    "min_max_linear_quantize",
                                    "nearest_downsample",
                                    "rcp",
                                    "roi_resample",
                                    "sample",
                                    "selu",
                                    "silu",
                                    "split",
                                    "update",
                                    "zero_point_linear_quantize"};

std::vector<Fragment> declarations(std::string_view file) {
  for (const nnef::FragmentText& source : fragment_texts())
    if (source.file == file) return nnef::parse_fragments(source.text, file);
  internal_error(__FILE__, __LINE__, cat("no text ", file));
}

void add_fragments(const std::vector<Fragment>& fragments, Operations& table) {
  for (const Fragment& fragment : fragments) table[fragment.name] = &fragment;
}

const Operations& khronos_table() {
  static const std::vector<Fragment> standard = declarations("standard.nnef");
  static const Operations table = [] {
    Operations out;
    add_fragments(standard, out);
    return out;
  }();
  return table;
}

const Operations& tract_table() {
  static const std::vector<Fragment> tract = declarations("tract.nnef");
  static const Operations table = [] {
    Operations out = khronos_table();
    for (const char* name : kNotInTract) out.erase(name);
    add_fragments(tract, out);
    return out;
  }();
  return table;
}

const Operations& operation_table(Dialect dialect) {
  return dialect == Dialect::khronos ? khronos_table() : tract_table();
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
