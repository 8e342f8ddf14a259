// SPDX-License-Identifier: Apache-2.0
// Float regions between quantised operators: all their operands are dequantised, and all their
// results are quantised again.
#include <algorithm>
#include <map>
#include <numeric>

#include "src/diag/error.h"
#include "src/quant_lint/rules.h"

namespace t2n::lint {
namespace {

/// Connected operations on floats.
struct Island {
  std::vector<size_t> statements;
  bool is_enclosed = true;    ///< all operands and results are quantised
  bool has_entrance = false;  ///< an operand is quantised
  bool has_exit = false;
};

class Islands {
 public:
  explicit Islands(const Program& program) : program_(program), group_(program.statements.size()) {
    std::iota(group_.begin(), group_.end(), size_t{0});
    for (const Statement& statement : program.statements)
      is_float_.push_back(computes_floats(statement));
    for (size_t i = 0; i < group_.size(); ++i) join_with_operands(i);
  }

  std::map<size_t, Island> all() {
    std::map<size_t, Island> out;
    for (size_t i = 0; i < group_.size(); ++i)
      if (is_float_[i]) add(i, out[root(i)]);
    return out;
  }

 private:
  bool computes_floats(const Statement& statement) const {
    if (statement.kind != Kind::other && statement.kind != Kind::rearrange) return false;
    return std::any_of(statement.results.begin(), statement.results.end(), [&](size_t id) {
      const Value& value = program_.values[id];
      return value.is_float && value.form == Form::floats && !value.is_known;
    });
  }

  size_t root(size_t i) {
    while (group_[i] != i) i = group_[i] = group_[group_[i]];
    return i;
  }

  bool is_inside(const Value& value) const {
    return value.producer >= 0 && is_float_[static_cast<size_t>(value.producer)];
  }

  /// Merges the operation with the producers of its float operands.
  void join_with_operands(size_t i) {
    if (!is_float_[i]) return;
    for (const size_t id : program_.statements[i].operands)
      if (const Value& value = program_.values[id]; is_inside(value))
        group_[root(i)] = root(static_cast<size_t>(value.producer));
  }

  void add(size_t i, Island& island) const {
    island.statements.push_back(i);
    for (const size_t id : program_.statements[i].operands) {
      const Value& value = program_.values[id];
      if (value.is_known || !value.is_float) continue;
      if (value.form == Form::dequantised)
        island.has_entrance = true;
      else if (!is_inside(value))
        island.is_enclosed = false;
    }
    for (const size_t id : program_.statements[i].results) {
      const Value& value = program_.values[id];
      if (value.is_output) island.is_enclosed = false;
      for (const size_t reader : value.readers)
        if (program_.has_kind(reader, Kind::quantise) ||
            program_.has_kind(reader, Kind::fake_quantise))
          island.has_exit = true;
        else if (!is_float_[reader])
          island.is_enclosed = false;
    }
  }

  const Program& program_;
  std::vector<size_t> group_;
  std::vector<bool> is_float_;
};

/// "softmax, mul, and 3 more"
std::string operator_list(const Program& program, const std::vector<size_t>& statements) {
  constexpr size_t kShown = 4;
  std::string out;
  for (size_t i = 0; i < std::min(statements.size(), kShown); ++i)
    out += cat(i == 0 ? "" : ", ", program.statements[statements[i]].op);
  return statements.size() > kShown ? cat(out, ", and ", statements.size() - kShown, " more") : out;
}

}  // namespace

void find_float_islands(const Program& program, std::vector<Finding>& out) {
  for (auto& [root, island] : Islands(program).all()) {
    if (!island.is_enclosed || !island.has_entrance || !island.has_exit) continue;
    std::erase_if(island.statements,
                  [&](size_t i) { return program.has_kind(i, Kind::rearrange); });
    if (island.statements.empty()) continue;  // it only rearranges elements
    out.push_back(finding(program, "float-island", island.statements.front(),
                          cat("computed in floats between quantised operators: ",
                              operator_list(program, island.statements))));
  }
}

}  // namespace t2n::lint
