// SPDX-License-Identifier: Apache-2.0
// A document with all that there is in one.
#pragma once

#include <string_view>

namespace t2n::nnef {

inline constexpr std::string_view kDocument = R"(version 1.0;

extension tract_registry tract_core;
extension tract_assert S >= 1;

fragment norm<? = scalar>(x: tensor<?>, axes: integer[], eps: scalar = 1e-5) -> (y: tensor<?>, n: tensor<>)
{
    n = sum_reduce(sqr(x), axes = axes);
    y = x/sqrt(n + eps);
}

fragment pads(p: (integer, integer)[] = [(0, 1)], s: string = 'x') -> (q: integer);

graph network(x, i"a.b") -> (y, z)
{
    x = external<scalar>(shape = [1, S]);
    [y, w] = split(x, axis = 1, ratios = [1, 1]);
    (z, n) = norm(w, axes = [1]);  # model.py:88
}
)";

}  // namespace t2n::nnef
