// SPDX-License-Identifier: Apache-2.0
// Rules about neighbouring statements.
#include <algorithm>
#include <array>
#include <string_view>

#include "src/diag/error.h"
#include "src/quant_lint/rules.h"

namespace t2n::lint {
namespace {

const Value* first_operand(const Program& program, const Statement& statement) {
  return statement.operands.empty() ? nullptr : &program.values[statement.operands[0]];
}

/// Whether all readers of the integers dequantise them.
bool is_only_dequantised(const Program& program, const Value& integers) {
  return !integers.is_output && !integers.readers.empty() &&
         std::all_of(integers.readers.begin(), integers.readers.end(),
                     [&](size_t reader) { return program.has_kind(reader, Kind::dequantise); });
}

/// Whether elements only moved since they were dequantised.
bool is_only_moved(const Program& program, const Value* floats) {
  while (floats != nullptr && floats->producer >= 0) {
    const Statement& statement = program.statements[static_cast<size_t>(floats->producer)];
    if (statement.kind != Kind::rearrange) return true;
    if (clips(statement)) return false;
    floats = first_operand(program, statement);
  }
  return true;
}

void find_redundant_pairs(const Program& program, std::vector<Finding>& out) {
  for (size_t i = 0; i < program.statements.size(); ++i) {
    const Value* floats = first_operand(program, program.statements[i]);
    const bool is_fake = program.has_kind(i, Kind::fake_quantise);
    if (floats == nullptr || floats->is_known || (!is_fake && !program.has_kind(i, Kind::quantise)))
      continue;
    if (is_fake && !is_only_moved(program, floats)) continue;
    const Value& integers = program.values[program.statements[i].results.at(0)];
    std::string how;
    std::string help;
    if (floats->form == Form::adjusted) {
      how = " is quantised again, with only another scale between";
    } else if (floats->form != Form::floats) {
      how = " is dequantised and quantised again, with ";
      if (floats->scale && integers.scale) {
        const bool is_same = *floats->scale == *integers.scale;
        how += is_same ? "the same parameters and " : "other parameters and ";
        help = is_fake   ? "fake-quantise it once"
               : is_same ? "run propagate-qparams"
                         : "give both one scale";
      }
      how += "nothing between";
    } else if (!is_fake && is_only_dequantised(program, integers)) {
      how = " is quantised and dequantised with nothing between";
    }
    if (!how.empty())
      out.push_back(finding(program, "idle-pair", i, quoted(floats->name) + how, help));
  }
}

void find_float_constants(const Program& program, std::vector<Finding>& out) {
  for (size_t i = 0; i < program.statements.size(); ++i) {
    const Value* operand = first_operand(program, program.statements[i]);
    if (operand == nullptr || !operand->is_known) continue;
    const Value* stored = operand->stored ? &program.values[*operand->stored] : nullptr;
    if (program.has_kind(i, Kind::quantise) || program.has_kind(i, Kind::fake_quantise)) {
      if (operand->form == Form::integers) continue;
      out.push_back(finding(
          program, "float-constant", i,
          stored != nullptr && stored->form == Form::floats
              ? cat("the constant ", quoted(stored->name),
                    " is stored as floats and rounded at run time")
              : cat(quoted(operand->name),
                    " depends only on constants, but is computed and rounded at run time")));
    } else if (program.has_kind(i, Kind::dequantise) && operand->producer >= 0 &&
               !program.has_kind(static_cast<size_t>(operand->producer), Kind::quantise)) {
      // Quantised constants are reported where they are quantised.
      out.push_back(finding(program, "float-constant", i,
                            cat("the integers ", quoted(operand->name),
                                " depend only on constants, but are computed at run time"),
                            "run fold-constants"));
    }
  }
}

std::string scale_text(const Scale& scale) {
  if (!scale.text.empty()) return scale.text;
  return cat(scale.numbers[0], " (zero point ", scale.zero_points.at(0), ")");
}

void find_unlike_scales(const Program& program, std::vector<Finding>& out) {
  for (size_t i = 0; i < program.statements.size(); ++i) {
    const Statement& statement = program.statements[i];
    std::vector<const Scale*> scales;
    for (const size_t id : statement.operands) {
      const Value& value = program.values[id];
      if (value.scale && !value.is_known &&
          (value.scale->numbers.size() == 1 || !value.scale->text.empty()))
        scales.push_back(&*value.scale);
    }
    const auto other = std::find_if(scales.begin(), scales.end(),
                                    [&](const Scale* each) { return !(*each == *scales[0]); });
    if (statement.joins && other != scales.end())
      out.push_back(finding(program, "unlike-scales", i,
                            cat("operands of ", quoted(statement.op), " have the scales ",
                                scale_text(*scales[0]), " and ", scale_text(**other))));
  }
}

}  // namespace

bool clips(const Statement& statement) {
  constexpr std::array<std::string_view, 4> kNames = {"relu", "clamp", "hardtanh", "threshold"};
  return std::any_of(kNames.begin(), kNames.end(), [&](std::string_view name) {
    return statement.op.find(name) != std::string::npos;
  });
}

std::vector<Finding> examine(const Program& program) {
  std::vector<Finding> out;
  find_redundant_pairs(program, out);
  find_float_constants(program, out);
  find_unlike_scales(program, out);
  find_float_islands(program, out);
  find_stored_twice(program, out);
  return out;
}

}  // namespace t2n::lint
