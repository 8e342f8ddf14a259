// SPDX-License-Identifier: Apache-2.0
// Which LibTorch is taken, in folders that look like some.
#include <doctest/doctest.h>

#include <filesystem>

#include "src/model/find_torch.h"
#include "tests/tract/support.h"

namespace t2n {
namespace {

using test::TempFolder;

/// What a wheel of this version has, in "SITE/torch".
std::string fake_torch(const TempFolder& folder, const std::string& site, const char* version) {
  std::filesystem::create_directories(folder.path() + "/" + site + "/torch/lib");
  folder.write(site + "/torch/lib/libtorch_cpu.so", "");
  folder.write(site + "/torch/version.py", cat("__version__ = '", version, "'\ndebug = False\n"));
  return folder.path() + "/" + site + "/torch";
}

TorchFound find(const TorchSearch& search, const LoadTorch& load) {
  return find_torch(search, {{"libt2nnef_torch-2.14.so", "2.14"}, {"libt2nnef_torch.so", "2.13"}},
                    load);
}

std::optional<std::string> loads(const TorchLibrary&, const LibTorch&) { return std::nullopt; }

TEST_CASE("a LibTorch is taken in the order of the search, with the library for its version") {
  const TempFolder folder;
  const std::string own = fake_torch(folder, "own", "2.13.1+cpu");
  const std::string named = fake_torch(folder, "named", "2.14.0");
  const std::string venv = fake_torch(folder, "venv/lib/python3.11/site-packages", "2.13.0");
  TorchSearch search{.environment = named,
                     .own_folder = folder.path() + "/own",
                     .virtual_env = folder.path() + "/venv",
                     .pythons = {}};
  const auto taken = [&] {
    std::string out;
    const TorchFound found = find(search, [&](const TorchLibrary& ours, const LibTorch& torch) {
      out = cat(torch.folder, " ", torch.version, " ", torch.origin, " ", ours.path);
      return std::optional<std::string>();
    });
    CHECK(found.torch.has_value());
    return out;
  };
  CHECK_EQ(taken(), cat(named, " 2.14.0 T2NNEF_TORCH libt2nnef_torch-2.14.so"));
  search.environment = "";
  CHECK_EQ(taken(), cat(own, " 2.13.1+cpu t2nnef's folder libt2nnef_torch.so"));
  search.own_folder = folder.path();
  CHECK_EQ(taken(), cat(venv, " 2.13.0 VIRTUAL_ENV libt2nnef_torch.so"));
  search.virtual_env = "";
  search.prefix = folder.path() + "/venv";
  CHECK_EQ(taken(), cat(venv, " 2.13.0 the same prefix libt2nnef_torch.so"));
  search.prefix = "venv";  // the current folder may contain anything
  CHECK_EQ(taken(), "  the system libt2nnef_torch-2.14.so");
}

TEST_CASE("of a LibTorch that is not taken it is said why") {
  const TempFolder folder;
  const std::string old = fake_torch(folder, "old", "2.9.1");
  const std::string broken = fake_torch(folder, "venv/lib/python3/site-packages", "2.13.0");
  const auto refuses = [](const TorchLibrary&, const LibTorch&) {
    return std::optional<std::string>("libcupti.so.12: cannot open shared object file");
  };
  const TorchFound found = find({.environment = "",
                                 .own_folder = folder.path() + "/old",
                                 .virtual_env = folder.path() + "/venv",
                                 .pythons = {}},
                                refuses);
  CHECK_FALSE(found.torch.has_value());
  REQUIRE(found.problems.size() >= 2);
  CHECK_EQ(found.problems[0], cat("LibTorch 2.9.1, from t2nnef's folder: ", old,
                                  ": this t2nnef is for LibTorch 2.14, 2.13"));
  CHECK_EQ(found.problems[1], cat("LibTorch 2.13.0, from VIRTUAL_ENV: ", broken,
                                  ": libcupti.so.12: cannot open shared object file"));
  const TorchFound named = find(
      {.environment = folder.path(), .own_folder = "", .virtual_env = "", .pythons = {}}, loads);
  CHECK_FALSE(named.torch.has_value());
  CHECK_EQ(named.problems, std::vector{cat("T2NNEF_TORCH is ", folder.path(),
                                           ", which holds no lib/libtorch_cpu.so")});
}

TEST_CASE("the version of a LibTorch is read from its files") {
  const TempFolder folder;
  folder.write("build-version", "2.12.0+cpu\n");
  CHECK_EQ(version_of_torch(folder.path()), "2.12.0+cpu");
  std::filesystem::create_directories(folder.path() + "/headers/include/torch/headeronly");
  folder.write("headers/include/torch/headeronly/version.h",
               "#define TORCH_VERSION_MAJOR 2\n#define TORCH_VERSION_MINOR 14\n"
               "#define TORCH_VERSION_PATCH 1\n");
  CHECK_EQ(version_of_torch(folder.path() + "/headers"), "2.14.1");
  CHECK_EQ(version_of_torch(folder.path() + "/absent"), "");
}

TEST_CASE("libraries are listed by version, the plain one last") {
  const TempFolder folder;
  for (const char* name : {"libt2nnef_torch-2.9.so", "libt2nnef_torch-2.13.so",
                           "libt2nnef_torch-x.so", "libt2nnef_torch.so", "libt2nnef.so"})
    folder.write(name, "");
  std::vector<std::string> versions;
  for (const TorchLibrary& each : torch_libraries(folder.path(), "2.12"))
    versions.push_back(each.version);
  CHECK_EQ(versions, std::vector<std::string>{"2.13", "2.9", "2.12"});
}

}  // namespace
}  // namespace t2n
