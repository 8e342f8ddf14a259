// SPDX-License-Identifier: Apache-2.0
// Sliding windows, of convolutions and pools: their sizes (§4.3), and their flow along a stream.
#pragma once

#include <cstdint>

#include "src/nnef_ops/flow_call.h"
#include "src/nnef_ops/shape_call.h"

namespace t2n::nnef_ops {

/// A window over some axes of a tensor, those from `first_axis` on.
struct WindowArguments {
  size_t first_axis = 0;
  Ints size;
  Pairs padding;  ///< empty: sizes become extent / stride, rounded up
  Ints stride;
  Ints dilation;
};
WindowArguments window_arguments(const ShapeCall& call, Ints size, size_t first_axis);
void check_reflections(const ShapeCall& call, const WindowArguments& window, const Ints& shape);

/// The shape in the smaller space, or back in the larger one.
Ints down(const ShapeCall& call, const WindowArguments& window, Ints shape);
Ints up(const ShapeCall& call, const WindowArguments& window, Ints shape);
/// The shape of `output_shape`, which must lead back to the input's.
Ints requested_shape(const ShapeCall& call, const WindowArguments& window, const Ints& input);

/// Windows over axes 2 and higher in tract; unknown if a window does not fit. Lists lack entries
/// for the first `skipped` axes.
Shapes tract_windows(const ShapeCall& call, Ints out, const Ints& size, size_t skipped);

/// A window along the streaming axis.
struct StreamWindow {
  int64_t size = 1;
  int64_t stride = 1;
  int64_t dilation = 1;
  int64_t before = 0;
  int64_t after = 0;
};
/// `index`: the index in the call's lists.
StreamWindow stream_window(const FlowCall& call, size_t index, int64_t size);
/// The flow after a window. There is no delay if the padding before is as long as the overlap of
/// windows.
Flow windowed(Flow flow, const StreamWindow& w);

}  // namespace t2n::nnef_ops
