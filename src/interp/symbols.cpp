// SPDX-License-Identifier: Apache-2.0
#include "src/interp/symbols.h"

#include "src/diag/error.h"
#include "src/interp/value.h"

namespace t2n::interp {
namespace {

spec::InputFact fact_of(const ProgramPort& port) {
  spec::InputFact out{.name = port.name, .dtype = port.dtype, .sizes = {}};
  for (const ir::Dim& dim : port.shape) out.sizes.push_back({dim.str(), std::nullopt, dim});
  return out;
}

}  // namespace

ir::Sizes bind_symbols(const std::vector<ProgramPort>& ports, const Tensors& inputs) {
  spec::SizeRules rules;
  std::vector<ir::Ints> shapes;
  for (size_t at = 0; at < ports.size(); ++at) {
    rules.inputs.push_back(fact_of(ports[at]));
    shapes.push_back(inputs[at].sizes().vec());
  }
  try {
    return spec::bind_sizes(rules, shapes);
  } catch (const Error& error) {
    Diagnostic diagnostic = error.diagnostic();
    diagnostic.id = "engine-failed";
    throw Error(std::move(diagnostic));
  }
}

}  // namespace t2n::interp
