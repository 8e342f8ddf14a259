#include "src/report/artefact_view.h"

#include <algorithm>
#include <array>

#include "src/diag/error.h"
#include "src/diag/one_of.h"
#include "src/nnef/parser.h"
#include "src/nnef/walk.h"
#include "src/nnef_ops/book.h"

namespace t2n::report {
namespace {

using nnef::Kind;
using nnef::Value;

constexpr std::array<std::string_view, 3> kRound = {"round", "tract_core_round",
                                                    "tract_core_round_even"};
constexpr std::array<std::string_view, 6> kCutOff = {
    "clamp", "min", "max", "tract_core_min", "tract_core_max", "relu"};
constexpr std::array<std::string_view, 4> kAffine = {"mul", "div", "add", "sub"};
std::string number_text(const Value& value) {
  return value.kind == Kind::integer ? cat(value.integer) : cat(value.number);
}

std::string number_or_name(const Value& value) {
  return value.kind == Kind::identifier ? value.text : number_text(value);
}

/// Whether all operands but the first are constant.
bool takes_number(const Value& call, const std::vector<Fact>& operands) {
  return call.arguments.size() <= 2 &&
         std::all_of(operands.begin() + 1, operands.end(),
                     [](const Fact& each) { return each.is_constant; });
}

bool is_float_name(std::string_view dtype) { return dtype.starts_with('f'); }
bool is_short_integer(std::string_view dtype) { return dtype == "i8" || dtype == "u8"; }

std::string cast_to(const Value& call) {
  const Value* to = call.text == "tract_core_cast" ? nnef::find_argument(call, "to") : nullptr;
  return to != nullptr && to->kind == Kind::string ? to->text : std::string();
}

}  // namespace

bool rounds(const Statement& statement) {
  if (statement.call == nullptr) return false;
  return is_one_of(statement.call->text, kRound) || statement.call->text.ends_with("_quantize") ||
         is_short_integer(cast_to(*statement.call));
}

bool only_moves_data(const Statement& statement) {
  return statement.call != nullptr &&
         nnef_ops::book().at(statement.call->text).is(nnef_ops::kMovesData);
}

bool is_layer(const Statement& statement) {
  return statement.call != nullptr &&
         nnef_ops::book().at(statement.call->text).is(nnef_ops::kLayer);
}

ArtefactView::ArtefactView(const nnef::Artefact& artefact_in) : artefact(artefact_in) {
  const std::string_view text(reinterpret_cast<const char*>(artefact.text.bytes.data()),
                              artefact.text.bytes.size());
  locations_ = nnef::statement_locations(text, "graph.nnef");
  for (const nnef::Assignment& assignment : artefact.document.graph.body) {
    Statement statement;
    const auto names = nnef::assigned_names(assignment.left);
    if (!names.empty()) statement.name = names.front();
    if (assignment.right.kind == Kind::invocation) statement.call = &assignment.right;
    nnef::walk(assignment.right, [&](const Value& value) {
      if (value.kind == Kind::identifier) statement.operands.push_back(value.text);
    });
    const auto index = static_cast<int>(statements.size());
    for (const std::string& operand : statement.operands) readers_[operand].push_back(index);
    if (statement.call != nullptr && statement.call->text == "variable")
      if (const Value* label = nnef::find_argument(*statement.call, "label"))
        labels_[statement.name] = label->text;
    statements.push_back(std::move(statement));
    Fact fact = fact_of(statements.back(), index);
    for (const std::string_view name : names) facts_[std::string(name)] = fact;
  }
}

const Fact& ArtefactView::fact(const std::string& tensor) const {
  static const Fact unknown;
  const auto found = facts_.find(tensor);
  return found == facts_.end() ? unknown : found->second;
}

std::vector<int> ArtefactView::readers(const std::string& tensor) const {
  const auto found = readers_.find(tensor);
  return found == readers_.end() ? std::vector<int>() : found->second;
}

bool ArtefactView::is_result(const std::string& tensor) const {
  const auto& results = artefact.document.graph.results;
  return std::find(results.begin(), results.end(), tensor) != results.end();
}

std::string ArtefactView::label(const std::string& variable) const {
  const auto found = labels_.find(variable);
  return found == labels_.end() ? std::string() : found->second;
}

Where ArtefactView::where(int statement) const {
  if (statement < 0 || statement >= std::ssize(locations_)) return {};
  Where out = locations_[statement];
  const std::string label = this->label(fact(statements[statement].name).origin);
  if (const size_t dot = label.rfind('.'); dot != std::string::npos)
    out.module = label.substr(0, dot);
  return out;
}

Where ArtefactView::where_of(const std::string& label) const {
  for (const auto& [variable, known] : labels_)
    if (known == label) return where(fact(variable).statement);
  return {};
}

const nnef::StoredTensor* ArtefactView::stored(const std::string& variable) const {
  const auto found = labels_.find(variable);
  return found == labels_.end() ? nullptr : nnef::find_tensor(artefact, found->second);
}

Fact ArtefactView::fact_of(const Statement& statement, int index) const {
  Fact out{.scale = {}, .origin = {}, .statement = index};
  if (statement.call == nullptr) return out;
  const Value& call = *statement.call;
  if (call.text == "variable") {
    const nnef::StoredTensor* tensor = stored(statement.name);
    out.is_constant = true;
    out.origin = statement.name;
    if (tensor != nullptr && ir::is_integer(tensor->values.dtype) &&
        ir::dtype_size(tensor->values.dtype) == 1)
      out.quantisation = Quantisation::integers;
    return out;
  }
  std::vector<Fact> operands;
  for (const std::string& name : statement.operands) operands.push_back(fact(name));
  if (operands.empty()) return out;
  out.is_constant = std::all_of(operands.begin(), operands.end(),
                                [](const Fact& each) { return each.is_constant; });
  out.origin = operands.front().origin;
  out.is_reordered = operands.front().is_reordered || only_moves_data(statement);
  set_quantisation(statement, operands, out);
  return out;
}

void ArtefactView::set_quantisation(const Statement& statement, const std::vector<Fact>& operands,
                                    Fact& out) const {
  const Value& call = *statement.call;
  const Fact& first = operands.front();
  if (call.text.ends_with("_quantize")) {
    out.quantisation = Quantisation::dequantised;
    for (size_t i = 1; i < call.arguments.size(); ++i)
      out.scale += cat(number_or_name(call.arguments[i].value), " ");
  } else if (rounds(statement)) {
    out.quantisation = Quantisation::integers;
  } else if (!cast_to(call).empty()) {
    if (is_float_name(cast_to(call))) out.quantisation = first.quantisation;
  } else if (is_one_of(call.text, kCutOff) && takes_number(call, operands)) {
    if (first.quantisation == Quantisation::integers || call.text == "relu")
      out.quantisation = first.quantisation;
    out.scale = first.scale;
  } else if (only_moves_data(statement)) {
    if (std::all_of(operands.begin(), operands.end(), [&](const Fact& each) {
          return each.quantisation == first.quantisation && each.scale == first.scale;
        }))
      out.quantisation = first.quantisation;
    out.scale = first.scale;
  } else if (is_one_of(call.text, kAffine) && takes_number(call, operands)) {
    const bool is_scaled = call.text == "mul" || call.text == "div";
    if (first.quantisation == Quantisation::integers)
      out.quantisation = is_scaled ? Quantisation::dequantised : Quantisation::integers;
    if (first.quantisation == (is_scaled ? Quantisation::dequantised : Quantisation::adjusted))
      out.quantisation = Quantisation::adjusted;
    if (out.quantisation == Quantisation::dequantised)
      out.scale = number_or_name(call.arguments.back().value);
  }
}

}  // namespace t2n::report
