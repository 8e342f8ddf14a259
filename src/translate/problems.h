// SPDX-License-Identifier: Apache-2.0
// Collects everything that a target cannot express of a model in one report.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "src/diag/diagnostic.h"
#include "src/target/target.h"

namespace t2n::ops {

/// "aten::normal_" for "aten::normal_functional", which exists only in graphs.
std::string written_name(const ir::Node& node);

/// Lists each problem once, with the number of its uses; operators and arguments in one error.
class Problems {
 public:
  explicit Problems(const target::Target& target) : target_(target::target_name(target)) {}

  /// `is_missing`: there is no translation at all; otherwise an argument was refused.
  void add(Diagnostic diagnostic, bool is_missing);
  /// All of them as one, `unsupported-op` if any operator has no translation.
  std::optional<Diagnostic> as_one() const;
  void raise_if_any() const;  ///< throws that
  /// Notes that a node has no translation, for is_refused().
  void refuse(const ir::Node& node) { refused_.insert(&node); }
  bool is_refused(const ir::Node& node) const { return refused_.contains(&node); }

 private:
  /// One problem, wherever it occurred.
  struct Problem {
    Diagnostic first;
    std::string text;  ///< operator, or operator and argument
    bool is_missing = false;
    int count = 0;
  };
  std::vector<Use> uses() const;
  std::string headline() const;

  std::string target_;
  std::vector<Problem> problems_;
  std::map<std::string, size_t> index_;
  std::set<const ir::Node*> refused_;
};

}  // namespace t2n::ops
