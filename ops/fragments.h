// The texts of ops/fragments/*.nnef, embedded at build.
#pragma once

#include <span>
#include <string_view>

namespace t2n::ops {

struct FragmentText {
  std::string_view file;  ///< base name, such as "gelu_erf.nnef"
  std::string_view text;
};

/// All embedded texts, sorted by file name.
std::span<const FragmentText> fragment_texts();

}  // namespace t2n::ops
