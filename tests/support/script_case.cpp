// SPDX-License-Identifier: Apache-2.0
#include "tests/support/script_case.h"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include "nnef_writer/npz.h"
#include "src/diag/error.h"

namespace t2n::test {

void leave_script(const Script& model, const std::vector<ir::Tensor>& inputs) {
  namespace fs = std::filesystem;
  static const char* const folder = std::getenv("T2NNEF_SCRIPT_CASES");
  if (folder == nullptr || model.edit) return;
  std::vector<nnef::NamedTensor> arrays;
  std::string identity = model.source;
  for (size_t i = 0; i < inputs.size(); ++i) arrays.push_back({cat("input_", i), inputs[i]});
  for (const auto& [name, value] : model.parameters) arrays.push_back({cat("self.", name), value});
  for (const nnef::NamedTensor& each : arrays) {
    if (each.value.dtype == ir::DType::bf16) return;
    identity +=
        cat(" ", ir::dtype_name(each.value.dtype), ir::shape_str(ir::to_shape(each.value.shape)));
  }
  static std::set<std::string> left;
  if (!left.insert(identity).second) return;
  const std::string program = program_invocation_short_name;
  fs::create_directories(folder);
  const fs::path stem = fs::path(folder) / cat(program, "_", left.size());
  std::ofstream(stem.string() + ".py") << model.source;
  nnef::write_npz(arrays, fs::path(stem.string() + ".npz"));
}

}  // namespace t2n::test
