// SPDX-License-Identifier: Apache-2.0
#include "src/quant_lint/rules.h"

#include <algorithm>
#include <utility>

#include "src/diag/error.h"

namespace t2n::lint {
namespace {

size_t rule_index(std::string_view name) {
  const auto found = std::find_if(rules().begin(), rules().end(),
                                  [&](const Rule& each) { return each.name == name; });
  T2N_ASSERT(found != rules().end(), "no rule of the lint is called ", name);
  return static_cast<size_t>(found - rules().begin());
}

}  // namespace

void Program::add(Statement statement) {
  const size_t index = statements.size();
  for (const size_t id : statement.operands) {
    std::vector<size_t>& readers = values[id].readers;
    if (readers.empty() || readers.back() != index) readers.push_back(index);
  }
  for (const size_t id : statement.results) values[id].producer = static_cast<int>(index);
  statements.push_back(std::move(statement));
}

const std::vector<Rule>& rules() {
  static const std::vector<Rule> all = {
      {"idle-pair",
       "run propagate-qparams and fuse-quantised, or remove both operations: they cost a rounding",
       "export the model with only one of the two"},
      {"float-constant", "run quantise-constants, which stores constants in 8 bits or fewer",
       "store its integers, as `export` does"},
      {"unlike-scales", "use one observer for all operands, so that they share a scale",
       "use one observer for all operands, so that they share a scale"},
      {"float-island",
       "quantise these operations as well, or exclude their neighbours with --ignore",
       "quantise these operations as well, or leave their neighbours in floats"},
      {"idle-setting", "remove the setting, or correct the module name",
       "remove the entry, or correct its name"},
      {"unseen-range", "calibrate with samples that reach it, or exclude its module with --ignore",
       "calibrate with samples that reach it, or exclude its module"},
      {"saturation",
       "calibrate with samples like these, or use the observer min-max, which does not clip", ""},
      {"dead-channel", "remove the channels from the model, or prune the module less",
       "remove the channels from the model, or prune the module less"},
      {"unsigned-grid",
       "quantise to signed integers, or with a zero point; fuse the ReLU into the layer, if there "
       "should be one",
       ""},
      {"one-scale", "use one scale per channel: \"granularity\": \"channel\", or the pass equalise",
       ""},
      {"stored-twice", "give all readers of the weight the same settings",
       "use the same settings for all layers that read the weight"}};
  return all;
}

const Rule& rule(std::string_view name) { return rules()[rule_index(name)]; }

Finding finding(const Program& program, std::string_view rule, std::optional<size_t> statement,
                std::string message, std::string help) {
  const Rule& row = rules()[rule_index(rule)];
  if (help.empty() || program.is_file) help = program.is_file ? row.help_for_file : row.help;
  return {std::string(rule), std::move(message),
          statement ? program.statements[*statement].where : Where(), std::move(help)};
}

void sort_by_rule(std::vector<Finding>& findings) {
  std::stable_sort(findings.begin(), findings.end(), [](const Finding& a, const Finding& b) {
    return rule_index(a.rule) < rule_index(b.rule);
  });
}

}  // namespace t2n::lint
