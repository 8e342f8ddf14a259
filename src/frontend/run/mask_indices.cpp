// SPDX-License-Identifier: Apache-2.0
#include "src/frontend/run/mask_indices.h"

#include <algorithm>
#include <array>

#include "src/diag/one_of.h"

namespace t2n::trace {
namespace {

constexpr std::array<std::string_view, 2> kReads = {"aten::index", "aten::_unsafe_index"};
constexpr std::array<std::string_view, 5> kWrites = {
    "aten::index_put", "aten::index_put_", "aten::_index_put_impl", "aten::_index_put_impl_",
    "aten::_unsafe_index_put"};

}  // namespace

bool needs_indices(const std::string& name, const c10::IValue& indices, const Marks& marks,
                   const Recorder& recorder) {
  const bool reads = is_one_of(name, kReads);
  if (!reads && !is_one_of(name, kWrites)) return false;
  if (!indices.isList() || marks.of(indices)) return false;
  const auto list = indices.toListRef();
  const auto is_index = [](const c10::IValue& each) {
    return each.isTensor() && each.toTensor().defined();
  };
  const auto depends_on_input = [&](const c10::IValue& each) {
    return is_mask(each) && recorder.mark(each.toTensor());
  };
  const auto is_scalar_mask = [](const c10::IValue& each) {
    return is_mask(each) && each.toTensor().dim() == 0;
  };
  if (std::none_of(list.begin(), list.end(), depends_on_input) ||
      std::any_of(list.begin(), list.end(), is_scalar_mask))
    return false;
  // A number next to a mask is broadcast to the number of elements that the mask selects.
  const auto has_axes = [&](const c10::IValue& each) {
    return is_index(each) && each.toTensor().dim() > 0;
  };
  return reads ? std::count_if(list.begin(), list.end(), has_axes) > 1
               : std::count_if(list.begin(), list.end(), is_index) > 1;
}

}  // namespace t2n::trace
