// SPDX-License-Identifier: Apache-2.0
// One call of a user's fragment as a document of its own.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/dtype.h"
#include "src/extend/own_fragments.h"

namespace t2n::extend {

/// The arguments of a call, in the order of the parameters.
struct OwnCall {
  struct Operand {
    ir::DType dtype = ir::DType::f32;
    ir::Ints shape;
    size_t parameter = 0;  ///< its index; several operands may be a list
  };
  const OwnOperator& own;
  std::vector<Operand> tensors;  ///< by parameter; those left out at the end have their defaults
  std::vector<nnef::Argument> others;  ///< literals, by name
};

/// The graph has inputs i0, i1, … and results o0, o1, …
nnef::Document document_of(const OwnCall& call);

/// The shapes of the results, as far as the rules of NNEF's and tract's operations know them.
/// Errors: `fragment-signature` if an operation of the body refuses its operands.
std::vector<std::optional<ir::Ints>> result_shapes(const OwnCall& call);

/// Refuses a call whose body breaks the rules of strict NNEF. Errors: `fragment-signature`.
void check_strict_call(const OwnCall& call);

/// Throws `fragment-signature`.
[[noreturn]] void refuse_call(const OwnCall& call, std::string why);

/// "f32[2,3], f32[3]"
std::string operands_text(const OwnCall& call);

}  // namespace t2n::extend
