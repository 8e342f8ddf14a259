// SPDX-License-Identifier: Apache-2.0
// A file of NNEF text that the build embeds in the library.
#pragma once

#include <string_view>

namespace t2n::nnef {

struct FragmentText {
  std::string_view file;  ///< base name, such as "gelu_erf.nnef"
  std::string_view text;
};

}  // namespace t2n::nnef
