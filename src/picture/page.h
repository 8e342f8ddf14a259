// SPDX-License-Identifier: Apache-2.0
// The page of html(), generated from page/ and the layout library.
#pragma once

#include <string_view>

namespace t2n::picture {

/// With `@DATA@` where the JSON belongs; "" if the program was built without the layout library.
std::string_view page();

}  // namespace t2n::picture
