// SPDX-License-Identifier: Apache-2.0
// The seeds of the fuzzers and what these found, without the fuzzers.
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/fuzz/entries.h"

namespace t2n::nnef {
namespace {

TEST_CASE("kept inputs of the fuzzers are still read or refused") {
  const char* const source = std::getenv("T2NNEF_SOURCE_DIR");
  REQUIRE(source != nullptr);
  for (const EntryRow& entry : kEntries) {
    const auto folder = std::filesystem::path(source) / "tests/fuzz/corpus" / entry.name;
    int files = 0;
    for (const auto& item : std::filesystem::directory_iterator(folder)) {
      CAPTURE(item.path().string());
      std::ifstream file(item.path(), std::ios::binary);
      const std::string bytes{std::istreambuf_iterator<char>(file), {}};
      entry.run(std::as_bytes(std::span(bytes)));
      ++files;
    }
    CAPTURE(entry.name);
    CHECK(files >= 3);
  }
}

TEST_CASE("checksums are mended as tar wants them") {
  const char* const source = std::getenv("T2NNEF_SOURCE_DIR");
  REQUIRE(source != nullptr);
  std::ifstream file(std::filesystem::path(source) / "tests/fuzz/corpus/artefact/tar",
                     std::ios::binary);
  const std::string whole{std::istreambuf_iterator<char>(file), {}};
  REQUIRE(whole.size() > 1024);
  std::string damaged = whole;
  damaged[150] = 'x';
  mend_checksums(std::as_writable_bytes(std::span(damaged)));
  CHECK(damaged == whole);
}

}  // namespace
}  // namespace t2n::nnef
