// SPDX-License-Identifier: Apache-2.0
// Shapes are computed at several values of the symbols; what differs is symbolic.
#include "src/lint/tensor_types.h"

#include <algorithm>
#include <array>
#include <deque>

#include "ir/readable.h"
#include "src/diag/error.h"
#include "src/diag/one_of.h"
#include "src/lint/probe_sizes.h"
#include "src/lint/shape_run.h"
#include "src/nnef/names.h"
#include "src/nnef/walk.h"
#include "src/spec/dialect.h"
#include "src/spec/expansion.h"
#include "src/spec/input_facts.h"
#include "src/spec/types.h"

namespace t2n::spec {
namespace {

using nnef::Kind;
using nnef::Value;
using Dtypes = std::map<std::string, std::string, std::less<>>;

/// The dtype that a call states: that of a declaration, of a cast or of a variable.
std::string stated_dtype(const nnef::Artefact& artefact, const Value& call) {
  if (is_external(call)) {
    const auto dtype = external_dtype(call);
    return dtype ? std::string(ir::dtype_name(*dtype)) : "";
  }
  const Value* const label = nnef::find_argument(call, "label", 0);
  if (call.text == "variable" && label != nullptr) {
    const nnef::StoredTensor* const stored = nnef::find_tensor(artefact, label->text);
    return stored == nullptr ? "" : std::string(ir::dtype_name(stored->values.dtype));
  }
  const Value* const to =
      call.text == "tract_core_cast" ? nnef::find_argument(call, "to", 1) : nullptr;
  return to != nullptr ? to->text : "";
}

/// The declared type of a result; an array of results has one.
std::optional<Type> result_type(const Signature& signature, size_t result) {
  if (signature.results.empty()) return {};
  const Type& type = signature.results[std::min(result, signature.results.size() - 1)];
  return type.form == Type::Form::array && !type.items.empty() ? type.items[0] : type;
}

/// By the declared type of the result: booleans and integers are named; a scalar has the dtype of
/// the first operand that is a float.
std::string declared_dtype(const Type& type, const Value& call, const Dtypes& known) {
  if (type.form != Type::Form::tensor) return "";
  if (type.item == Item::logical) return "bool";
  std::string out;
  nnef::walk(call, [&](const Value& part) {
    if (part.kind != Kind::identifier || !out.empty()) return;
    const auto found = known.find(part.text);
    const bool fits = found != known.end() && found->second != "bool" && !found->second.empty();
    if (fits && (found->second[0] == 'i') == (type.item == Item::integer)) out = found->second;
  });
  return out.empty() && type.item == Item::integer ? "i64" : out;
}

/// That of the first operand, for operations of any type; f32 if all operands are numbers.
std::string operand_dtype(const Value& call, const Dtypes& known) {
  std::string out;
  bool has_number = false;
  nnef::walk(call, [&](const Value& part) {
    has_number = has_number || part.kind == Kind::scalar;
    const auto found = part.kind == Kind::identifier ? known.find(part.text) : known.end();
    if (out.empty() && found != known.end()) out = found->second;
  });
  return out.empty() && has_number ? "f32" : out;
}

/// Operations whose results are declared without a type, and have that of the first operand.
constexpr std::array<std::string_view, 4> kOfFirstOperand = {"conv", "deconv", "tract_core_range",
                                                             "tract_core_einsum"};

class DtypeRules {
 public:
  explicit DtypeRules(const nnef::Artefact& artefact)
      : artefact_(artefact),
        dialect_(dialect_of(artefact.document)),
        fragments_(artefact.document) {}

  /// The known dtypes, and those of the names that statements assign.
  Dtypes run(const std::vector<nnef::Assignment>& body, Dtypes known, int depth = 0) const {
    for (const nnef::Assignment& statement : body) {
      const auto names = nnef::assigned_names(statement.left);
      for (size_t i = 0; i < names.size(); ++i)
        known[std::string(names[i])] = dtype_of(statement.right, i, known, depth);
    }
    return known;
  }

 private:
  std::string dtype_of(const Value& value, size_t result, const Dtypes& known, int depth) const {
    if (value.kind != Kind::invocation) return operand_dtype(value, known);
    if (std::string stated = stated_dtype(artefact_, value); !stated.empty()) return stated;
    if (value.text == "tract_core_scan") return scan_dtype(value, result, known, depth);
    const nnef::Fragment* declaration = fragments_.find(value.text);
    if (declaration == nullptr) declaration = find_operation(value.text, dialect_);
    if (declaration == nullptr) return "";
    try {
      const auto type = result_type(signature_of(*declaration), result);
      if (!type) return "";
      if (type->item == Item::unknown && !is_one_of(value.text, kOfFirstOperand)) return "";
      const bool is_generic = type->item == Item::generic || type->item == Item::unknown;
      // The condition of a selection is no operand in this sense.
      if (is_generic && value.text == "select" && value.arguments.size() > 1)
        return operand_dtype(value.arguments[1].value, known);
      return is_generic ? operand_dtype(value, known) : declared_dtype(*type, value, known);
    } catch (const Error&) {
      return "";  // a declaration that is wrong says nothing
    }
  }

