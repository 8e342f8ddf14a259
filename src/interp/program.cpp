// SPDX-License-Identifier: Apache-2.0
#include "src/interp/program.h"

#include <algorithm>
#include <functional>

#include "nnef_writer/print.h"
#include "src/diag/error.h"
#include "src/interp/builtins.h"
#include "src/interp/kernel.h"
#include "src/spec/expansion.h"
#include "src/spec/input_facts.h"
#include "src/spec/tract_grammar.h"

namespace t2n::interp {
namespace {

constexpr size_t kLongestStatement = 160;

[[noreturn]] void reject(std::string message, std::string why = {}, std::string help = {}) {
  throw Error("engine-rejects", std::move(message), std::move(why), std::move(help));
}

LastUses find_last_uses(const Body& body, const std::vector<std::string>& results) {
  std::unordered_map<std::string_view, size_t> last;
  for (size_t at = 0; at < body.size(); ++at) {
    for (const std::string_view name : nnef::assigned_names(body[at].left)) last[name] = at;
    nnef::walk(body[at].right, [&](const nnef::Value& value) {
      const auto found = last.find(value.text);
      if (value.kind == nnef::Kind::identifier && found != last.end()) found->second = at;
    });
  }
  for (const std::string& result : results) last.erase(result);
  LastUses out(body.size());
  for (const auto& [name, at] : last) out[at].emplace_back(name);
  return out;
}

std::vector<std::string> names_of(const std::vector<nnef::Parameter>& parameters) {
  std::vector<std::string> out;
  for (const nnef::Parameter& parameter : parameters) out.push_back(parameter.name);
  return out;
}

class Loader {
 public:
  Loader(const nnef::Artefact& artefact, spec::Dialect dialect)
      : artefact_(artefact), program_(std::make_shared<Program>()) {
    program_->document = artefact.document;
    program_->dialect = dialect;
    program_->submodels = artefact.submodels;
  }

  std::shared_ptr<Program> load() {
    spec::check_document(document());
    index();
    for (const nnef::Fragment& fragment : document().fragments)
      prepare(fragment.body, names_of(fragment.results));
    prepare(document().graph.body, document().graph.results);
    collect_inputs();
    for (const std::string& name : document().graph.results)
      program_->outputs.push_back({.name = name, .shape = {}});
    return program_;
  }

 private:
  const nnef::Document& document() const { return program_->document; }

  void index() {
    program_->fragments = nnef::FragmentTable(document());
    for (const nnef::QuantEntry& entry : document().quant) program_->quant[entry.name] = &entry;
    for (const nnef::StoredTensor& tensor : artefact_.tensors)
      program_->tensors[tensor.label] = tensor;
  }

  void prepare(const Body& body, const std::vector<std::string>& results) {
    for (const nnef::Assignment& statement : body)
      nnef::walk(statement.right, [&](const nnef::Value& value) {
        if (value.kind == nnef::Kind::invocation) check_call(value, statement);
        if (program_->dialect == spec::Dialect::tract && !spec::tract_executes(value))
          reject("tract parses this expression but cannot execute it",
                 cat("in `", statement_text(statement), "`"));
      });
    program_->last_uses[&body] = find_last_uses(body, results);
  }

  /// Errors: `engine-rejects` for unknown operations; those of spec::BoundCall.
  void check_call(const nnef::Value& call, const nnef::Assignment& statement) const {
    if (is_builtin(call.text)) return;
    const nnef::Fragment* const fragment = program_->fragments.find_defined(call.text);
    const nnef::Fragment* const declaration =
        fragment != nullptr ? fragment : known_operation(call.text);
    const std::string context = cat("in `", statement_text(statement), "`");
    if (declaration == nullptr)
      reject(cat("the reference interpreter has no operation ", quoted(call.text)), context);
    try {
      spec::BoundCall(*declaration, call);
    } catch (const Error& error) {
      Diagnostic diagnostic = error.diagnostic();
      diagnostic.details.push_back(context);
      throw Error(std::move(diagnostic));
    }
  }

  const nnef::Fragment* known_operation(const std::string& name) const {
    const bool runs =
        is_tensor_source(name) || is_submodel(name) || kernels().find(name) != nullptr;
    return runs ? spec::find_operation(name, program_->dialect) : nullptr;
  }

  void collect_inputs() {
    for (const nnef::Assignment& statement : document().graph.body)
      if (spec::is_external(statement.right)) program_->inputs.push_back(port(statement));
    if (program_->dialect == spec::Dialect::tract) return;
    const std::vector<std::string>& order = document().graph.parameters;
    std::unordered_map<std::string, size_t> positions;
    for (size_t at = 0; at < order.size(); ++at) positions.emplace(order[at], at);
    const auto position = [&](const ProgramPort& port) {
      const auto found = positions.find(port.name);
      return found == positions.end() ? order.size() : found->second;
    };
    std::stable_sort(
        program_->inputs.begin(), program_->inputs.end(),
        [&](const ProgramPort& a, const ProgramPort& b) { return position(a) < position(b); });
  }

  static ProgramPort port(const nnef::Assignment& statement) {
    const auto dtype = spec::external_dtype(statement.right);
    if (!dtype) reject("an input has an unknown element type", nnef::print(statement.right));
    ProgramPort out = {.name = statement.left.text, .dtype = *dtype, .shape = {}};
    const size_t position = statement.right.text == "external" ? 0 : 1;
    const nnef::Value* const shape = nnef::find_argument(statement.right, "shape", position);
    if (shape == nullptr) reject(cat("the input ", quoted(out.name), " has no shape"));
    for (const nnef::Value& item : shape->items) out.shape.push_back(dimension(item));
    return out;
  }

  const nnef::Artefact& artefact_;
  std::shared_ptr<Program> program_;
};

}  // namespace

std::shared_ptr<Program> load_program(const nnef::Artefact& artefact, spec::Dialect dialect) {
  return Loader(artefact, dialect).load();
}

Program& Program::submodel(const std::string& label, const std::string& path) {
  const auto found = called.find(path);
  if (found != called.end()) return *found->second;
  const auto artefact = submodels.find(label);
  if (artefact == submodels.end())
    reject(cat("there is no submodel ", quoted(label)), "its label is not written as a string");
  return *called.emplace(path, load_program(*artefact->second, dialect)).first->second;
}

std::string statement_text(const nnef::Assignment& statement) {
  std::string out = cat(nnef::print(statement.left), " = ", nnef::print(statement.right), ";");
  if (out.size() > kLongestStatement) out = out.substr(0, kLongestStatement) + "…";
  return out;
}

}  // namespace t2n::interp
