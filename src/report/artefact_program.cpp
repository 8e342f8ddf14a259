// SPDX-License-Identifier: Apache-2.0
#include "src/report/artefact_program.h"

#include <algorithm>
#include <array>

#include "src/diag/error.h"
#include "src/diag/one_of.h"
#include "src/nnef/parser.h"
#include "src/nnef/walk.h"
#include "src/nnef_ops/book.h"

namespace t2n::report {
namespace {

using lint::Form;
using nnef::Kind;
using nnef::Value;

constexpr std::array<std::string_view, 3> kRound = {"round", "tract_core_round",
                                                    "tract_core_round_even"};
constexpr std::array<std::string_view, 6> kCutOff = {
    "clamp", "min", "max", "tract_core_min", "tract_core_max", "relu"};
constexpr std::array<std::string_view, 4> kAffine = {"mul", "div", "add", "sub"};
bool moves_data(std::string_view op) { return nnef_ops::book().at(op).is(nnef_ops::kMovesData); }

std::string number_or_name(const Value& value) {
  if (value.kind == Kind::identifier) return value.text;
  return value.kind == Kind::integer ? cat(value.integer) : cat(value.number);
}

std::string cast_to(const Value& call) {
  const Value* to = call.text == "tract_core_cast" ? nnef::find_argument(call, "to") : nullptr;
  return to != nullptr && to->kind == Kind::string ? to->text : std::string();
}

bool rounds(const Value* call) {
  if (call == nullptr) return false;
  const std::string to = cast_to(*call);
  return is_one_of(call->text, kRound) || call->text.ends_with("_quantize") || to == "i8" ||
         to == "u8";
}

bool is_cast(const Value* call) { return call != nullptr && call->text == "tract_core_cast"; }

class Reading {
 public:
  explicit Reading(const nnef::Artefact& artefact) : artefact_(artefact) {}

  ArtefactProgram run() {
    out_.program.is_file = true;
    const std::string_view text(reinterpret_cast<const char*>(artefact_.text.bytes.data()),
                                artefact_.text.bytes.size());
    const std::vector<Where> locations = nnef::statement_locations(text, "graph.nnef");
    const auto& body = artefact_.document.graph.body;
    for (size_t i = 0; i < body.size(); ++i)
      add(body[i], i < locations.size() ? locations[i] : Where());
    for (const std::string& result : artefact_.document.graph.results)
      value(id_of(result)).is_output = true;
    for (lint::Statement& statement : out_.program.statements)
      if (starts_quantiser(statement)) statement.kind = lint::Kind::rearrange;
    return std::move(out_);
  }

 private:
  lint::Value& value(size_t id) { return out_.program.values[id]; }
  const lint::Value& value(size_t id) const { return out_.program.values[id]; }

  size_t id_of(const std::string& name) {
    const auto [found, is_new] = out_.values.try_emplace(name, out_.program.values.size());
    if (is_new) out_.program.values.push_back({.name = name});
    if (is_new) modules_.emplace_back();
    return found->second;
  }

  /// A statement without results, as a foreign file may have, computes nothing.
  void add(const nnef::Assignment& assignment, Where where) {
    if (nnef::assigned_names(assignment.left).empty()) return;
    const Value* call = assignment.right.kind == Kind::invocation ? &assignment.right : nullptr;
    lint::Statement statement;
    nnef::walk(assignment.right, [&](const Value& part) {
      if (part.kind == Kind::identifier) statement.operands.push_back(id_of(part.text));
    });
    statement.kind = kind_of(call, statement.operands);
    for (const std::string_view name : nnef::assigned_names(assignment.left)) {
      statement.results.push_back(id_of(std::string(name)));
      if (statement.name.empty()) statement.name = name;
      if (call != nullptr) set_result(*call, statement.operands, statement.results.back());
    }
    statement.op = call != nullptr ? call->text : statement.name;
    statement.joins = statement.op == "add" || statement.op == "sub" ||
                      nnef_ops::book().at(statement.op).is(nnef_ops::kJoin);
    statement.where = std::move(where);
    statement.where.module = modules_[statement.results.front()];
    out_.program.add(std::move(statement));
    out_.calls.push_back(call);
  }

