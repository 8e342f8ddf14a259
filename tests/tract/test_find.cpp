// SPDX-License-Identifier: Apache-2.0
// Where engines are looked for, and which one may serve a target.
#include <doctest/doctest.h>

#include <chrono>

#include "src/tract/process.h"
#include "tests/tract/support.h"

namespace t2n::test {
namespace {

using tract::Candidates;
using tract::EngineVersion;
using tract::Search;

/// An empty file where a wheel of this version has its library.
std::string fake_wheel(const TempFolder& folder, const std::string& site, const char* version) {
  std::filesystem::create_directories(folder.path() + "/" + site + "/tract-" + version +
                                      ".dist-info");
  return folder.write(site + "/tract/tract.cpython-311-x86_64-linux-gnu.so", "");
}

Search nowhere() { return {.option = "", .environment = "", .virtual_env = "", .pythons = {}}; }

TEST_CASE("versions are read and compared") {
  CHECK_EQ(tract::parse_version("0.23.9"), EngineVersion{0, 23, 9});
  CHECK_EQ(tract::parse_version("0.23.6-pre"), EngineVersion{0, 23, 6});
  for (const char* bad : {"", "0", "0.23", "0.23.", "x.1.2", "0.-1.2"})
    CHECK_FALSE(tract::parse_version(bad));
  CHECK(tract::serves({0, 21, 19}, {0, 21, 19}));
  CHECK(tract::serves({0, 21, 19}, {0, 21, 13}));
  CHECK_FALSE(tract::serves({0, 21, 13}, {0, 21, 19}));
  CHECK_FALSE(tract::serves({0, 23, 9}, {0, 21, 19}));
  CHECK_FALSE(tract::serves({1, 21, 19}, {0, 21, 19}));
}

TEST_CASE("a library is found as a file, in its folder, and in the folder of its package") {
  const TempFolder folder;
  const std::string library = fake_wheel(folder, "site", "0.21.19");
  for (const std::string& place : {library, folder.path() + "/site/tract", folder.path() + "/site"})
    for (const bool option : {false, true}) {
      Search search = nowhere();
      (option ? search.option : search.environment) = option ? "lib:" + place : place;
      const Candidates found = find_engines(search);
      REQUIRE_EQ(found.engines.size(), 1);
      CHECK_EQ(found.engines[0].library, library);
      CHECK_EQ(found.engines[0].version, EngineVersion{0, 21, 19});
    }
}

TEST_CASE("the path list keeps its order and names what is missing or too old") {
  const TempFolder folder;
  fake_wheel(folder, "new", "0.23.9");
  fake_wheel(folder, "mid", "0.21.19");
  fake_wheel(folder, "old", "0.18.2");
  Search search = nowhere();
  for (const char* name : {"mid", "new", "old", "none", "mid"})
    search.environment += folder.path() + "/" + name + ":";
  const Candidates found = find_engines(search);
  REQUIRE_EQ(found.engines.size(), 2);
  CHECK_EQ(found.engines[0].version, EngineVersion{0, 21, 19});
  CHECK_EQ(found.engines[1].version, EngineVersion{0, 23, 9});
  CHECK_EQ(found.problems, std::vector<std::string>{
                               cat("'", folder.path(), "/old' is tract 0.18.2, older than 0.19.0"),
                               cat("'", folder.path(), "/none' holds no tract library")});
}

TEST_CASE("the wheel of a virtual environment and of a Python on PATH is found") {
  const TempFolder folder;
  const std::string in_venv = fake_wheel(folder, "venv/lib/python3.11/site-packages", "0.23.9");
  const std::string in_python = fake_wheel(folder, "other", "0.22.4");
  const std::string python = folder.write("python", "#!/bin/sh\necho \"${0%/*}/other/tract\"\n");
  const std::string fails = folder.write("fails", "#!/bin/sh\nexit 1\n");
  for (const std::string& script : {python, fails})
    std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  const Candidates found =
      tract::find_engines({.option = "",
                           .environment = "",
                           .virtual_env = folder.path() + "/venv",
                           .pythons = {folder.path() + "/absent", fails, python}});
  REQUIRE_EQ(found.engines.size(), 2);
  CHECK_EQ(found.engines[0].library, in_venv);
  CHECK_EQ(found.engines[1].library, in_python);
  CHECK_EQ(found.engines[1].version, EngineVersion{0, 22, 4});
}

TEST_CASE("no Python is started where an earlier place serves") {
  const TempFolder folder;
  fake_wheel(folder, "site", "0.21.19");
  const std::string python =
      folder.write("python", cat("#!/bin/sh\ntouch ", folder.path(), "/started\necho\n"));
  std::filesystem::permissions(python, std::filesystem::perms::owner_all);
  Search search = nowhere();
  search.environment = folder.path() + "/site";
  search.pythons = {python};
  CHECK_EQ(find_engine(search, {0, 21, 13}).version, EngineVersion{0, 21, 19});
  CHECK_FALSE(std::filesystem::exists(folder.path() + "/started"));
  CHECK_NE(error_of([&] { find_engine(search, {0, 23, 9}); }), "");
  CHECK(std::filesystem::exists(folder.path() + "/started"));
}

TEST_CASE("an engine of another series, or an older one, does not serve") {
  const TempFolder folder;
  const std::string library = fake_wheel(folder, "site", "0.23.5");
  Search search = nowhere();
  search.environment = folder.path() + "/site:" + folder.path() + "/none";
  const auto text = [&](const char* version) {
    return cat("error[engine-version]: no engine found can serve tract@", version,
               "\n"
               "   tract 0.23.5  ",
               library,
               "  (T2NNEF_TRACT_LIB)\n"
               "   '",
               folder.path(),
               "/none' holds no tract library\n"
               "  why:  an engine serves targets of its own series (0.x) that are not newer than "
               "it\n"
               "  help: run `pip install tract==",
               version, "`, or set T2NNEF_TRACT_LIB to its library or folder\n");
  };
  CHECK_EQ(error_of([&] { find_engine(search, {0, 21, 19}); }), text("0.21.19"));
  CHECK_EQ(error_of([&] { find_engine(search, {0, 23, 9}); }), text("0.23.9"));
  CHECK_EQ(find_engine(search, {0, 23, 5}).library, library);
}

TEST_CASE("no engine at all") {
  const auto failure = [] { find_engine(nowhere(), {0, 21, 19}); };
  CHECK_EQ(error_of(failure),
           "error[engine-not-found]: no tract engine found to run an export for tract@0.21.19\n"
           "  why:  looked at --engine, else at T2NNEF_TRACT_LIB and the active Python's wheel\n"
           "  help: run `pip install tract==0.21.19`, or set T2NNEF_TRACT_LIB to its library or "
           "folder\n");
  CHECK_EQ(exit_code("engine-not-found"), ExitCode::no_engine);
  CHECK_EQ(exit_code("engine-version"), ExitCode::no_engine);
}

TEST_CASE("a wrong --engine is named, and no other engine replaces it") {
  const TempFolder folder;
  fake_wheel(folder, "site", "0.21.19");
  Search search = nowhere();
  search.option = "lib:/nowhere/libtract.so";
  search.environment = folder.path() + "/site";
  CHECK_EQ(error_of([&] {
             find_engine(search, {0, 21, 19});
           }),
           "error[engine-not-found]: no tract engine found to run an export for tract@0.21.19\n"
           "   '/nowhere/libtract.so' holds no tract library\n"
           "  why:  looked at --engine, else at T2NNEF_TRACT_LIB and the active Python's wheel\n"
           "  help: run `pip install tract==0.21.19`, or set T2NNEF_TRACT_LIB to its library or "
           "folder\n");
}

TEST_CASE("the library itself is asked where no wheel tells its version") {
  const auto newest = engine(23);
  if (!newest) return;
  const TempFolder folder;
  const std::string link = folder.path() + "/libtract.so";
  std::filesystem::create_symlink(newest->library, link);
  Search search = nowhere();
  search.option = link;
  CHECK_EQ(find_engine(search, newest->version).version, newest->version);
}

TEST_CASE("a command that takes too long gives no answer") {
  const auto start = std::chrono::steady_clock::now();
  CHECK_FALSE(tract::output_of("sleep", {"30"}, std::chrono::milliseconds(200)));
  CHECK_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
  CHECK_EQ(tract::output_of("echo", {"here"}, std::chrono::seconds(10)), "here\n");
  CHECK_FALSE(tract::output_of("false", {}, std::chrono::seconds(10)));
}

}  // namespace
}  // namespace t2n::test
