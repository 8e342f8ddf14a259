// SPDX-License-Identifier: Apache-2.0
#include "src/report/artefact_violations.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "nnef_writer/print.h"
#include "src/diag/error.h"
#include "src/lint/strict.h"
#include "src/lint/tract.h"
#include "src/nnef/lexer.h"
#include "src/nnef/walk.h"
#include "src/spec/bound_call.h"
#include "src/spec/dialect.h"

namespace t2n::report {
namespace {

using nnef::Assignment;
using nnef::Document;
using nnef::Fragment;
using nnef::Kind;
using nnef::Value;
using spec::Violation;

class CallLint {
 public:
  explicit CallLint(const Document& document)
      : document_(document), dialect_(spec::dialect_of(document)), own_(document) {}

  std::vector<Violation> run() {
    for (const Fragment& fragment : document_.fragments) {
      names_.clear();
      for (const nnef::Parameter& parameter : fragment.parameters) names_.insert(parameter.name);
      is_fragment_ = true;
      for (const Assignment& assignment : fragment.body) statement(assignment);
    }
    wrong_in_fragments_ = out_.size();
    names_.clear();
    is_fragment_ = false;
    for (const ir::Symbol& symbol : document_.symbols) names_.insert(symbol.str());
    for (const std::string& extension : document_.extensions) add_names(extension);
    for (const Assignment& assignment : document_.graph.body) statement(assignment);
    for (const std::string& name : document_.graph.results)
      if (!names_.contains(name))
        out_.push_back(
            {"", cat("no statement assigns the result ", quoted(name), " of the graph")});
    return std::move(out_);
  }
  /// Whether calls of fragments cannot be followed.
  bool is_fragment_wrong() const { return wrong_in_fragments_ > 0; }

 private:
  /// tract's streams use the symbol S.
  void add_names(const std::string& extension) {
    if (extension.starts_with("tract_pulse")) names_.insert("S");
    for (size_t begin = 0; begin < extension.size();) {
      const size_t end = std::min(extension.find_first_of(" ,", begin), extension.size());
      names_.insert(extension.substr(begin, end - begin));
      begin = end + 1;
    }
  }

  /// Reports the first problem of a statement.
  void statement(const Assignment& assignment) {
    const std::vector<std::string_view> assigned = nnef::assigned_names(assignment.left);
    const std::string name(assigned.empty() ? "" : assigned.front());
    if (auto found = problem(assignment.right)) {
      found->name = name;
      if (!name.empty()) found->message = cat(quoted(name), ": ", found->message);
      out_.push_back(*found);
    }
    for (const std::string_view each : assigned)
      if (!names_.insert(std::string(each)).second && dialect_ == spec::Dialect::khronos)
        out_.push_back({name, cat(quoted(each), " is assigned twice")});
  }

  std::optional<Violation> problem(const Value& value) const {
    std::optional<Violation> out;
    nnef::walk(value, [&](const Value& part) {
      if (!out) out = part.kind == Kind::invocation ? call(part) : identifier(part);
    });
    return out;
  }

  std::optional<Violation> call(const Value& invocation) const {
    try {
      const Fragment* const own = own_.find(invocation.text);
      spec::BoundCall(own != nullptr ? *own : spec::operation(invocation.text, dialect_),
                      invocation);
    } catch (const Error& error) {
      return Violation{{}, error.diagnostic().message, error.diagnostic().help};
    }
    return {};
  }

  /// Not in fragments, whose comprehensions define additional variables.
  std::optional<Violation> identifier(const Value& value) const {
    if (is_fragment_ || value.kind != Kind::identifier || names_.contains(value.text)) return {};
    if (value.text == "inf" || value.text == "nan") return {};
    return Violation{{}, cat(quoted(value.text), " is used before anything is assigned to it")};
  }