  lint::Kind kind_of(const Value* call, const std::vector<size_t>& operands) const {
    if (operands.empty()) return lint::Kind::boundary;
    if (call == nullptr) return lint::Kind::other;
    const lint::Value& first = value(operands[0]);
    if (rounds(call)) {
      const bool repeats_cast = is_cast(call) && first.producer >= 0 &&
                                is_cast(out_.calls[static_cast<size_t>(first.producer)]);
      return first.form != Form::integers || repeats_cast ? lint::Kind::quantise
                                                          : lint::Kind::rearrange;
    }
    if (moves_data(call->text)) return lint::Kind::rearrange;
    const bool has_weight =
        is_layer(call->text) && operands.size() > 1 && value(operands[1]).form == Form::dequantised;
    return has_weight ? lint::Kind::boundary : lint::Kind::other;
  }

  void set_result(const Value& call, const std::vector<size_t>& operands, size_t id) {
    if (call.text == "variable") return set_variable(call, id);
    if (operands.empty()) return;
    lint::Value& out = value(id);
    out.is_known = std::all_of(operands.begin(), operands.end(),
                               [&](size_t operand) { return value(operand).is_known; });
    modules_[id] = modules_[operands.front()];
    if (!moves_data(call.text)) out.stored = value(operands.front()).stored;
    set_form(call, operands, out);
  }

  void set_variable(const Value& call, size_t id) {
    lint::Value& out = value(id);
    out.is_known = true;
    out.stored = id;
    const Value* label = nnef::find_argument(call, "label");
    if (label == nullptr) return;
    out.name = label->text;
    if (const size_t dot = out.name.rfind('.'); dot != std::string::npos)
      modules_[id] = out.name.substr(0, dot);
    const nnef::StoredTensor* tensor = nnef::find_tensor(artefact_, out.name);
    if (tensor == nullptr) return;
    const ir::DType dtype = tensor->values.dtype;
    if (ir::is_integer(dtype) && ir::dtype_size(dtype) == 1) out.form = Form::integers;
    if (tensor->item.starts_with(ir::dtype_name(dtype))) out.data = &tensor->values;
  }

  void set_form(const Value& call, const std::vector<size_t>& operands, lint::Value& out) const {
    const lint::Value& first = value(operands.front());
    // All operands but the first are constant.
    const bool takes_number = call.arguments.size() <= 2 &&
                              std::all_of(operands.begin() + 1, operands.end(),
                                          [&](size_t operand) { return value(operand).is_known; });
    const bool is_scaled = call.text == "mul" || call.text == "div";
    const std::string to = cast_to(call);
    std::vector<std::string> scale;
    if (call.text.ends_with("_quantize")) {
      out.form = Form::dequantised;
      for (size_t i = 1; i < call.arguments.size(); ++i)
        scale.push_back(number_or_name(call.arguments[i].value));
    } else if (rounds(&call)) {
      out.form = Form::integers;
    } else if (!to.empty()) {
      if (to.starts_with('f')) out.form = first.form;
    } else if (is_one_of(call.text, kCutOff) && takes_number) {
      if (first.form == Form::integers || call.text == "relu") out.form = first.form;
    } else if (moves_data(call.text)) {
      const bool is_equal = std::all_of(operands.begin(), operands.end(), [&](size_t operand) {
        return value(operand).form == first.form && value(operand).scale == first.scale;
      });
      if (is_equal) out.form = first.form;
    } else if (is_one_of(call.text, kAffine) && takes_number) {
      if (first.form == (is_scaled ? Form::dequantised : Form::adjusted)) out.form = Form::adjusted;
      if (first.form == Form::integers) out.form = is_scaled ? Form::dequantised : Form::integers;
      if (out.form == Form::dequantised)
        scale.push_back(number_or_name(call.arguments.back().value));
    }
    if (!scale.empty())
      out.scale = lint::Scale{{}, {}, joined(scale, ", ")};
    else if (out.form == Form::dequantised)
      out.scale = first.scale;
  }

  /// A product that only roundings read is no computation.
  bool starts_quantiser(const lint::Statement& statement) const {
    if (statement.kind != lint::Kind::other || statement.operands.size() != 1) return false;
    const std::vector<size_t>& readers = value(statement.results.at(0)).readers;
    return std::all_of(readers.begin(), readers.end(),
                       [&](size_t reader) { return rounds(out_.calls[reader]); });
  }

  const nnef::Artefact& artefact_;
  ArtefactProgram out_;
  std::vector<std::string> modules_;  ///< by value: of the variable that it comes from
};

}  // namespace

bool is_layer(std::string_view op) { return nnef_ops::book().at(op).is(nnef_ops::kLayer); }

ArtefactProgram artefact_program(const nnef::Artefact& artefact) { return Reading(artefact).run(); }

}  // namespace t2n::report
