// SPDX-License-Identifier: Apache-2.0
#include "src/frontend/record/constants.h"

#include <vector>

#include "src/frontend/load/convert.h"

namespace t2n::trace {

std::string Constants::path_of(const at::Tensor& tensor) {
  const std::string name = names_.tensor_path(tensor);
  return name.empty() ? packed_.tensor_path(tensor, names_) : name;
}

std::string Constants::name_for_use(const at::Tensor& tensor, Location location,
                                    const std::string& use) {
  const std::string path = ir::module_path(graph_, location.scope);
  const std::string prefix = path.empty() ? "" : path + ".";
  const bool by_use = name_by_use_ && !use.empty() && tensor.dim() > 0;
  // "const_0", "const_1"…: the first one is numbered as well.
  return by_use ? naming_.unique(prefix + use) : naming_.numbered(prefix + "const_");
}

ir::ValueId Constants::add(const at::Tensor& tensor, Location location, const std::string& use) {
  const std::string path = path_of(tensor);
  ir::Tensor data = original(tensor, mapping_, pages_may_differ_);
  constexpr int64_t kSmall = 4096;
  const bool shareable = path.empty() && !tensor.is_quantized() &&
                         data.elements() * ir::dtype_size(data.dtype) <= kSmall;
  size_t hash = 0;
  if (shareable) {
    data = ir::contiguous(data);
    hash = std::hash<std::string_view>()(
        {reinterpret_cast<const char*>(data.bytes.data()), data.bytes.size()});
    const auto [begin, end] = small_.equal_range(hash);
    const std::vector<int> index = begin == end ? std::vector<int>() : ir::constant_index(graph_);
    for (auto at = begin; at != end; ++at)
      if (ir::same_values(graph_.constants[index[at->second]].data, data)) return at->second;
  }
  const std::string name =
      path.empty() ? name_for_use(tensor, location, use) : naming_.unique(path);
  const ir::ValueId value = ir::add_constant(graph_, name, std::move(data));
  graph_.values[value].quant = quant_info(tensor);
  if (shareable) small_.emplace(hash, value);
  return value;
}

}  // namespace t2n::trace
