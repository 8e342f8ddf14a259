#include "src/nnef/walk.h"

namespace t2n::nnef {

std::vector<std::string_view> assigned_names(const Value& left) {
  std::vector<std::string_view> out;
  walk(left, [&](const Value& value) {
    if (value.kind == Kind::identifier) out.push_back(value.text);
  });
  return out;
}

}  // namespace t2n::nnef
