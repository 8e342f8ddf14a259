// SPDX-License-Identifier: Apache-2.0
#include "src/dynamic/axes.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "ir/readable.h"
#include "src/diag/error.h"
#include "src/diag/glob.h"

namespace t2n::dynamic {
namespace {

bool is_name(std::string_view text) {
  const auto is_letter = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text[0])) == 0 &&
         std::all_of(text.begin(), text.end(), is_letter);
}

/// tract parses these as literals where a name is allowed, and fails on the remaining letters.
bool reads_as_literal(const std::string& name) {
  return name.starts_with("inf") || name.starts_with("true") || name.starts_with("false");
}

std::string trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(' ') - first + 1));
}

/// An expression over symbols that are valid names in the target's grammar.
ir::Dim parse_expression(const std::string& text, const std::string& option) {
  try {
    const ir::Dim dim = ir::parse_dim(text);
    for (const Symbol& each : dim.symbols()) {
      const std::string symbol = each.str();
      if (!is_name(symbol))
        throw Error("usage", cat("in ", quoted(option), " the symbol ", quoted(symbol),
                                 " is not a name of letters and digits"));
      if (reads_as_literal(symbol))
        throw Error("usage", cat("in ", quoted(option), " the symbol ", quoted(symbol),
                                 " begins like an NNEF literal"));
    }
    return dim;
  } catch (const Error& error) {
    if (error.diagnostic().id != "ir-syntax") throw;
    throw Error("usage", cat("cannot read the size ", quoted(text), " in ", quoted(option)), {},
                "write an expression such as S, 2*S, S + 1 or (S + 1) // 2");
  }
}

int64_t parse_index(const std::string& text, const std::string& option) {
  const size_t digits = text.starts_with('-') ? 1 : 0;
  const bool is_number = text.size() > digits && text.size() <= digits + 2 &&
                         text.find_first_not_of("0123456789", digits) == std::string::npos;
  if (!is_number)
    throw Error("usage", cat("cannot read the axis ", quoted(text), " in ", quoted(option)), {},
                "write INPUT:AXIS=SIZE, as in x:0=B or ids:-1=S");
  return std::stoll(text);
}

/// The indices of the inputs that the pattern matches.
std::vector<size_t> find_inputs(const AxisSpec& axis, const std::vector<std::string>& names) {
  std::string flat = axis.input;
  std::replace(flat.begin(), flat.end(), '.', '_');
  std::vector<size_t> found;
  for (size_t i = 0; i < names.size(); ++i)
    if (names[i] == axis.input || glob_matches(flat, names[i]) || axis.input == cat("input_", i))
      found.push_back(i);
  if (!found.empty()) return found;
  const std::string near = nearest(flat, names);
  std::string known;
  for (const std::string& name : names) known += (known.empty() ? "" : ", ") + name;
  throw Error("usage",
              cat("--dynamic ", axis.text, ": the model has no input ", quoted(axis.input)),
              cat("its inputs are: ", known),
              near.empty() ? std::string() : cat("did you mean ", quoted(near), "?"));
}

/// The axis, counted from the front.
size_t axis_of(const AxisSpec& axis, const std::string& input, size_t axes) {
  const auto rank = static_cast<int64_t>(axes);
  if (axis.axis < -rank || axis.axis >= rank)
    throw Error("usage",
                cat("--dynamic ", axis.text, ": ", quoted(input), " has ", rank,
                    rank == 1 ? " axis" : " axes"),
                {},
                rank == 0 ? "leave out this --dynamic"
                          : cat("count axes from 0 to ", rank - 1, ", or from -1 to ", -rank));
  return axis.axis < 0 ? axis.axis + rank : axis.axis;
}

/// Solves `size` = `extent` for `symbol`; nothing if there is no integer solution. Errors: `usage`
/// if `size` is not a multiple of the symbol plus a constant.
std::optional<int64_t> solve(const AxisSpec& axis, const ir::Dim& size, const Symbol& symbol,
                             int64_t extent) {
  const auto at = [&](int64_t value) { return evaluate(size, {{symbol, value}}); };
  const int64_t offset = at(0);
  const int64_t slope = at(1) - offset;
  constexpr int64_t kFar = 1000;
  if (slope == 0 || at(kFar) != offset + kFar * slope)
    throw Error(
        "usage",
        cat("--dynamic ", axis.text, ": the sample cannot be solved for ", quoted(symbol.str())),
        "only sums of symbols, their multiples and numbers can be",
        "name the axis itself, as in x:1=S");
  if ((extent - offset) % slope != 0) return {};
  return (extent - offset) / slope;
}

/// One declared axis, with its extent in the sample.
struct AxisEquation {
  const AxisSpec* axis;
  ir::Dim size;
  int64_t extent;
};

[[noreturn]] void refuse_sample(const AxisEquation& equation, const Sizes& known) {
  std::string values;
  for (const Symbol& symbol : equation.axis->size.symbols())
    if (known.contains(symbol))
      values += cat(values.empty() ? "" : ", ", symbol, "=", known.at(symbol));
  throw Error("usage",
              cat("--dynamic ", equation.axis->text, ": the sample has the size ", equation.extent,
                  " there"),
              values.empty() ? std::string() : cat("other inputs give ", values),
              "use --input to pass a sample of a size that the expression allows, or change the "
              "expression");
}

