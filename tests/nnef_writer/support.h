// SPDX-License-Identifier: Apache-2.0
// A folder of its own for each test, a document to write, and the system's tools as a second
// opinion on what was written.
#pragma once

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ir/tensor.h"
#include "src/nnef/ast.h"

namespace t2n::nnef {

/// An empty folder, removed at the end of the test.
class Scratch {
 public:
  Scratch() {
    std::string pattern = (std::filesystem::temp_directory_path() / "t2nnef-test-XXXXXX").string();
    REQUIRE(mkdtemp(pattern.data()) != nullptr);
    path_ = pattern;
  }
  ~Scratch() { std::filesystem::remove_all(path_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  std::filesystem::path operator/(std::string_view name) const { return path_ / name; }

  /// All entries below, sorted.
  std::vector<std::string> entries() const {
    std::vector<std::string> out;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path_))
      out.push_back(entry.path().lexically_relative(path_).string());
    std::sort(out.begin(), out.end());
    return out;
  }

 private:
  std::filesystem::path path_;
};

inline std::string content(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  REQUIRE(file);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void write_text(const std::filesystem::path& path, std::string_view text) {
  std::ofstream(path, std::ios::binary) << text;
}

/// What a shell command prints; it must succeed.
inline std::string output_of(const std::string& command) {
  CAPTURE(command);
  FILE* const pipe = popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string out;
  std::array<char, 4096> buffer{};
  while (const size_t size = fread(buffer.data(), 1, buffer.size(), pipe))
    out.append(buffer.data(), size);
  const int status = pclose(pipe);
  CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 0));
  return out;
}

/// y = relu(x), and a blob of two numbers under each label, of which the first is given.
inline Document document_of(const std::vector<std::pair<std::string, float>>& blobs) {
  Document out;
  out.graph.parameters = {"x"};
  out.graph.results = {"y"};
  out.graph.body = {
      {identifier("x"), invocation("external", {{"shape", array({integer(1)})}}, "scalar"), ""},
      {identifier("y"), invocation("relu", {{"", identifier("x")}}), ""}};
  for (const auto& [label, value] : blobs) {
    const ir::Tensor tensor = ir::tensor_of<float>(ir::DType::f32, {2}, {value, 2.0F});
    out.blobs.push_back({.label = label, .shape = {2}, .parts = {tensor}});
  }
  return out;
}

inline std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace t2n::nnef
