// SPDX-License-Identifier: Apache-2.0
#include "src/nnef/needed.h"

#include <algorithm>
#include <map>

#include "src/nnef/walk.h"

namespace t2n::nnef {
namespace {

/// The entries begin to end - 1 along an axis.
struct Range {
  int64_t axis, begin, end;
};
/// Ranges of a tensor; without one, the entire tensor.
using Need = std::optional<Range>;

bool is_tensor(const Value& value) {
  return value.kind == Kind::identifier || value.kind == Kind::reference;
}

bool is_elementwise(std::string_view op) {
  constexpr std::string_view kNames[] = {"add", "sub", "mul", "div",    "min",
                                         "max", "neg", "abs", "select", "tract_core_cast"};
  return std::find(std::begin(kNames), std::end(kNames), op) != std::end(kNames);
}

class Needs {
 public:
  explicit Needs(const KnownSizes& sizes) : sizes_(sizes) {}

  void add(const std::string& key, const Need& need) { needs_[key].push_back(need); }

  void visit(const Assignment& statement) {
    std::vector<Need> needs;
    walk(statement.left, [&](const Value& each) {
      if (const auto found = needs_.find(tensor_key(each));
          is_tensor(each) && found != needs_.end())
        needs.insert(needs.end(), found->second.begin(), found->second.end());
    });
    for (const Need& need : needs) visit(statement, need);
  }

  std::set<std::string> keys() const {
    std::set<std::string> out;
    for (const auto& [key, needs] : needs_) out.insert(key);
    return out;
  }

 private:
  void visit(const Assignment& statement, const Need& need) {
    const Value& call = statement.right;
    if (call.text == "slice" && slice(call, need)) return;
    if (need && call.text == "concat" && concat(call, *need)) return;
    if (need && is_elementwise(call.text)) return elementwise(statement, *need);
    require_all(call);
  }

  void require_all(const Value& value) {
    walk(value, [&](const Value& each) {
      if (is_tensor(each)) add(tensor_key(each), {});
    });
  }

  std::optional<int64_t> only_number(const Value& call, std::string_view name) const {
    const Value* list = find_argument(call, name);
    if (list == nullptr || list->items.size() != 1) return {};
    return sizes_.number(list->items[0]);
  }

  bool slice(const Value& call, const Need& need) {
    const auto axis = only_number(call, "axes"), begin = only_number(call, "begin"),
               end = only_number(call, "end");
    if (!axis || !begin || !end || *end == 0 || find_argument(call, "stride") != nullptr)
      return false;
    Range read{*axis, *begin, *end};
    if (need && need->axis == *axis)
      read = {*axis, *begin + need->begin, std::min(*end, *begin + need->end)};
    if (read.begin < read.end) add(tensor_key(call.arguments[0].value), read);
    return true;
  }

  bool concat(const Value& call, const Range& need) {
    const Value* axis = find_argument(call, "axis");
    const auto number = axis == nullptr ? std::nullopt : sizes_.number(*axis);
    if (!number) return false;
    int64_t offset = 0;
    for (const Value& part : call.arguments[0].value.items) {
      if (*number != need.axis) {
        require(part, need);
        continue;
      }
      const auto shape = is_tensor(part) ? sizes_.shape(part) : std::nullopt;
      if (!shape || static_cast<size_t>(need.axis) >= shape->size()) return false;
      const int64_t size = shape->at(need.axis);
      const Range read{need.axis, std::max<int64_t>(need.begin - offset, 0),
                       std::min(need.end - offset, size)};
      if (read.begin < read.end) require(part, read);
      offset += size;
    }
    return true;
  }

  /// An operand with another size along the axis is broadcast.
  void elementwise(const Assignment& statement, const Range& need) {
    const auto result = sizes_.shape(statement.left);
    for (const Argument& argument : statement.right.arguments) {
      const auto shape = is_tensor(argument.value) ? sizes_.shape(argument.value) : std::nullopt;
      const bool is_aligned = result && shape && shape->size() == result->size() &&
                              static_cast<size_t>(need.axis) < shape->size() &&
                              shape->at(need.axis) == result->at(need.axis);
      if (is_aligned)
        require(argument.value, need);
      else
        require_all(argument.value);
    }
  }

  void require(const Value& value, const Range& need) {
    if (is_tensor(value))
      add(tensor_key(value), need);
    else
      require_all(value);
  }

  const KnownSizes& sizes_;
  std::map<std::string, std::vector<Need>> needs_;
};

}  // namespace

std::string tensor_key(const Value& tensor) {
  return tensor.kind == Kind::reference ? "#" + std::to_string(tensor.integer) : tensor.text;
}

std::set<std::string> needed_tensors(std::span<const Assignment> body,
                                     const std::vector<std::string>& results,
                                     const KnownSizes& sizes) {
  Needs needs(sizes);
  for (const std::string& result : results) needs.add(result, {});
  for (auto statement = body.rbegin(); statement != body.rend(); ++statement)
    needs.visit(*statement);
  return needs.keys();
}

}  // namespace t2n::nnef
