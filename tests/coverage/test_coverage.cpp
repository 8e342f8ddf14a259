// Reads what the operator tests have recorded, so it runs after them (a ctest fixture).
#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "src/diag/error.h"
#include "tests/coverage/summary.h"
#include "tests/support/script.h"

namespace t2n::test {
namespace {

std::vector<std::string> target_names() {
  std::vector<std::string> out;
  for (const target::Target& target : test_targets()) out.push_back(target::target_name(target));
  return out;
}

const std::string kStrict = "khronos@1.0.5";

std::map<std::string, OperatorSummary> summary() {
  const char* folder = std::getenv("T2NNEF_COVERAGE");
  T2N_ASSERT(folder, "T2NNEF_COVERAGE names no folder: run this through ctest");
  return summarise(read_coverage(folder));
}

}  // namespace

TEST_CASE("every argument of every operator has a case") {
  std::string missing;
  for (const std::string& cell : empty_cells(summary())) missing += cell + "\n";
  CHECK_EQ(missing, "");
}

TEST_CASE("every operator is right or refused in every engine") {
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
  std::vector<std::string> targets = target_names();
  targets.push_back(kStrict);
  const std::string table = matrix_markdown(summary(), targets);
  CHECK_NE(table.find("\n| `aten::relu` | right |"), std::string::npos);
  const char* path = std::getenv("T2NNEF_MATRIX");  // `make matrix` keeps it
  if (!path) return;
  std::ofstream file(path);
  file << table;
  REQUIRE(file.flush().good());
}

}  // namespace t2n::test
