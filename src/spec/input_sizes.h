// What the sizes of inputs say of a document's symbols, and whether they may be given together.
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

/// Those of a document. Errors: as input_facts.
SizeRules size_rules(const nnef::Document& document);

/// The symbols' values where the inputs of the rules, in their order, have these shapes. A symbol
/// that no size determines has none; what speaks of it is not judged.
/// Errors: `input-sizes` where axes that share a symbol disagree, where no whole number from 0 on
/// gives a size, where an assertion does not hold, or none of the scenarios' assertions.
ir::Sizes bind_sizes(const SizeRules& rules, std::span<const ir::Ints> shapes);

}  // namespace t2n::spec
