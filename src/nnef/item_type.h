// SPDX-License-Identifier: Apache-2.0
// Item types of tensor files, as numbered since NNEF 1.0.4 (1.0.5 §5.2).
#pragma once

#include <cstdint>

namespace t2n::nnef {

enum ItemType : uint32_t {
  kFloat = 0,
  kUnsigned = 1,
  kQuantisedUnsigned = 2,
  kQuantisedSigned = 3,
  kSigned = 4,
  kBoolean = 5
};

}  // namespace t2n::nnef
