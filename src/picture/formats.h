// SPDX-License-Identifier: Apache-2.0
// A picture as files: each function returns the whole text. Everything that comes from the model is
// escaped. docs/graph.md describes the formats.
#pragma once

#include <string>
#include <string_view>

#include "src/picture/picture.h"

namespace t2n::picture {

/// `t2nnef.graph/1`; later versions only add fields.
std::string json(const Picture& picture);

/// For Graphviz: clusters for groups.
std::string dot(const Picture& picture);

/// One file that needs no other: page/ with the JSON. Errors: `graph-unavailable` if the program
/// was built without the layout library.
std::string html(const Picture& picture);

/// The whole picture with all groups open. Errors: `graph-unavailable` as for html().
std::string svg(const Picture& picture);

}  // namespace t2n::picture
