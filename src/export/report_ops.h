// SPDX-License-Identifier: Apache-2.0
// What `ops` has in its report.
#pragma once

#include <string>
#include <vector>

#include "src/report/command_report.h"

namespace t2n {

/// An operator that a target supports.
struct SupportedOperator {
  std::string name;
  std::string written_as;  ///< "" if no target version has it
  std::string meaning;
};

/// An operator of a model.
struct UsedOperator {
  std::string name;
  int count = 0;
  std::string support;  ///< "yes", "no", "not 2 of 5", "by overload", "?"
  bool is_missing = false;
  Where first;
};

/// Both add the field "operators".
void add_operators(report::CommandReport& report, const std::vector<SupportedOperator>& operators);
void add_used(report::CommandReport& report, const std::vector<UsedOperator>& operators);

}  // namespace t2n
