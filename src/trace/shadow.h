// What the tracer knows of a number beside its value: an expression over sizes, or that it is data.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "ir/graph.h"

namespace t2n::trace {

/// Null for a plain number: the same whatever the inputs hold.
struct ShadowInfo {
  enum class Kind {
    size,    ///< `expr` over symbols of sizes
    opaque,  ///< computed from sizes in a way that `expr` cannot say
    data,    ///< read from the values of a tensor
  };
  Kind kind = Kind::size;
  ir::Dim expr;        ///< opaque: a sum of what it was computed from
  std::string origin;  ///< data: "aten::item (model.py:8)"
  at::Tensor truth;    ///< data: the tensor of one element whose truth this bool is, if it is one
  std::optional<ir::Comparison> comparison = {};  ///< a bool that compares sizes (opaque)
  /// Follows from the number of a turn of a loop that is recorded as a scan, and not as `expr`
  /// says.
  bool of_turn = false;
};
using Shadow = std::shared_ptr<const ShadowInfo>;

/// Shadows of the elements of lists and tuples, by the container's identity, which it keeps alive.
class ContainerShadows {
 public:
  /// Empty if every element is plain.
  std::vector<Shadow> find(const c10::IValue& container) const;
  void set(const c10::IValue& container, std::vector<Shadow> elements);
  void drop(const c10::IValue& container);
  /// What the length of a list follows from; null if it is always the same.
  Shadow length(const c10::IValue& list) const;
  void set_length(const c10::IValue& list, Shadow length);
  bool empty() const { return entries_.empty(); }

 private:
  struct Entry {
    c10::IValue keep;
    std::vector<Shadow> elements;
  };
  std::unordered_map<const void*, Entry> entries_;
  std::unordered_map<const void*, std::pair<c10::IValue, Shadow>> lengths_;
};

/// A number that is `expr`.
Shadow size_of(ir::Dim expr);
/// The symbol of the turn of a loop stands in it.
bool depends_on_turn(const Shadow& shadow);

/// The shadow of a scalar operation's result. `name` is "aten::add"; operands in schema order.
Shadow combine(const std::string& name, const std::vector<c10::IValue>& operands,
               const std::vector<Shadow>& shadows);

}  // namespace t2n::trace
