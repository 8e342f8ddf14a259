// SPDX-License-Identifier: Apache-2.0
// Reads what the operator tests have recorded, so it runs after them (a ctest fixture).
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "src/diag/error.h"
#include "tests/coverage/summary.h"
#include "tests/support/refusals.h"
#include "tests/support/script.h"
#include "tests/support/strict_case.h"

namespace t2n::test {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> target_names() {
  std::vector<std::string> out;
  for (const target::Target& target : test_targets()) out.push_back(target::target_name(target));
  return out;
}

const std::string kStrict = "khronos@1.0.5";

std::string setting(const char* name) {
  const char* value = std::getenv(name);
  T2N_ASSERT(value, name, " is not set: run this through ctest");
  return value;
}

std::vector<std::string> split(const std::string& names) {
  std::istringstream in(names);
  std::vector<std::string> out;
  for (std::string name; std::getline(in, name, ',');) out.push_back(name);
  return out;
}

/// The programs of operator tests; what others left in the folders is of no use.
std::vector<std::string> all_programs() { return split(setting("T2NNEF_OPERATOR_PROGRAMS")); }

/// Those whose lists of refusals are written, by `make op` and `make refusals`: "all", or names.
std::vector<std::string> rewritten() {
  const char* names = std::getenv("T2NNEF_REWRITE_REFUSALS");
  if (names == nullptr) return {};
  return names == std::string_view("all") ? all_programs() : split(names);
}

bool is_rewritten(const std::string& program) {
  const std::vector<std::string> names = rewritten();
  return std::find(names.begin(), names.end(), program) != names.end();
}

/// All, but for `make op` those that have ever run here.
std::vector<std::string> programs() {
  std::vector<std::string> out = all_programs();
  if (!rewritten().empty())
    std::erase_if(out, [](const std::string& program) {
      return !fs::exists(fs::path(setting("T2NNEF_STRICT_CASES")) / program);
    });
  return out;
}

/// For `make op`: whether an operator without a case is known to have none.
bool have_all_run() {
  const bool out = programs() == all_programs();
  if (!out) MESSAGE("not all operator tests have run here, so gaps are not looked for");
  return out;
}

/// "tests/ops/refusals/conv.txt" for test_ops_conv.
fs::path list_of(const std::string& program) {
  const std::string family = program.substr(std::string_view("test_ops_").size());
  return fs::path(setting("T2NNEF_SOURCE_DIR")) / "tests/ops/refusals" / (family + ".txt");
}

std::map<std::string, OperatorSummary> summary() {
  return summarise(read_coverage(setting("T2NNEF_COVERAGE"), programs()));
}

void write(const fs::path& path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  REQUIRE(file.flush().good());
}

std::string read(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::set<std::string> lines(const std::string& text) {
  std::set<std::string> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) out.insert(line);
  return out;
}

/// As a diff shows it.
std::string changes(const std::string& before, const std::string& after) {
  std::string out;
  for (const std::string& line : lines(before))
    if (!lines(after).contains(line)) out += cat("- ", line, "\n");
  for (const std::string& line : lines(after))
    if (!lines(before).contains(line)) out += cat("+ ", line, "\n");
  return out;
}

std::string row_of(const std::string& op, const std::vector<CoverageFact>& facts) {
  const std::string table = matrix_markdown(summarise(facts), {"tract@1.0.0"});
  const size_t begin = table.find("| `" + op + "`");
  return table.substr(begin, table.find('\n', begin) - begin);
}

}  // namespace

TEST_CASE("every argument of every operator has a case") {
  if (!have_all_run()) return;
  std::string missing;
  for (const std::string& cell : empty_cells(summary())) missing += cell + "\n";
  CHECK_EQ(missing, "");
}

TEST_CASE("every operator is right or refused in every engine") {
  if (!have_all_run()) return;
  const auto targets = target_names();
  for (const auto& [op, row] : summary())
    for (const std::string& target : targets) {
      CAPTURE(op);
      CAPTURE(target);
      const auto at = row.targets.find(target);
      REQUIRE_NE(at, row.targets.end());
      CHECK_FALSE(at->second.contains(Outcome::wrong));
    }
}