/// Solves for the symbols one by one: each from an axis where it is the only unknown.
Sizes solve_all(std::vector<AxisEquation> equations) {
  Sizes known;
  for (bool progress = true; progress;) {
    progress = false;
    for (AxisEquation& equation : equations) {
      if (equation.size.is_constant()) continue;
      equation.size = equation.size.substitute(known);
      const auto unknown = equation.size.symbols();
      if (unknown.size() != 1) continue;
      const auto value = solve(*equation.axis, equation.size, unknown[0], equation.extent);
      if (!value || *value < 0) refuse_sample(equation, known);
      known[unknown[0]] = *value;
      progress = true;
    }
  }
  for (AxisEquation& equation : equations) {
    equation.size = equation.size.substitute(known);
    if (!equation.size.is_constant())
      throw Error("usage",
                  cat("--dynamic ", equation.axis->text, ": the sample does not determine ",
                      quoted(equation.size.symbols()[0].str())),
                  "no axis has it as its only unknown symbol",
                  "declare an axis that is the symbol itself");
    if (equation.size.value() != equation.extent) refuse_sample(equation, known);
  }
  return known;
}

}  // namespace

AxisSpec parse_axis(const std::string& text) {
  const size_t equals = text.find('=');
  const size_t colon = text.rfind(':', equals);
  if (equals == std::string::npos || colon == std::string::npos || colon == 0)
    throw Error("usage", cat("cannot read --dynamic ", quoted(text)), {},
                "write INPUT:AXIS=SIZE, as in x:0=B or ids:-1=S");
  AxisSpec out;
  out.input = trimmed(text.substr(0, colon));
  out.axis = parse_index(trimmed(text.substr(colon + 1, equals - colon - 1)), text);
  out.size = parse_expression(trimmed(text.substr(equals + 1)), text);
  out.text = text;
  if (out.size.is_constant())
    throw Error("usage", cat("--dynamic ", quoted(text), " names no symbol"), {},
                "a fixed size is that of the sample: give it with --input");
  return out;
}

Comparison parse_comparison(const std::string& text) {
  constexpr std::array<Relation, 5> kRelations = {Relation::le, Relation::ge, Relation::eq,
                                                  Relation::lt, Relation::gt};
  for (const Relation relation : kRelations) {
    const size_t at = text.find(ir::str(relation));
    if (at == std::string::npos) continue;
    const std::string left = trimmed(text.substr(0, at));
    const std::string right = trimmed(text.substr(at + ir::str(relation).size()));
    return {parse_expression(left, text), relation, parse_expression(right, text)};
  }
  throw Error("usage", cat("cannot read --assert ", quoted(text)), {},
              "write a comparison of sizes, as in S>=1 or B==2*P");
}

void require_declared(const std::vector<Comparison>& asserted, const std::vector<AxisSpec>& axes) {
  if (!asserted.empty() && axes.empty()) throw Error("usage", "--assert needs --dynamic");
  std::set<std::string> declared;
  for (const AxisSpec& axis : axes)
    for (const Symbol& symbol : axis.size.symbols()) declared.insert(symbol.str());
  for (const Comparison& each : asserted)
    for (const ir::Dim& side : {each.left, each.right})
      for (const Symbol& symbol : side.symbols()) {
        const std::string name = symbol.str();
        if (declared.contains(name)) continue;
        const std::vector<std::string> known(declared.begin(), declared.end());
        const std::string near = nearest(name, known);
        throw Error("usage",
                    cat("--assert ", quoted(ir::readable(each)), ": no dynamic axis declares ",
                        quoted(name)),
                    cat("the axes declare: ", t2n::joined(known, ", ")),
                    near.empty() ? "" : cat("did you mean ", quoted(near), "?"));
      }
}

DynamicInputs bind_axes(const std::vector<AxisSpec>& axes, const std::vector<std::string>& names,
                        const std::vector<ir::Ints>& samples) {
  DynamicInputs out;
  for (const ir::Ints& sample : samples) out.shapes.push_back(ir::to_shape(sample));
  std::vector<AxisEquation> equations;
  for (const AxisSpec& axis : axes) {
    for (const size_t input : find_inputs(axis, names)) {
      const size_t at = axis_of(axis, names[input], samples[input].size());
      ir::Dim& size = out.shapes[input][at];
      if (!size.is_constant() && size != axis.size)
        throw Error("usage",
                    cat("--dynamic ", axis.text, ": this axis is ", size.str(), " already"));
      size = axis.size;
      equations.push_back({&axis, axis.size, samples[input][at]});
    }
  }
  out.sample = solve_all(std::move(equations));
  return out;
}

DynamicInputs bind_axes(const std::vector<AxisSpec>& axes, const ir::Graph& sample) {
  std::vector<std::string> names;
  std::vector<ir::Ints> shapes;
  for (const ir::ValueId id : sample.inputs) {
    const ir::Value& value = sample.values[id];
    names.push_back(value.name);
    shapes.push_back(ir::static_shape(value.shape));
  }
  return bind_axes(axes, names, shapes);
}

}  // namespace t2n::dynamic
