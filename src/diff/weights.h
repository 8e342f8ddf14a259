// SPDX-License-Identifier: Apache-2.0
// Compares the values of two weights.
#pragma once

#include <vector>

#include "src/diff/diff.h"

namespace t2n::diff {

/// The differences between two stored tensors; `subject` names them.
std::vector<Difference> compare_weights(const std::string& subject, const nnef::StoredTensor& a,
                                        const nnef::StoredTensor& b);

/// "f32[16,1,3,3]", with the storage format if it differs.
std::string weight_type(const nnef::StoredTensor& tensor);

}  // namespace t2n::diff
