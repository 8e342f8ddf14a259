// What the pass `expand-quantised` is told of a graph.
#pragma once

namespace t2n::quant {

/// Graph attribute: the graph is one of several trials. What is made for a size of a value has to
/// say of which.
inline constexpr const char* kIsTrial = "is_trial";

}  // namespace t2n::quant
