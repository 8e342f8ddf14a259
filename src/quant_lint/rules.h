// SPDX-License-Identifier: Apache-2.0
// The rules about unusual quantisation.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/diag/finding.h"
#include "src/quant_lint/program.h"

namespace t2n::lint {

struct Rule {
  std::string_view name;
  std::string_view help;           ///< the advice, for a model
  std::string_view help_for_file;  ///< and for an artefact, whose exporter is unknown
};
/// In the order of reports.
const std::vector<Rule>& rules();
const Rule& rule(std::string_view name);

/// A finding of the rule with this name. `statement`: nothing if it has no location. `help`: for
/// models, instead of the rule's own.
Finding finding(const Program& program, std::string_view rule, std::optional<size_t> statement,
                std::string message, std::string help = {});

/// All findings of the rules idle-pair, float-constant, unlike-scales and float-island
/// (structure.cpp, islands.cpp), and stored-twice (weights.cpp).
std::vector<Finding> examine(const Program& program);
void find_float_islands(const Program& program, std::vector<Finding>& out);
void find_stored_twice(const Program& program, std::vector<Finding>& out);

/// True for functions such as relu, which keep integers integers, but change some of them.
bool clips(const Statement& statement);

/// Whether a weight is so large that its values are no coincidence.
bool is_distinctive(const ir::Tensor& weight);

/// What the rule dead-channel says of a weight: channels along `axis` that hold only zeros, which
/// zero points represent in integers. "" if there are none.
std::string dead_channels(const std::string& name, const ir::Tensor& weight, size_t axis,
                          const std::optional<ir::QuantInfo>& quant);

/// Orders findings by rule; those of one rule keep their order.
void sort_by_rule(std::vector<Finding>& findings);

}  // namespace t2n::lint
