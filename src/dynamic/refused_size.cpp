// SPDX-License-Identifier: Apache-2.0
#include "src/dynamic/refused_size.h"

#include <algorithm>
#include <utility>

#include "src/diag/error.h"
#include "src/dynamic/same.h"

namespace t2n::dynamic {

void refuse(const Subject& subject, const std::vector<Observation>& seen, const std::string& why) {
  Diagnostic out;
  out.id = "dynamic-size";
  out.message = cat(subject.op, ": ", subject.what, " cannot be expressed in the dynamic axes");
  out.where = {subject.where};
  for (const Observation& at : seen)
    if (at.extent) out.details.push_back(cat(*at.extent, " where ", sizes_str(*at.symbols)));
  out.why = why;
  out.help = "declare fewer axes dynamic, or compute it from sizes with + - * // only: n * 7 // 5";
  throw Error(std::move(out));
}

ir::Shape shape_with_symbols(const Level& level, ir::ValueId value, std::vector<Probe>& probes) {
  ir::Shape out = level.shape(0, value);
  for (size_t probe = 1; probe < level.probes(); ++probe)
    if (level.shape(probe, value).size() != out.size()) return out;
  for (size_t axis = 0; axis < out.size(); ++axis) {
    bool differs = false;
    for (size_t probe = 1; probe < level.probes(); ++probe)
      differs = differs || level.shape(probe, value)[axis] != out[axis];
    if (!differs) continue;
    const Symbol symbol =
        Symbol::AxisSize{level.result().values[value].name, static_cast<int64_t>(axis)};
    for (size_t probe = 0; probe < level.probes(); ++probe)
      probes[probe].symbols[symbol] = level.shape(probe, value)[axis].value();
    out[axis] = ir::Dim::symbol(symbol);
  }
  return out;
}

}  // namespace t2n::dynamic
