// SPDX-License-Identifier: Apache-2.0
// Files that were made to break t2nnef end with an error, and nothing of them runs.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "src/diag/error.h"
#include "src/model/torch_module.h"
#include "src/model_file/code_scan.h"
#include "tests/support/script.h"

namespace t2n::test {
namespace {

namespace fs = std::filesystem;

fs::path made_files() {
  const char* const folder = std::getenv("T2NNEF_BAD_FILES");
  return folder == nullptr ? "build/bad" : folder;
}

std::vector<fs::path> files_in(const fs::path& folder) {
  REQUIRE_MESSAGE(fs::exists(folder), folder.string(), " is missing: make_bad_files.py makes it");
  std::vector<fs::path> out;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".pt") out.push_back(entry.path());
  std::sort(out.begin(), out.end());
  return out;
}

/// The id of the error with which loading, and tracing with one sample, end; "" for none.
std::string end_of_file(const fs::path& file) {
  try {
    const auto session = torch_module().load(file.string(), "forward");
    ir::Tensor x = randn({4}, 1);
    trace::TraceOptions options;
    options.max_operations = 50'000;  // endless models end sooner
    torch_module().trace(*session, {{.path = {"x"}, .value = x}}, options);
    torch_module().verify(*session, true);
  } catch (const Error& error) {
    return error.diagnostic().id;
  }
  return {};
}

bool is_marked(const fs::path& folder) {
  return std::any_of(
      fs::directory_iterator(folder), fs::directory_iterator(),
      [](const auto& entry) { return entry.path().filename().string().starts_with("marker"); });
}

TEST_CASE("hostile files end in the error that their name states") {
  for (const fs::path& file : files_in(made_files() / "hostile")) {
    const std::string name = file.filename().string();
    if (name.starts_with("sample_")) continue;
    CAPTURE(name);
    const std::string id = end_of_file(file);
    const int code = id.empty() ? 0 : static_cast<int>(exit_code(id));
    CAPTURE(id);
    CHECK(name.substr(0, name.find('_')).find(std::to_string(code)) != std::string::npos);
    CHECK(!is_marked("."));
  }
}

TEST_CASE("samples that contain themselves, or are endlessly deep, are refused") {
  for (const char* name : {"sample_itself.pt", "sample_deep.pt"}) {
    CAPTURE(name);
    try {
      torch_module().read_saved((made_files() / "hostile" / name).string());
      FAIL("it was read");
    } catch (const Error& error) {
      CHECK_EQ(error.diagnostic().id, "input-unreadable");
    }
  }
}

/// Written by hostile_operators.py: a model for each operator that LibTorch registers and that is
/// not on the list, with operands that fit its schema.
TEST_CASE("every registered operator that is not allowed is refused") {
  const std::vector<fs::path> files = files_in(made_files() / "operators");
  CHECK_GE(files.size(), 300);
  std::vector<std::string> not_compiled;
  for (const fs::path& file : files) {
    CAPTURE(file.filename().string());
    const std::string id = end_of_file(file);
    CAPTURE(id);
    // Those of one CPU's library stand in prepared models, which is what is said.
    const bool is_refused =
        id == "denied-operator" || id == "model-format" || id == "unsupported-op";
    if (id == "model-corrupt")
      not_compiled.push_back(file.filename().string());
    else
      CHECK(is_refused);
  }
  // A few have no form that torch compiles: they cannot be called, and say nothing of the list.
  CAPTURE(not_compiled.size());
  CHECK_LE(not_compiled.size(), files.size() / 50);
  CHECK(!is_marked("."));
}

TEST_CASE("a model that changes while it is read is refused") {
  const fs::path copy = fs::temp_directory_path() / "t2nnef_changing.pt";
  fs::copy_file(made_files() / "hostile" / "0_plain.pt", copy,
                fs::copy_options::overwrite_existing);
  const auto session = torch_module().load(copy.string(), "forward");
  torch_module().verify(*session, true);
  std::ofstream(copy, std::ios::app) << 'x';
  try {
    torch_module().verify(*session, false);
    FAIL("nothing was seen");
  } catch (const Error& error) {
    CHECK_EQ(error.diagnostic().message, "the model file changed while it was read");
  }
  fs::remove(copy);
}

TEST_CASE("the operators that code calls") {
  model_file::CodeScan scan;
  scan.add(
      "class M(Module):\n"
      "  __parameters__ = []\n"
      "  def forward(self: __torch__.m.M, x: Tensor) -> Tensor:\n"
      "    # torch.comment(x)\n"
      "    y = torch.relu(ops.vision.nms(x, \"torch.string(x)\", torch.add(x, 1)))\n"
      "    z = (self.torch).forward(y, self.torch.sub(y), ops.c.deep.er(x), ops.flat(x))\n"
      "    return __torch__.torch.nn.f(z, torch.float, torch.jit.g(z), torch.mul (z, 1))\n",
      "__torch__.m");
  const std::set<std::string> expected = {"aten::add", "aten::mul", "aten::relu", "vision::nms"};
  std::set<std::string> names;
  for (const auto& [name, calls] : scan.operators()) names.insert(name);
  CHECK_EQ(names, expected);
  CHECK_EQ(scan.operators().at("aten::mul").count, 1);
}

TEST_CASE("how deep an expression may be nested") {
  const auto is_taken = [](size_t depth) {
    try {
      model_file::CodeScan().add(cat("def f(x: int) -> int:\n  return ", std::string(depth, '('),
                                     "x", std::string(depth, ')'), "\n"),
                                 "__torch__.m");
      return true;
    } catch (const Error&) {
      return false;
    }
  };
  size_t most = 1900;
  while (is_taken(most + 1)) ++most;
  CHECK_EQ(most, 2000);
}

}  // namespace
}  // namespace t2n::test
