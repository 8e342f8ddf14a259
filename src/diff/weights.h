// Values of two weights against each other.
#pragma once

#include <vector>

#include "src/diff/diff.h"

namespace t2n::diff {

/// What differs between two stored tensors, which `subject` names.
std::vector<Difference> compare_weights(const std::string& subject, const nnef::StoredTensor& a,
                                        const nnef::StoredTensor& b);

/// "f32[16,1,3,3]", with how it is stored if that is another thing.
std::string weight_type(const nnef::StoredTensor& tensor);

}  // namespace t2n::diff
