// SPDX-License-Identifier: Apache-2.0
// Which tensors results depend on, if slices of concatenations are simplified.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "src/nnef/ast.h"

namespace t2n::nnef {

/// What is known of the tensors and numbers of statements.
struct KnownSizes {
  /// The shape of an identifier or reference.
  std::function<std::optional<std::vector<int64_t>>(const Value& tensor)> shape;
  std::function<std::optional<int64_t>(const Value& expression)> number;
};

/// "x" for an identifier, "#3" for a reference.
std::string tensor_key(const Value& tensor);

/// The tensors of which `results` need an entry. A slice of a concatenation needs only the parts
/// that it reads, also if elementwise operations are in between.
std::set<std::string> needed_tensors(std::span<const Assignment> body,
                                     const std::vector<std::string>& results,
                                     const KnownSizes& sizes);

}  // namespace t2n::nnef