  const Document& document_;
  spec::Dialect dialect_;
  nnef::FragmentTable own_;
  std::unordered_set<std::string> names_;
  bool is_fragment_ = false;
  size_t wrong_in_fragments_ = 0;
  std::vector<Violation> out_;
};

std::vector<Violation> found_in(const nnef::Artefact& artefact) {
  const Document& document = artefact.document;
  if (nnef::extension_lines(document).empty()) return spec::lint_strict(artefact);
  CallLint calls(document);
  std::vector<Violation> out = calls.run();
  if (calls.is_fragment_wrong() || spec::dialect_of(document) != spec::Dialect::tract) return out;
  std::set<std::string> wrong;
  for (const Violation& each : out) wrong.insert(each.name);
  for (const spec::TractFinding& found : spec::lint_tract_all(document, wrong)) {
    const std::string sizes = spec::values_str(found.sizes);
    out.push_back({found.name, cat(found.problem, sizes.empty() ? "" : cat(", at ", sizes))});
  }
  return out;
}

/// The locations of the statements, by assigned name; the last one of several.
class StatementLocations {
 public:
  explicit StatementLocations(std::string_view text) : lexer_(text, "graph.nnef") {
    std::vector<nnef::Token> names;  // of a statement, up to its first "="
    bool is_assigned = false;
    for (nnef::Token token = body_of(text); token.kind != nnef::TokenKind::end;
         token = lexer_.at(token.end())) {
      if (token.text == ";" || token.text == "{") {
        names.clear();
        is_assigned = false;
      } else if (token.text == "=" && !is_assigned) {
        for (const nnef::Token& name : names) tokens_[nnef::decoded(name)] = name;
        is_assigned = true;
      } else if (token.kind == nnef::TokenKind::identifier && !is_assigned) {
        names.push_back(token);
      }
    }
  }

  std::vector<Where> of(const std::string& name) const {
    const auto found = tokens_.find(name);
    if (found == tokens_.end()) return {};
    return {lexer_.where(found->second)};
  }

 private:
  /// The first token after the extensions, whose text is not NNEF.
  nnef::Token body_of(std::string_view text) const {
    nnef::Token token = lexer_.at(0);
    while (token.kind != nnef::TokenKind::end && token.text != "fragment" && token.text != "graph")
      token = token.text == "extension"
                  ? lexer_.at(std::min(text.find(';', token.end()), text.size()))
                  : lexer_.at(token.end());
    return token;
  }

  nnef::Lexer lexer_;
  std::unordered_map<std::string, nnef::Token> tokens_;
};

std::vector<Diagnostic> violations_of(const nnef::Artefact& artefact) {
  std::vector<Violation> found = found_in(artefact);
  if (found.empty()) return {};
  const std::span<const std::byte> bytes = artefact.text.bytes;
  const StatementLocations locations({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  std::vector<Diagnostic> out;
  for (Violation& each : found)
    out.push_back({.id = "nnef-violation",
                   .message = std::move(each.message),
                   .where = locations.of(each.name),
                   .details = {},
                   .why = {},
                   .help = std::move(each.help)});
  return out;
}

}  // namespace

std::vector<Diagnostic> violations(const nnef::Artefact& artefact) {
  std::vector<Diagnostic> out = violations_of(artefact);
  for (const auto& [label, submodel] : artefact.submodels)
    for (Diagnostic& each : violations(*submodel)) {
      each.message = cat("submodel ", quoted(label), ": ", each.message);
      out.push_back(std::move(each));
    }
  return out;
}

Error with_violations(const Error& error, const std::string& path) {
  if (error.code() != ExitCode::engine_rejects) return error;
  try {
    std::vector<Diagnostic> found = violations(nnef::read_artefact(path));
    for (const Diagnostic& other : error.others()) found.push_back(other);
    return {error.diagnostic(), std::move(found)};
  } catch (const Error&) {
    return error;  // the engine's reason remains
  }
}

}  // namespace t2n::report
