// SPDX-License-Identifier: Apache-2.0
// docs/diagnostics.md explains every id and every exit code, with the numbers of the program.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "src/diag/error.h"

namespace t2n {
namespace {

std::vector<std::string> lines_of_document() {
  const char* const source = std::getenv("T2NNEF_SOURCE_DIR");
  REQUIRE(source != nullptr);
  std::ifstream file(cat(source, "/docs/diagnostics.md"));
  REQUIRE(file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

}  // namespace

TEST_CASE("the document has an entry for every id, in order") {
  std::vector<std::string> expected;
  for (const DiagnosticId& row : diagnostic_ids())
    expected.push_back(cat("### `", row.id, "` · exit ", static_cast<int>(row.code)));
  std::vector<std::string> actual;
  const std::vector<std::string> lines = lines_of_document();
  for (size_t i = 0; i < lines.size(); ++i) {
    if (!lines[i].starts_with("### ")) continue;
    actual.push_back(lines[i]);
    CAPTURE(lines[i]);
    REQUIRE_LT(i + 1, lines.size());
    CHECK_GT(lines[i + 1].size(), 40);
  }
  CHECK_EQ(actual, expected);
}

TEST_CASE("the document has a row for every exit code") {
  std::set<std::string> codes;
  for (const std::string& line : lines_of_document())
    if (line.starts_with("| ") && line[2] >= '0' && line[2] <= '9')
      codes.insert(line.substr(2, line.find(' ', 2) - 2));
  CHECK_EQ(codes.size(), 12);
  CHECK(codes.contains("0"));
  for (const DiagnosticId& row : diagnostic_ids())
    CHECK(codes.contains(std::to_string(static_cast<int>(row.code))));
}

TEST_CASE("ids are sorted slugs, each once") {
  const std::span<const DiagnosticId> ids = diagnostic_ids();
  for (size_t i = 1; i < ids.size(); ++i) CHECK_LT(ids[i - 1].id, ids[i].id);
  for (const DiagnosticId& row : ids)
    CHECK_EQ(row.id.find_first_not_of("abcdefghijklmnopqrstuvwxyz-"), std::string_view::npos);
  CHECK(exit_code("usage") == ExitCode::usage);
  CHECK(exit_code("unsupported-op") == ExitCode::unsupported);
}

}  // namespace t2n