TEST_CASE("no operator is wrong in strict NNEF") {
  if (!have_all_run()) return;
  size_t seen = 0;
  for (const auto& [op, row] : summary()) {
    CAPTURE(op);
    const auto at = row.targets.find(kStrict);
    if (at == row.targets.end()) continue;  // refused by every target, or beyond what scalars hold
    CHECK_FALSE(at->second.contains(Outcome::wrong));
    seen += at->second.contains(Outcome::right);
  }
  CHECK_GT(seen, 600);
}

TEST_CASE("the table of what was seen") {
  if (!have_all_run()) return;
  std::vector<std::string> targets = target_names();
  targets.push_back(kStrict);
  const std::string table = matrix_markdown(summary(), targets);
  CHECK_NE(table.find("\n| `aten::relu` | right |"), std::string::npos);
  if (const char* path = std::getenv("T2NNEF_MATRIX")) write(path, table);  // `make matrix`
}

TEST_CASE("rows note operators that share another's translation") {
  const CoverageFact own{{"aten::relu", {"self"}}, "tract@1.0.0", Outcome::right};
  const CoverageFact shared{{"aten::relu", {"self"}, "aten::relu_"}, "tract@1.0.0", Outcome::right};
  CHECK_EQ(row_of("aten::relu", {shared}), "| `aten::relu` (as `aten::relu_`) | right | `self` |");
  CHECK_EQ(row_of("aten::relu", {shared, own}), "| `aten::relu` | right | `self` |");
}

TEST_CASE("a refusal credits the argument that its text names") {
  const auto credited = [](const Diagnostic& diagnostic) {
    std::string out;
    const std::vector<OperatorUse> uses = {{"aten::gelu", {"self", "approximate"}},
                                           {"aten::add.Tensor", {"self", "other", "alpha"}}};
    for (const OperatorUse& use : refused_uses(uses, refusals(diagnostic))) {
      out += use.op;
      for (const std::string& argument : use.given) out += " " + argument;
      out += "\n";
    }
    return out;
  };
  Diagnostic one;
  one.message = "aten::gelu: approximate='fast' has no translation for tract@1.0.0";
  CHECK_EQ(credited(one), "aten::gelu approximate\n");
  one.message = "aten::gelu has no translation for tract@1.0.0 here";
  CHECK_EQ(credited(one), "aten::gelu\n");
  one.message = "aten::add: alpha=2 has no translation for tract@1.0.0";  // another overload
  CHECK_EQ(credited(one), "");
  one.message = "2 refused arguments (11 uses) have no translation for tract@1.0.0";
  one.uses = {{.what = "aten::add.Tensor: alpha=2", .count = 10, .why = "it must be 1"},
              {.what = "aten::gelu: approximate='fast'", .count = 1}};
  CHECK_EQ(credited(one), "aten::gelu approximate\naten::add.Tensor alpha\n");
}

TEST_CASE("strict NNEF's refusals equal the lists") {
  std::set<fs::path> lists;
  size_t count = 0;
  for (const std::string& program : programs()) {
    const fs::path path = list_of(program);
    const std::string found =
        refusal_list(strict_refusals(setting("T2NNEF_STRICT_CASES"), {program}));
    if (is_rewritten(program)) found.empty() ? void(fs::remove(path)) : write(path, found);
    CAPTURE(path.string());
    CHECK_EQ(changes(read(path), found), "");
    count += lines(found).size();
  }
  if (!have_all_run()) return;
  CHECK_GT(count, 10);
  for (const std::string& program : all_programs()) lists.insert(list_of(program));
  for (const fs::directory_entry& each : fs::directory_iterator(lists.begin()->parent_path()))
    CHECK_MESSAGE(lists.contains(each.path()), each.path().string(), " is of no program");
}

}  // namespace t2n::test
