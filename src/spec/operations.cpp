// Tables of declarations, parsed on first use; binds arguments to parameters.
#include "src/spec/operations.h"

#include <algorithm>
#include <array>
#include <map>

#include "src/diag/error.h"
#include "src/nnef/parser.h"
#include "src/spec/texts.h"

namespace t2n::spec {
namespace {

using nnef::Fragment;
using nnef::Kind;
using nnef::Parameter;
using nnef::Value;
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

std::string called(const Value& invocation) { return cat("'", invocation.text, "'"); }

std::vector<std::string> names(const std::vector<Parameter>& parameters) {
  std::vector<std::string> out;
  for (const Parameter& parameter : parameters) out.push_back(parameter.name);
  return out;
}

size_t index_of(const Fragment& declaration, std::string_view name) {
  const auto& parameters = declaration.parameters;
  const auto found = std::find_if(parameters.begin(), parameters.end(),
                                  [&](const Parameter& p) { return p.name == name; });
  return found - parameters.begin();
}

[[noreturn]] void refuse_name(const Fragment& declaration, const Value& invocation,
                              const std::string& name) {
  const std::string near = nearest(name, names(declaration.parameters));
  refuse_invalid(cat(called(invocation), " has no parameter ", quoted(name)),
                 near.empty() ? "" : cat("did you mean ", quoted(near), "?"));
}

/// The parameter of an argument at `position`.
size_t target(const Fragment& declaration, const Value& invocation, size_t position) {
  const std::string& name = invocation.arguments[position].name;
  const size_t count = declaration.parameters.size();
  if (!name.empty()) {
    const size_t index = index_of(declaration, name);
    if (index == count) refuse_name(declaration, invocation, name);
    return index;
  }
  if (position >= count)
    refuse_invalid(cat(called(invocation), " takes ", count,
                       count == 1 ? " argument" : " arguments", ", and ",
                       invocation.arguments.size(), " are given"));
  if (position > 0 && !invocation.arguments[position - 1].name.empty())
    refuse_invalid(cat(called(invocation), ": a positional argument follows ",
                       quoted(invocation.arguments[position - 1].name)));
  return position;
}

bool is_false(const Value& value) { return value.kind == Kind::logical && !value.logical; }

const Value* default_of(const Parameter& parameter, const Value& invocation) {
  if (!parameter.default_value)
    refuse_invalid(
        cat(called(invocation), ": the argument ", quoted(parameter.name), " is missing"));
  return &*parameter.default_value;
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

bool may_be_absent(const Parameter& parameter) {
  return parameter.default_value && is_false(*parameter.default_value) &&
         parameter.type.find("logical") == std::string::npos;
}

Arguments bind(const Fragment& declaration, const Value& invocation) {
  Arguments out(declaration.parameters.size(), nullptr);
  for (size_t i = 0; i < invocation.arguments.size(); ++i) {
    const size_t index = target(declaration, invocation, i);
    if (out[index] != nullptr)
      refuse_invalid(cat(called(invocation), ": the argument ",
                         quoted(declaration.parameters[index].name), " is given twice"));
    out[index] = &invocation.arguments[i].value;
  }
  for (size_t i = 0; i < out.size(); ++i) {
    const Parameter& parameter = declaration.parameters[i];
    if (out[i] == nullptr) out[i] = default_of(parameter, invocation);
    if (may_be_absent(parameter) && is_false(*out[i])) out[i] = nullptr;
  }
  return out;
}

const Value* argument(const Fragment& declaration, const Arguments& arguments,
                      std::string_view name) {
  const size_t index = index_of(declaration, name);
  T2N_ASSERT(index < arguments.size(), declaration.name, " has no parameter ", name);
  return arguments[index];
}

}  // namespace t2n::spec
