// SPDX-License-Identifier: Apache-2.0
// Interning of operation names, and the base name and short name of each.
#include "ir/op_registry.h"

#include <deque>
#include <unordered_map>

namespace t2n::ir {
namespace {

/// Public names of torch's private forms. `_convolution` has any rank; its name alone implies 2-d.
const std::unordered_map<std::string_view, std::string_view>& public_names() {
  static const std::unordered_map<std::string_view, std::string_view> names = {
      {"_adaptive_avg_pool2d", "adaptive_avg_pool2d"},
      {"_adaptive_avg_pool3d", "adaptive_avg_pool3d"},
      {"_batch_norm_impl_index", "batch_norm"},
      {"_convolution", "conv2d"},
      {"_convolution_mode", "conv2d"},
      {"_log_softmax", "log_softmax"},
      {"_native_batch_norm_legit", "batch_norm"},
      {"_native_batch_norm_legit_no_training", "batch_norm"},
      {"_reshape_alias", "reshape"},
      {"_scaled_dot_product_flash_attention_for_cpu", "scaled_dot_product_attention"},
      {"_scaled_dot_product_attention_math", "scaled_dot_product_attention"},
      {"_softmax", "softmax"},
      {"_to_copy", "to"},
      {"_unsafe_view", "view"},
      {"_weight_norm", "weight_norm"},
      {"_weight_norm_interface", "weight_norm"},
      {"__and__", "bitwise_and"},
      {"__lshift__", "bitwise_left_shift"},
      {"__or__", "bitwise_or"},
      {"__rshift__", "bitwise_right_shift"},
      {"__xor__", "bitwise_xor"},
      {"convolution", "conv2d"},
      {"cudnn_batch_norm", "batch_norm"},
      {"native_batch_norm", "batch_norm"},
      {"native_dropout", "dropout"},
      {"native_group_norm", "group_norm"},
      {"native_layer_norm", "layer_norm"}};
  return names;
}

/// Names of in-place forms (`add_`) without '_'; Python's own operators (`__and__`) stay.
std::string_view without_inplace(std::string_view base) {
  const bool inplace = base.size() > 1 && base.ends_with('_') && !base.ends_with("__");
  return inplace ? base.substr(0, base.size() - 1) : base;
}

struct Names {
  std::deque<std::string> texts;  ///< a deque keeps the references in `ids` valid
  std::unordered_map<std::string_view, OpId> ids;
};

Names& names() {
  static Names all;
  return all;
}

}  // namespace

OpId op_id(std::string_view name) {
  Names& all = names();
  if (const auto found = all.ids.find(name); found != all.ids.end()) return found->second;
  const auto op = static_cast<OpId>(all.texts.size());
  all.ids.emplace(all.texts.emplace_back(name), op);
  return op;
}

std::string_view op_name(OpId op) {
  const Names& all = names();
  T2N_ASSERT(op >= 0 && op < op_count(), "no operation has the number ", op);
  return all.texts[op];
}

OpId op_count() { return static_cast<OpId>(names().texts.size()); }

std::string_view op_base_name(std::string_view name) {
  if (const size_t colon = name.rfind("::"); colon != std::string_view::npos)
    name.remove_prefix(colon + 2);
  return name.substr(0, name.find('.'));
}

std::string_view op_base_name(OpId op) { return op_base_name(op_name(op)); }

std::string_view op_short_name(std::string_view name) {
  const std::string_view base = op_base_name(name);
  const auto found = public_names().find(base);
  return found != public_names().end() ? found->second : without_inplace(base);
}

std::string_view op_short_name(OpId op) { return op_short_name(op_name(op)); }

}  // namespace t2n::ir
