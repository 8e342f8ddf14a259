// SPDX-License-Identifier: Apache-2.0
// Sizes that are expressions over symbols.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "src/pt2/program.h"

namespace t2n::pt2 {

/// "Mul(Integer(2), Symbol('s5', integer=True))" and "2*s5" as "2*s5". Errors: `model-corrupt` for
/// anything but sums and products of integers and symbols.
std::string size_text(const std::string& expression);

/// The bounds of the symbols in `sizes` that the program states: "s5 >= 2", "s5 <= 64".
std::vector<std::string> assertions_on(const std::vector<std::string>& sizes,
                                       const Program& program);

/// The size of an axis of an argument, by the argument's name; "" if there is none.
using SizeOf = std::function<std::string(const std::string& argument, size_t axis)>;

/// "L['opts']['w'].size()[0] < 50" as "s5 < 50". nullopt if it reads anything but sizes.
std::optional<std::string> guard_text(const std::string& guard, const SizeOf& size_of);

}  // namespace t2n::pt2
