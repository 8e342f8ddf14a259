// docs/diagnostics.md, embedded at build.
#pragma once

#include <string_view>

namespace t2n::cli {

std::string_view diagnostics_page();

}  // namespace t2n::cli
