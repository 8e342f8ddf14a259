// SPDX-License-Identifier: Apache-2.0
// libFuzzer's way in: an artefact of one text, run in the reference interpreter on zeros.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "src/check/runner.h"
#include "src/diag/error.h"
#include "src/model/torch_module.h"
#include "src/nnef/artefact.h"
#include "src/nnef/parser.h"
#include "src/spec/dialect.h"

namespace t2n {
namespace {

/// Zeros of the declared shape; nothing where a size is open or large.
std::vector<ir::Tensor> zeros(const std::vector<interp::ProgramPort>& ports) {
  constexpr int64_t kMost = 1 << 16;
  std::vector<ir::Tensor> out;
  for (const interp::ProgramPort& port : ports) {
    ir::Ints shape;
    int64_t count = 1;
    for (const ir::Dim& dim : port.shape) {
      shape.push_back(dim.is_constant() ? dim.value() : 2);
      if (shape.back() < 0 || shape.back() > kMost || (count *= shape.back()) > kMost) return {};
    }
    out.push_back(ir::allocate(port.dtype, shape).tensor);
  }
  return out;
}

void run(std::string_view text) {
  nnef::Artefact artefact;
  artefact.document = nnef::parse_document(text, "graph.nnef");
  const auto program = interp_module().load(artefact, spec::dialect_of(artefact.document));
  const std::vector<interp::ProgramPort> ports = interp_module().inputs(*program);
  const std::vector<ir::Tensor> inputs = zeros(ports);
  if (inputs.size() == ports.size()) interp_module().run(*program, inputs);
}

}  // namespace
}  // namespace t2n

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    t2n::run({reinterpret_cast<const char*>(data), size});
  } catch (const t2n::Error& error) {
    if (error.code() != t2n::ExitCode::bug) return 0;
    std::fprintf(stderr, "%s", error.what());
    std::abort();
  }
  return 0;
}
