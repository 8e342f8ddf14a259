// SPDX-License-Identifier: Apache-2.0
// Shapes are computed twice, at different values of the symbols: what differs is symbolic.
#include "src/picture/artefact_types.h"

#include <algorithm>
#include <optional>
#include <set>

#include "src/diag/error.h"
#include "src/lint/probe_sizes.h"
#include "src/lint/shape_run.h"
#include "src/nnef/names.h"
#include "src/nnef/walk.h"
#include "src/spec/dialect.h"
#include "src/spec/input_facts.h"
#include "src/spec/types.h"

namespace t2n::picture {
namespace {

using nnef::Kind;
using nnef::Value;
using Dtypes = std::map<std::string, std::string, std::less<>>;

/// The dtype that a call states: that of a declaration, of a cast or of a variable.
std::string stated_dtype(const nnef::Artefact& artefact, const Value& call) {
  if (spec::is_external(call)) {
    const auto dtype = spec::external_dtype(call);
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
std::optional<spec::Type> result_type(const spec::Signature& signature, size_t result) {
  if (signature.results.empty()) return {};
  const spec::Type& type = signature.results[std::min(result, signature.results.size() - 1)];
  return type.form == spec::Type::Form::array && !type.items.empty() ? type.items[0] : type;
}

/// By the declared type of the result: booleans and integers are named; a scalar has the dtype of
/// the first operand that is a float.
std::string declared_dtype(const spec::Type& type, const Value& call, const Dtypes& known) {
  if (type.form != spec::Type::Form::tensor) return "";
  if (type.item == spec::Item::logical) return "bool";
  std::string out;
  nnef::walk(call, [&](const Value& part) {
    if (part.kind != Kind::identifier || !out.empty()) return;
    const auto found = known.find(part.text);
    const bool fits = found != known.end() && found->second != "bool" && !found->second.empty();
    if (fits && (found->second[0] == 'i') == (type.item == spec::Item::integer))
      out = found->second;
  });
  return out.empty() && type.item == spec::Item::integer ? "i64" : out;
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

class DtypeRules {
 public:
  explicit DtypeRules(const nnef::Artefact& artefact)
      : artefact_(artefact),
        dialect_(spec::dialect_of(artefact.document)),
        fragments_(artefact.document) {}

  Dtypes run() {
    for (const nnef::Assignment& statement : artefact_.document.graph.body) {
      const auto names = nnef::assigned_names(statement.left);
      for (size_t i = 0; i < names.size(); ++i)
        known_[std::string(names[i])] = dtype_of(statement.right, i);
    }
    return std::move(known_);
  }

 private:
  std::string dtype_of(const Value& value, size_t result) {
    if (value.kind != Kind::invocation) return operand_dtype(value, known_);
    if (std::string stated = stated_dtype(artefact_, value); !stated.empty()) return stated;
    const nnef::Fragment* declaration = fragments_.find(value.text);
    if (declaration == nullptr) declaration = spec::find_operation(value.text, dialect_);
    if (declaration == nullptr) return "";
    try {
      const auto type = result_type(spec::signature_of(*declaration), result);
      if (!type) return "";
      const bool is_generic =
          type->item == spec::Item::generic || type->item == spec::Item::unknown;
      // The condition of a selection is no operand in this sense.
      if (is_generic && value.text == "select" && value.arguments.size() > 1)
        return operand_dtype(value.arguments[1].value, known_);
      return is_generic ? operand_dtype(value, known_) : declared_dtype(*type, value, known_);
    } catch (const Error&) {
      return "";  // a declaration that is wrong says nothing
    }
  }

  const nnef::Artefact& artefact_;
  spec::Dialect dialect_;
  nnef::FragmentTable fragments_;
  Dtypes known_;
};

std::string size_text(int64_t first, int64_t second, const ir::Sizes& a, const ir::Sizes& b) {
  if (first == second) return cat(first);
  for (const auto& [symbol, value] : a) {
    const auto other = b.find(symbol);
    if (value == first && other != b.end() && other->second == second) return symbol.str();
  }
  return "?";
}

/// Two assignments of the symbols that differ in as many of them as possible.
std::pair<ir::Sizes, ir::Sizes> two_sizes(const nnef::Document& document) {
  std::pair<ir::Sizes, ir::Sizes> out;
  const std::vector<ir::Sizes> probes =
      spec::probe_sizes(document.symbols, document.assertions, {});
  if (probes.empty()) return out;
  out = {probes.front(), probes.front()};
  const auto differing = [&](const ir::Sizes& sizes) {
    return std::count_if(sizes.begin(), sizes.end(), [&](const auto& each) {
      const auto found = out.first.find(each.first);
      return found != out.first.end() && found->second != each.second;
    });
  };
  out.second = *std::max_element(
      probes.begin(), probes.end(),
      [&](const ir::Sizes& a, const ir::Sizes& b) { return differing(a) < differing(b); });
  return out;
}

}  // namespace

std::map<std::string, std::string, std::less<>> artefact_types(const nnef::Artefact& artefact) {
  Dtypes out = DtypeRules(artefact).run();
  const auto [a, b] = two_sizes(artefact.document);
  spec::ShapeRunner first(artefact.document);
  spec::ShapeRunner second(artefact.document);
  first.run_all(a, {});
  second.run_all(b, {});
  for (auto& [name, type] : out) {
    const auto at_a = first.shape(name);
    const auto at_b = second.shape(name);
    if (!at_a || !at_b || at_a->size() != at_b->size()) continue;
    std::vector<std::string> sizes;
    for (size_t i = 0; i < at_a->size(); ++i)
      sizes.push_back(size_text((*at_a)[i], (*at_b)[i], a, b));
    type += cat("[", joined(sizes, ","), "]");
  }
  return out;
}

Modules::Modules(const nnef::Document& document) {
  for (const nnef::Assignment& statement : document.graph.body) {
    const Value* const label = statement.right.text == "variable"
                                   ? nnef::find_argument(statement.right, "label", 0)
                                   : nullptr;
    constexpr size_t kLongest = 1000;
    if (label == nullptr || label->text.size() > kLongest) continue;
    for (std::string_view module = of_label(label->text); !module.empty();
         module = of_label(module))
      by_identifier_.emplace(nnef::identifier_for(module), std::string(module));
  }
}

std::string_view Modules::of_label(std::string_view label) {
  const size_t end = label.find_last_of("./");
  return end == std::string_view::npos ? std::string_view() : label.substr(0, end);
}

std::string_view Modules::of_name(std::string_view name) const {
  for (size_t end = name.rfind('_'); end != std::string_view::npos && end > 0;
       end = name.rfind('_', end - 1)) {
    const auto found = by_identifier_.find(name.substr(0, end));
    if (found != by_identifier_.end()) return found->second;
  }
  return {};
}

}  // namespace t2n::picture
