// SPDX-License-Identifier: Apache-2.0
// docs/diagnostics.md, embedded at build.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace t2n::cli {

std::string_view diagnostics_page();
/// The exit codes of the page's table as text, and what they mean.
std::vector<std::pair<std::string, std::string>> exit_codes();

}  // namespace t2n::cli
