// SPDX-License-Identifier: Apache-2.0
#include "src/draft/attribute.h"

namespace t2n::draft {
namespace {

template <typename List, typename Make>
nnef::Value array_of(const List& list, Make&& make) {
  nnef::Values items;
  for (const auto& item : list) items.push_back(make(item));
  return nnef::array(std::move(items));
}

nnef::Value pair_value(const std::pair<int64_t, int64_t>& pair) {
  return nnef::tuple({nnef::integer(pair.first), nnef::integer(pair.second)});
}

}  // namespace

const nnef::Value* find(const Attributes& attributes, std::string_view name) {
  for (const Attribute& attribute : attributes)
    if (attribute.name == name) return &attribute.value;
  return nullptr;
}

nnef::Value dim_value(const Dim& dim) { return nnef::dimension(ir::as_written(dim)); }

Attribute::Attribute(std::string_view key, const Ints& v)
    : Attribute(key, array_of(v, nnef::integer)) {}
Attribute::Attribute(std::string_view key, const Dim& v) : Attribute(key, dim_value(v)) {}
Attribute::Attribute(std::string_view key, const Shape& v)
    : Attribute(key, array_of(v, dim_value)) {}
Attribute::Attribute(std::string_view key, const std::vector<std::pair<int64_t, int64_t>>& v)
    : Attribute(key, array_of(v, pair_value)) {}

}  // namespace t2n::draft
