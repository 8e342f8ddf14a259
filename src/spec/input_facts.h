// SPDX-License-Identifier: Apache-2.0
// A document's declarations of its inputs.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/shape.h"
#include "ir/tensor.h"
#include "src/nnef/ast.h"

namespace t2n::spec {

struct InputSize {
  std::string text;              ///< "3", "S", "2*S"
  std::optional<int64_t> value;  ///< std::nullopt if it contains symbols
  std::optional<ir::Dim> dim;    ///< std::nullopt if it is no expression over sizes
};

struct InputFact {
  std::string name;
  std::optional<ir::DType> dtype;  ///< std::nullopt for a type of the engine
  std::vector<InputSize> sizes;
};

/// In the order of the graph's parameters. `external<integer>` is i64, as in tract. Errors:
/// `nnef-invalid` for a parameter that no statement declares, or with a negative size.
std::vector<InputFact> input_facts(const nnef::Document& document);

/// Whether the expression declares an input, and of which type: std::nullopt for one of the engine.
bool is_external(const nnef::Value& expression);
std::optional<ir::DType> external_dtype(const nnef::Value& expression);
/// "f32", "F32", "tdim", which is i64 at run time…
std::optional<ir::DType> tract_dtype(std::string_view name);

/// "x f32[1,3,S]"
std::string fact_str(const InputFact& fact);
/// "[1,3,S]"
std::string sizes_str(const InputFact& fact);
std::string dtype_str(const InputFact& fact);
/// The command-line text of a sample: "x=1,3,64,f32", with 1 for dynamic sizes that `sizes` does
/// not determine.
std::string sample_spec(const InputFact& fact, const ir::Sizes& sizes = {});

}  // namespace t2n::spec
