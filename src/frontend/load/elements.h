// SPDX-License-Identifier: Apache-2.0
// The values that a value of the program contains.
#pragma once

#include <ATen/core/ivalue.h>

namespace t2n::trace {

/// Elements of lists and tuples, values of dictionaries, attributes of objects.
template <typename Visit>
void for_each_element(const c10::IValue& value, const Visit& visit) {
  if (value.isList())
    for (const c10::IValue& each : value.toListRef()) visit(each);
  else if (value.isTuple())
    for (const c10::IValue& each : value.toTupleRef().elements()) visit(each);
  else if (value.isObject())
    for (const c10::IValue& each : value.toObjectRef().slots()) visit(each);
  else if (value.isGenericDict())
    for (const auto& entry : value.toGenericDict()) visit(entry.value());
}

/// The same, with the keys of dictionaries.
template <typename Visit>
void for_each_part(const c10::IValue& value, const Visit& visit) {
  if (!value.isGenericDict()) return for_each_element(value, visit);
  for (const auto& entry : value.toGenericDict()) {
    visit(entry.key());
    visit(entry.value());
  }
}

}  // namespace t2n::trace
