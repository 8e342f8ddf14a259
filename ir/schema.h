// SPDX-License-Identifier: Apache-2.0
// An operator's signature as LibTorch declares it, without any torch header.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/attr.h"

namespace t2n::ir {

struct SchemaArgument {
  std::string name;
  std::string type;              ///< as TorchScript writes it: "Tensor", "Optional[int]"
  std::optional<Attr> fallback;  ///< the default value; absent if the argument is required
};

struct Schema {
  std::string text;  ///< "aten::gelu(Tensor self, *, str approximate='none') -> Tensor"
  std::vector<SchemaArgument> arguments;
};

}  // namespace t2n::ir
