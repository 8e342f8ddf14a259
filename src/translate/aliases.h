// SPDX-License-Identifier: Apache-2.0
// Aliases of the types that translations use for tensors, sizes and attributes.
#pragma once

#include "src/draft/attribute.h"

namespace t2n::ops {

using draft::Attribute;
using draft::Attributes;
using draft::Ref;  ///< a tensor of the document: an identifier, or a constant not yet written
using draft::TensorType;
using ir::Dim;
using ir::DType;
using ir::Ints;
using ir::Shape;

}  // namespace t2n::ops
