// SPDX-License-Identifier: Apache-2.0
#include "src/report/artefact_lint.h"

#include <utility>

#include "src/diag/error.h"

namespace t2n::report {
namespace {

using lint::Form;

/// The smallest scale of observers: for a range of only zeros.
constexpr double kLeastScale = 1.1920928955078125e-07;

std::optional<double> number_at(const nnef::Value& call, size_t argument) {
  if (argument >= call.arguments.size()) return std::nullopt;
  const nnef::Value& value = call.arguments[argument].value;
  if (value.kind == nnef::Kind::scalar) return value.number;
  if (value.kind == nnef::Kind::integer) return static_cast<double>(value.integer);
  return std::nullopt;
}

/// True for `mul` by the smallest scale of observers, and for an empty range.
bool is_unseen(const ArtefactProgram& artefact, size_t index) {
  const lint::Statement& statement = artefact.program.statements[index];
  const nnef::Value* call = artefact.calls[index];
  if (call == nullptr || statement.operands.empty()) return false;
  const auto first = number_at(*call, 1);
  if (call->text.ends_with("_quantize")) {
    const auto last = number_at(*call, 2);
    return first && last && call->text.starts_with("linear") && *last <= *first;
  }
  const auto form = [&](size_t value) { return artefact.program.values[value].form; };
  const bool dequantises = form(statement.results.at(0)) == Form::dequantised &&
                           form(statement.operands[0]) == Form::integers;
  return dequantises && call->text == "mul" && first &&
         static_cast<float>(*first) <= static_cast<float>(kLeastScale);
}

void find_unseen_ranges(const ArtefactProgram& artefact, std::vector<Finding>& out) {
  for (size_t i = 0; i < artefact.calls.size(); ++i)
    if (is_unseen(artefact, i))
      out.push_back(lint::finding(artefact.program, "unseen-range", i,
                                  cat("no range of ", quoted(artefact.program.statements[i].name),
                                      " was seen: its scale is the smallest, or its range empty")));
}

void find_unused_entries(const ArtefactProgram& artefact, const nnef::Document& document,
                         std::vector<Finding>& out) {
  for (const nnef::QuantEntry& entry : document.quant) {
    const auto value = artefact.values.find(entry.name);
    if (value == artefact.values.end() || artefact.program.values[value->second].producer < 0)
      out.push_back(lint::finding(artefact.program, "idle-setting", {},
                                  cat("graph.quant has an entry for ", quoted(entry.name),
                                      ", which no statement assigns")));
  }
}

}  // namespace

std::vector<Finding> lint_artefact(const nnef::Artefact& artefact) {
  const ArtefactProgram program = artefact_program(artefact);
  std::vector<Finding> out = lint::examine(program.program);
  find_scaled_integers(program.program, out);
  find_unused_entries(program, artefact.document, out);
  find_unseen_ranges(program, out);
  find_dead_channels(program, spec::dialect_of(artefact.document), out);
  find_equal(artefact, program.program, out);
  lint::sort_by_rule(out);
  return out;
}

}  // namespace t2n::report