  /// That of the result in the body, whose parameters are bound to operands.
  std::string scan_dtype(const Value& call, size_t result, const Dtypes& known, int depth) const {
    constexpr int kDeepest = 8;
    const Value* const body = nnef::find_argument(call, "body", 0);
    const Value* const results = nnef::find_argument(call, "output", 4);
    const nnef::Fragment* const fragment =
        body == nullptr ? nullptr : fragments_.find_defined(body->text);
    if (fragment == nullptr || depth == kDeepest || results == nullptr ||
        result >= results->items.size() || results->items[result].items.empty())
      return "";
    Dtypes inner;
    constexpr std::array<std::string_view, 3> kBound = {"scan", "full", "state"};
    for (size_t i = 0; i < kBound.size(); ++i)
      if (const Value* const rows = nnef::find_argument(call, kBound[i], i + 1))
        for (const Value& row : rows->items)
          if (row.items.size() > 1)
            inner[row.items[0].text] = dtype_of(row.items[1], 0, known, depth + 1);
    const Dtypes found = run(fragment->body, std::move(inner), depth + 1);
    const auto at = found.find(results->items[result].items[0].text);
    return at == found.end() ? "" : at->second;
  }

  const nnef::Artefact& artefact_;
  Dialect dialect_;
  nnef::FragmentTable fragments_;
};

/// A size in each of the runs.
using Measured = std::vector<int64_t>;

/// The expression plus the constant by which it differs from the size in all runs.
std::optional<ir::Dim> offset_from(const ir::Dim& expression, const Measured& size,
                                   const std::vector<ir::Sizes>& runs) {
  std::optional<int64_t> offset;
  for (size_t i = 0; i < runs.size(); ++i) {
    const int64_t gap = size[i] - expression.substitute(runs[i]).value();
    if (offset.value_or(gap) != gap) return {};
    offset = gap;
  }
  return expression + ir::Dim(*offset);
}

/// How much the size grows with the symbol from the first run to the second; 1 if unknown.
int64_t growth(const ir::Symbol& symbol, const Measured& size, const std::vector<ir::Sizes>& runs) {
  const int64_t step = runs[1].at(symbol) - runs[0].at(symbol);
  return step == 0 ? 1 : std::max<int64_t>(1, (size[1] - size[0]) / step);
}

std::optional<ir::Dim> expression_of(const Measured& size, const std::vector<ir::Sizes>& runs) {
  if (std::all_of(size.begin(), size.end(), [&](int64_t each) { return each == size[0]; }))
    return size[0];
  constexpr size_t kLeastRuns = 4;  // fewer may agree with a wrong expression
  if (runs.size() < kLeastRuns) return {};
  for (auto a = runs[0].begin(); a != runs[0].end(); ++a) {
    const ir::Dim symbol = ir::Dim::symbol(a->first);
    if (const auto found = offset_from(symbol * ir::Dim(growth(a->first, size, runs)), size, runs))
      return found;
    for (auto b = std::next(a); b != runs[0].end(); ++b)
      if (const auto found = offset_from(symbol + ir::Dim::symbol(b->first), size, runs))
        return found;
  }
  return {};
}

/// Nothing if the shape is unknown in a run, or has another rank in it.
std::optional<std::vector<std::optional<ir::Dim>>> sizes_of(std::string_view name,
                                                            const std::deque<ShapeRunner>& runners,
                                                            const std::vector<ir::Sizes>& runs) {
  std::vector<ir::Ints> shapes;
  for (const ShapeRunner& runner : runners) {
    const auto shape = runner.shape(name);
    if (!shape || (!shapes.empty() && shape->size() != shapes[0].size())) return {};
    shapes.push_back(*shape);
  }
  if (shapes.empty()) return {};
  std::vector<std::optional<ir::Dim>> out;
  for (size_t axis = 0; axis < shapes[0].size(); ++axis) {
    Measured size;
    for (const ir::Ints& shape : shapes) size.push_back(shape[axis]);
    out.push_back(expression_of(size, runs));
  }
  return out;
}

/// Shapes are computed call by call.
bool expands_to_few(const nnef::Document& document) {
  try {
    check_document(document);
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

std::map<std::string, TensorType, std::less<>> tensor_types(const nnef::Artefact& artefact) {
  const nnef::Document& document = artefact.document;
  std::vector<ir::Sizes> runs = probe_sizes(document.symbols, document.assertions, {});
  if (!expands_to_few(document)) runs.clear();  // no sizes are known then
  std::deque<ShapeRunner> runners;
  for (const ir::Sizes& sizes : runs) {
    runners.emplace_back(document);
    runners.back().run_all(sizes, {});
  }
  std::map<std::string, TensorType, std::less<>> out;
  for (auto& [name, dtype] : DtypeRules(artefact).run(document.graph.body, {}))
    out[name] = {dtype, sizes_of(name, runners, runs)};
  return out;
}

std::string type_str(const TensorType& type) {
  if (!type.sizes) return type.dtype;
  std::vector<std::string> sizes;
  for (const auto& size : *type.sizes) sizes.push_back(size ? ir::readable(*size) : "?");
  return cat(type.dtype, "[", joined(sizes, ","), "]");
}

}  // namespace t2n::spec
