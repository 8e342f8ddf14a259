// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <span>

#include "nnef_writer/checksums.h"
#include "nnef_writer/temporary.h"
#include "tests/support/temporary.h"

namespace t2n::nnef {
namespace {

namespace fs = std::filesystem;

void write_file_of(const fs::path& path, const std::string& text) {
  FileWriter file(path, path);
  file.write(std::as_bytes(std::span(text)));
  file.close();
}

TEST_CASE("checksums are those of the last content, under the name that the file has now") {
  const test::TemporaryFolder folder;
  keep_checksums();
  const fs::path first = folder.path() / "first";
  const fs::path last = folder.path() / "last";
  write_file_of(first, "abd");
  write_file_of(first, "abc");  // the same inode and size
  fs::rename(first, last);
  CHECK(checksums_of(first).empty());
  const std::vector<FileChecksum> found = checksums_of(last);
  REQUIRE_EQ(found.size(), 1);
  CHECK_EQ(found[0].path, last.string());
  CHECK_EQ(found[0].bytes, 3);
  CHECK_EQ(found[0].sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST_CASE("checksums of a folder are found after it got another name; links count by name") {
  const test::TemporaryFolder folder;
  keep_checksums();
  const fs::path partial = folder.path() / "partial";
  fs::create_directories(partial / "part");
  write_file_of(partial / "part/a.dat", "abc");
  fs::create_hard_link(partial / "part/a.dat", partial / "b.dat");
  keep_link(partial / "part/a.dat", partial / "b.dat");
  fs::rename(partial, folder.path() / "model");
  CHECK_EQ(checksums_of(folder.path() / "model").size(), 2);
  CHECK(checksums_of(partial).empty());
}

}  // namespace
}  // namespace t2n::nnef
