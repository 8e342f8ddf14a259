// SPDX-License-Identifier: Apache-2.0
// Models written by hand, and the engines of this machine to run them in.
#pragma once

#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/tensor.h"
#include "src/diag/error.h"
#include "src/tract/find.h"

namespace t2n::test {

/// A folder that disappears with its owner.
class TempFolder {
 public:
  TempFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "t2nnef-test-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  std::string path() const { return path_.string(); }
  /// Writes a file, and the folders that lead to it; returns its path.
  std::string write(const std::string& name, std::string_view bytes) const {
    const std::filesystem::path file = path_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << bytes;
    return file.string();
  }

 private:
  std::filesystem::path path_;
};

/// An f32 `.dat` file: a 128-byte header (magic, version, data bytes, rank, 8 sizes, bits, type
/// float), then the values.
inline std::string dat_file(const std::vector<uint32_t>& shape, const std::vector<float>& values) {
  std::vector<uint32_t> header(32, 0);
  header[0] = 0x0001'ef4e;
  header[1] = static_cast<uint32_t>(values.size() * sizeof(float));
  header[2] = static_cast<uint32_t>(shape.size());
  std::copy(shape.begin(), shape.end(), header.begin() + 3);
  header[11] = 32;
  std::string bytes(reinterpret_cast<const char*>(header.data()), 128);
  bytes.append(reinterpret_cast<const char*>(values.data()), header[1]);
  return bytes;
}

/// A model `name(inputs) -> (y)` whose body is given.
inline std::string graph(std::string_view body, std::string_view inputs = "x") {
  return cat("version 1.0;\nextension tract_registry tract_core;\ngraph net(", inputs,
             ") -> (y) {\n", body, "}\n");
}

/// y = x * transpose(w) + b, for x of shape [2,3].
inline void write_linear(const TempFolder& folder) {
  folder.write("graph.nnef", graph("x = external<scalar>(shape = [2, 3]);\n"
                                   "w = variable<scalar>(label = 'w', shape = [2, 3]);\n"
                                   "b = variable<scalar>(label = 'b', shape = [1, 2]);\n"
                                   "y = linear(x, w, b);\n"));
  folder.write("w.dat", dat_file({2, 3}, {1, 2, 3, 4, 5, 6}));
  folder.write("b.dat", dat_file({1, 2}, {1, 2}));
}

inline ir::Tensor f32(const ir::Ints& shape, const std::vector<float>& values) {
  return ir::tensor_of(ir::DType::f32, shape, values);
}
inline ir::Tensor iota_2x3() { return f32({2, 3}, {0, 1, 2, 3, 4, 5}); }

inline bool engines_required() {
  const char* const value = std::getenv("T2NNEF_REQUIRE_ENGINE");
  return value != nullptr && std::string_view(value) == "1";
}

/// The engine of series 0.`minor` on this machine. Without one the test says so, and fails if
/// T2NNEF_REQUIRE_ENGINE is 1.
inline std::optional<tract::Engine> engine(int minor) {
  static const tract::Candidates found = tract::find_engines(tract::search_from_environment(""));
  for (const tract::Engine& candidate : found.engines)
    if (candidate.version.minor == minor) return candidate;
  const std::string message = cat("no tract 0.", minor, " on this machine: set T2NNEF_TRACT_LIB");
  CHECK_MESSAGE(!engines_required(), message);
  MESSAGE(message);
  return std::nullopt;
}

/// Series whose engines the tests use, newest first.
constexpr int kSeries[] = {23, 21};

/// The diagnostic that `work` throws, as text; "" if it throws none.
template <typename Work>
std::string error_of(const Work& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace t2n::test
