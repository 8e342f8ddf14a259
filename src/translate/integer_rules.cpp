// SPDX-License-Identifier: Apache-2.0
#include "src/translate/integer_rules.h"

#include <algorithm>
#include <cmath>

namespace t2n::ops {

bool is_integer_product(const IntegerRule& rule) { return rule.range == bounds::product; }

namespace bounds {

Bounds kept(const OperandBounds& x) {
  Bounds out;
  for (const std::string_view name :
       {"self", "tensors", "other", "input", "src", "source", "values", "value", "weight", "s"})
    out = hull(out, x.at(name));
  return out;
}

Bounds at_most_self(const OperandBounds& x) { return up_to(magnitude(x.at("self"))); }

Bounds nothing(const OperandBounds& /*x*/) { return {}; }

Bounds flag(const OperandBounds& /*x*/) { return {-1, 1}; }

Bounds count(const OperandBounds& x) { return {-1, x.most()}; }

Bounds product(const OperandBounds& x) { return x.at("self") * x.at("other"); }

Bounds total(const OperandBounds& x) {
  const double terms = elements(x.shape(0)) / std::max(1.0, elements(x.output().shape));
  return hull(x.at("self"), {}) * Bounds{terms, terms};
}

Bounds running_product(const OperandBounds& x) {
  return up_to(std::pow(std::max(1.0, magnitude(x.at("self"))), x.axis_size("dim")));
}

Bounds mixed_product(const OperandBounds& x) {
  double all = 1, most = 1, out = 1;
  for (const ir::ValueId id : x.tensors()) {
    all *= elements(x.value(id).shape);
    most = std::max(most, elements(x.value(id).shape));
    out *= std::max(1.0, magnitude(x.of(id)));
  }
  const bool is_list = x.has("tensors") || x.has("matrices");
  const double scale = std::max(magnitude(x.at("alpha", {1, 1})), magnitude(x.at("beta", {1, 1})));
  return up_to(2 * out * (is_list ? all : most) * std::max(1.0, scale));
}

Bounds put(const OperandBounds& x) {
  const Bounds self = x.at("self");
  Bounds update;
  for (const std::string_view name : {"src", "source", "values", "value"})
    update = hull(update, x.at(name));
  const double most = x.most();
  const std::string reduction = x.text("reduce");
  if (reduction == "prod" || reduction == "multiply")
    return up_to(std::max(1.0, magnitude(self)) * std::pow(std::max(1.0, magnitude(update)), most));
  const double scale = magnitude(x.at("alpha", {1, 1}));
  const bool adds = x.has("accumulate") ? x.at("accumulate").high > 0
                                        : !reduction.empty() || !x.is_called("scatter");
  return adds ? self + update * Bounds{most * scale, most * scale} : hull(self, update);
}

}  // namespace bounds

}  // namespace t2n::ops
