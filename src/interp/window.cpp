// SPDX-License-Identifier: Apache-2.0
#include "src/interp/window.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <algorithm>

#include "src/diag/error.h"
#include "src/interp/border.h"

namespace t2n::interp {
namespace {

/// A limit for sizes, strides, dilations and paddings: products of two fit into 64 bits.
constexpr int64_t kLargest = int64_t{1} << 30;

/// A limit for the entries of a window; each of them is an iteration.
constexpr int64_t kMostEntries = int64_t{1} << 22;

Ints per_axis(const KernelCall& call, std::string_view name, size_t count) {
  Ints out = call.ints(name);
  if (out.empty()) out.resize(count, 1);
  if (out.size() != count)
    fail(cat(quoted(name), " has ", out.size(), " items for ", count, " axes"));
  for (const int64_t item : out)
    if (item < 1 || item > kLargest) fail(cat(quoted(name), " holds ", item));
  return out;
}

/// Everything except extents and paddings; axes before those of `sizes` have windows of size 1.
Window shaped(const KernelCall& call, at::IntArrayRef shape, const Ints& sizes) {
  if (sizes.size() > shape.size())
    fail(cat("a window of ", sizes.size(), " axes for a tensor of ", shape.size()));
  Window window(shape.size());
  const Ints stride = per_axis(call, "stride", sizes.size());
  const Ints dilation = per_axis(call, "dilation", sizes.size());
  const size_t first = shape.size() - sizes.size();
  for (size_t at = 0; at < sizes.size(); ++at) {
    if (sizes[at] < 1 || sizes[at] > kLargest) fail(cat("a window of ", shape_text(sizes)));
    window[first + at].size = sizes[at];
    window[first + at].stride = stride[at];
    window[first + at].dilation = dilation[at];
  }
  return window;
}

/// Reads the paddings. False if there are none; then they depend on the extents.
bool read_paddings(const KernelCall& call, Window& window, size_t count) {
  const auto pairs = call.pairs("padding");
  if (pairs.empty()) return false;
  if (pairs.size() != count)
    fail(cat("'padding' has ", pairs.size(), " items for ", count, " axes"));
  for (size_t at = 0; at < count; ++at) {
    WindowAxis& axis = window[window.size() - count + at];
    axis.before = pairs[at].first;
    axis.after = pairs[at].second;
    for (const int64_t padding : {axis.before, axis.after})
      if (padding < -kLargest || padding > kLargest) fail(cat("'padding' holds ", padding));
  }
  return true;
}

void pad_automatically(WindowAxis& axis) {
  const int64_t total =
      std::max<int64_t>((axis.smaller - 1) * axis.stride + axis.extent() - axis.larger, 0);
  axis.before = total / 2;
  axis.after = total - total / 2;
}

int64_t position_count(const WindowAxis& axis) {
  const int64_t room = axis.before + axis.larger + axis.after - axis.extent();
  if (room < 0) fail(cat("a window of ", axis.extent(), " does not fit ", axis.larger));
  return room / axis.stride + 1;
}

/// Computes the larger extent of a reverse operation without `output_shape`.
void enlarge(WindowAxis& axis, bool has_padding) {
  const int64_t full = (axis.smaller - 1) * axis.stride + axis.extent();
  if (!has_padding) {
    axis.larger = axis.smaller * axis.stride;
    pad_automatically(axis);
  }
  axis.larger = full - axis.before - axis.after;
}

/// For a given `larger`, which must be consistent with the smaller extent.
void fit(WindowAxis& axis, bool has_padding) {
  if (!has_padding) pad_automatically(axis);
  const int64_t implied =
      has_padding ? position_count(axis) : (axis.larger + axis.stride - 1) / axis.stride;
  if (implied != axis.smaller)
    fail(cat("an output of ", axis.larger, " would come from ", implied, ", not from ",
             axis.smaller));
}

at::Tensor entry_part(const Window& window, const at::Tensor& padded, const Ints& entry) {
  at::Tensor part = padded;
  for (size_t at = 0; at < window.size(); ++at) {
    const WindowAxis& axis = window[at];
    const int64_t begin = entry[at] * axis.dilation;
    const int64_t end = begin + (axis.smaller - 1) * axis.stride + 1;
    part = part.slice(static_cast<int64_t>(at), begin, end, axis.stride);
  }
  return part;
}

/// The next entry in row-major order; false after the last.
bool advance(const Window& window, Ints& entry) {
  for (size_t at = window.size(); at-- > 0;) {
    if (++entry[at] < window[at].size) return true;
    entry[at] = 0;
  }
  return false;
}

/// The number of entries beyond an edge that affect the output.
int64_t reach(const WindowAxis& axis) { return (axis.extent() + axis.stride - 1) / axis.stride; }

}  // namespace

Window forward_window(const KernelCall& call, at::IntArrayRef shape, const Ints& sizes) {
  Window window = shaped(call, shape, sizes);
  const bool has_padding = read_paddings(call, window, sizes.size());
  for (size_t at = 0; at < window.size(); ++at) {
    WindowAxis& axis = window[at];
    axis.larger = shape[at];
    axis.smaller = (axis.larger + axis.stride - 1) / axis.stride;
    if (!has_padding) pad_automatically(axis);
    if (has_padding) axis.smaller = position_count(axis);
  }
  return window;
}

Window automatic_window(at::IntArrayRef shape, const Ints& sizes) {
  Window window(shape.size());
  for (size_t at = 0; at < window.size(); ++at) {
    window[at].size = sizes[at];
    window[at].larger = window[at].smaller = shape[at];
    pad_automatically(window[at]);
  }
  return window;
}

Window reverse_window(const KernelCall& call, at::IntArrayRef shape, const Ints& sizes,
                      const Ints& output_shape) {
  Window window = shaped(call, shape, sizes);
  const bool has_padding = read_paddings(call, window, sizes.size());
  if (output_shape.size() > window.size())
    fail(cat("'output_shape' has ", output_shape.size(), " items for ", window.size(), " axes"));
  const size_t first = window.size() - output_shape.size();
  for (size_t at = 0; at < window.size(); ++at) {
    window[at].smaller = shape[at];
    const bool has_shape = !output_shape.empty() && at >= first;
    if (has_shape) window[at].larger = output_shape[at - first];
    if (window[at].larger < 0 || window[at].larger > kLargest)
      fail(cat("'output_shape' holds ", window[at].larger));
    has_shape ? fit(window[at], has_padding) : enlarge(window[at], has_padding);
  }
  return window;
}

void for_each_entry(const Window& window, const at::Tensor& padded,
                    const std::function<void(int64_t entry, at::Tensor entries)>& each) {
  int64_t entries = 1;
  for (const WindowAxis& axis : window)
    if (__builtin_mul_overflow(entries, std::max<int64_t>(axis.size, 1), &entries) ||
        entries > kMostEntries)
      throw Error("nnef-limit", cat("a window of more than ", kMostEntries, " entries"),
                  "each of them is computed separately");
  Ints entry(window.size(), 0);
  int64_t number = 0;
  do {
    each(number++, entry_part(window, padded, entry));
  } while (advance(window, entry));
}

Padding paddings(const Window& window) {
  Padding out;
  for (const WindowAxis& axis : window) out.emplace_back(axis.before, axis.after);
  return out;
}

at::Tensor scatter_windows(
    const Window& window, const at::Tensor& input, const std::string& border,
    const std::function<at::Tensor(int64_t entry, const at::Tensor&)>& part) {
  const bool is_extended = border != "constant" && border != "ignore";
  Window wide = window;
  Padding around;
  Padding crop;
  Ints full;
  for (WindowAxis& axis : wide) {
    const int64_t more = is_extended && axis.size > 1 ? reach(axis) : 0;
    around.emplace_back(more, more);
    axis.smaller += 2 * more;
    full.push_back((axis.smaller - 1) * axis.stride + axis.extent());
    const int64_t begin = more * axis.stride + axis.before;
    crop.emplace_back(-begin, axis.larger + begin - full.back());
  }
  const at::Tensor source = is_extended ? extended(input, around, border) : input;
  const at::Tensor sum = at::zeros(full, input.options());
  for_each_entry(wide, sum,
                 [&](int64_t entry, at::Tensor entries) { entries += part(entry, source); });
  return extended(sum, crop, "constant");
}

}  // namespace t2n::interp
