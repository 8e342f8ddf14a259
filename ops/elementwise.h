// The parts of the elementwise family, one file each; register_elementwise calls them.
#pragma once

namespace t2n::ops {

class Registry;

void register_division(Registry& registry);  ///< division.cpp: quotients and remainders
void register_logic(Registry& registry);     ///< logic.cpp: comparisons, booleans, bits, choices
void register_math(Registry& registry);      ///< math.cpp: functions of several steps

}  // namespace t2n::ops
