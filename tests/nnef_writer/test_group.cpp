// SPDX-License-Identifier: Apache-2.0
// Artefacts that appear together, and what their folders share.
#include <doctest/doctest.h>

#include "nnef_writer/group.h"
#include "src/diag/error.h"
#include "tests/nnef_writer/support.h"

namespace t2n::nnef {
namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

const Document kFirst = document_of({{"a", 1}, {"b", 2}});
const Document kSecond = document_of({{"a", 1}, {"c", 2}, {"b", 3}});

Group folder_group(const Scratch& scratch) {
  Destination folder = parse_destination(scratch / "out");
  folder.parts = {"one", "two"};
  return {{}, folder};
}

Group group_of(const Scratch& scratch, const Names& names) {
  Group out;
  for (const std::string& name : names) out.each.push_back(parse_destination(scratch / name));
  return out;
}

}  // namespace

TEST_CASE("equal tensors of a folder's artefacts are one file, whatever their labels") {
  const Scratch scratch;
  PendingGroup group(folder_group(scratch));
  CHECK_EQ(group.add(kFirst, 0).shared_bytes, 0);
  const PendingGroup::Written second = group.add(kSecond, 1);
  CHECK_EQ(second.shared_bytes, 2 * 136);
  CHECK(fs::exists(second.path / "graph.nnef"));
  CHECK_FALSE(fs::exists(scratch / "out"));
  group.commit();
  CHECK_EQ(scratch.entries(), Names{"out", "out/one", "out/one/a.dat", "out/one/b.dat",
                                    "out/one/graph.nnef", "out/two", "out/two/a.dat",
                                    "out/two/b.dat", "out/two/c.dat", "out/two/graph.nnef"});
  CHECK(fs::equivalent(scratch / "out/one/a.dat", scratch / "out/two/a.dat"));
  CHECK(fs::equivalent(scratch / "out/one/b.dat", scratch / "out/two/c.dat"));
  CHECK_FALSE(fs::equivalent(scratch / "out/one/b.dat", scratch / "out/two/b.dat"));
  CHECK_FALSE(fs::equivalent(scratch / "out/one/graph.nnef", scratch / "out/two/graph.nnef"));
  write_artefact(kSecond, parse_destination(scratch / "alone")).commit();
  for (const std::string name : {"a.dat", "b.dat", "c.dat", "graph.nnef"})
    CHECK_EQ(content(scratch / ("out/two/" + name)), content(scratch / ("alone/" + name)));
}

TEST_CASE("what is not committed leaves nothing") {
  const Scratch scratch;
  {
    PendingGroup folder(folder_group(scratch));
    folder.add(kFirst, 0);
    folder.add(kSecond, 1);
    PendingGroup files(group_of(scratch, {"one.tar", "two"}));
    files.add(kFirst, 0);
    files.add(kSecond, 1);
  }
  CHECK_EQ(scratch.entries(), Names{});
}

TEST_CASE("where one artefact cannot be put in place, the others are as they were") {
  const Scratch scratch;
  write_artefact(kSecond, parse_destination(scratch / "one.tar")).commit();
  write_artefact(kSecond, parse_destination(scratch / "two")).commit();
  const std::string before = content(scratch / "one.tar");
  {
    PendingGroup group(group_of(scratch, {"one.tar", "two", "three", "four.tar"}));
    for (size_t i = 0; i < 4; ++i) group.add(kFirst, i);
    fs::create_directory(scratch / "four.tar");  // meanwhile
    CHECK_THROWS_AS(group.commit(), Error);
  }
  CHECK_EQ(content(scratch / "one.tar"), before);
  CHECK_EQ(scratch.entries(), Names{"four.tar", "one.tar", "two", "two/a.dat", "two/b.dat",
                                    "two/c.dat", "two/graph.nnef"});
  {
    fs::remove(scratch / "four.tar");
    PendingGroup group(group_of(scratch, {"one.tar", "two", "three", "four.tar"}));
    for (size_t i = 0; i < 4; ++i) group.add(kFirst, i);
    group.commit();
  }
  CHECK_NE(content(scratch / "one.tar"), before);
  CHECK_EQ(scratch.entries(),
           Names{"four.tar", "one.tar", "three", "three/a.dat", "three/b.dat", "three/graph.nnef",
                 "two", "two/a.dat", "two/b.dat", "two/graph.nnef"});
}

}  // namespace t2n::nnef
