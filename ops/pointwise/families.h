// SPDX-License-Identifier: Apache-2.0
// The families of operators of this folder: element by element. Each function adds one to the
// table.
#pragma once

namespace t2n::ops {

class Registry;

void register_activation(Registry& registry);
void register_bessel(Registry& registry);
void register_division(Registry& registry);
void register_elementwise(Registry& registry);
void register_error_functions(Registry& registry);
void register_gamma(Registry& registry);
void register_logic(Registry& registry);
void register_math(Registry& registry);
void register_polynomials(Registry& registry);
void register_special(Registry& registry);

}  // namespace t2n::ops
