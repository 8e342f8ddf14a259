// SPDX-License-Identifier: Apache-2.0
// Determines a document's symbols from the sizes of inputs, and checks that these are consistent.
#pragma once

#include <span>
#include <vector>

#include "src/spec/dimension.h"
#include "src/spec/input_facts.h"

namespace t2n::spec {

struct SizeRules {
  std::vector<InputFact> inputs;
  std::vector<Assertion> assertions;
};

/// The rules of a document. Errors: as input_facts.
SizeRules size_rules(const nnef::Document& document);

/// The symbols' values if the inputs of the rules, in their order, have these shapes. A symbol that
/// no size determines has no value; conditions with it are not checked. Errors: `input-sizes` if
/// axes that share a symbol disagree, if a symbol would not be an integer of 0 or more, if an
/// assertion does not hold, or if the assertions of no scenario hold.
ir::Sizes bind_sizes(const SizeRules& rules, std::span<const ir::Ints> shapes);

}  // namespace t2n::spec
