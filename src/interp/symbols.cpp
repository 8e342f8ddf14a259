#include "src/interp/symbols.h"

#include <optional>

#include "src/diag/error.h"
#include "src/interp/value.h"

namespace t2n::interp {
namespace {

struct Equation {
  ir::Dim dimension;
  int64_t size = 0;
  const Port* port = nullptr;
};

int64_t at_value(const ir::Dim& dimension, int64_t number) {
  return dimension.substitute([&](const ir::Symbol&) { return ir::Dim(number); }).value();
}

/// The number that makes a dimension of one symbol equal `size`.
std::optional<int64_t> solution(const ir::Dim& dimension, int64_t size) {
  const int64_t zero = at_value(dimension, 0);
  const int64_t slope = at_value(dimension, 1) - zero;
  if (slope == 0 || (size - zero) % slope != 0) return std::nullopt;
  const int64_t number = (size - zero) / slope;
  if (at_value(dimension, number) != size) return std::nullopt;
  return number;
}

/// Whether the equation needs no further look.
bool settle(const Equation& equation, Symbols& symbols) {
  const ir::Dim known = equation.dimension.substitute(symbols);
  const std::vector<ir::Symbol> unknown = known.symbols();
  if (unknown.empty()) {
    if (known.value() == equation.size) return true;
    fail(cat("the input ", quoted(equation.port->name), " has the shape ",
             ir::shape_str(equation.port->shape), ", where ", known.str(), " does not fit ",
             equation.size));
  }
  if (unknown.size() > 1) return false;
  const auto number = solution(known, equation.size);
  if (number) symbols[unknown[0]] = *number;
  return number.has_value();
}

}  // namespace

Symbols bind_symbols(const std::vector<Port>& ports, const std::vector<at::Tensor>& inputs) {
  std::vector<Equation> open;
  for (size_t at = 0; at < ports.size(); ++at) {
    const Port& port = ports[at];
    if (inputs[at].dim() != static_cast<int64_t>(port.shape.size()))
      fail(cat("the input ", quoted(port.name), " has the shape ", ir::shape_str(port.shape),
               ", not ", shape_text(inputs[at].sizes())));
    for (size_t axis = 0; axis < port.shape.size(); ++axis)
      open.push_back({port.shape[axis], inputs[at].size(static_cast<int64_t>(axis)), &port});
  }
  Symbols symbols;
  for (size_t before = open.size() + 1; open.size() < before;) {
    before = open.size();
    std::erase_if(open, [&](const Equation& equation) { return settle(equation, symbols); });
  }
  return symbols;
}

}  // namespace t2n::interp
