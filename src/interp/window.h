// SPDX-License-Identifier: Apache-2.0
// Sliding windows: extents, paddings, and the entries at each position of a window (§4.3).
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <string>
#include <vector>

#include "src/interp/border.h"
#include "src/interp/kernel.h"

namespace t2n::interp {

struct WindowAxis {
  int64_t size = 1;
  int64_t stride = 1;
  int64_t dilation = 1;
  int64_t before = 0;  ///< padding, in the larger space
  int64_t after = 0;
  int64_t larger = 0;   ///< extent that windows slide over
  int64_t smaller = 0;  ///< number of positions of the window

  int64_t extent() const { return (size - 1) * dilation + 1; }
};

/// One for each axis of the tensor.
using Window = Checked<WindowAxis>;

/// From the larger to the smaller space. `sizes` belong to the last axes of `shape`; the call's
/// paddings, strides and dilations have as many items, or none.
Window forward_window(const KernelCall& call, at::IntArrayRef shape, const Ints& sizes);

/// Windows that move by 1 over as many positions as there are entries.
Window automatic_window(at::IntArrayRef shape, const Ints& sizes);

/// From the smaller space `shape` to the larger one, with extents `output_shape` if not empty.
Window reverse_window(const KernelCall& call, at::IntArrayRef shape, const Ints& sizes,
                      const Ints& output_shape);

/// Calls `each` for each entry of the window, in row-major order, with the elements of `padded`
/// under this entry at all window positions.
void for_each_entry(const Window& window, const at::Tensor& padded,
                    const std::function<void(int64_t entry, at::Tensor entries)>& each);

/// The paddings of all axes.
Padding paddings(const Window& window);

/// The larger space of a reverse operation: adds `part` of the input for each entry of the window.
/// The input is extended beyond its edges according to the border.
at::Tensor scatter_windows(const Window& window, const at::Tensor& input, const std::string& border,
                           const std::function<at::Tensor(int64_t entry, const at::Tensor&)>& part);

}  // namespace t2n::interp
