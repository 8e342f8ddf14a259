// What the tracer knows of a number beside its value: an expression over sizes, or that it is data.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <memory>
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
  ir::Dim expr;
  std::string origin;  ///< data: "aten::item (model.py:8)"
  at::Tensor truth;    ///< data: the tensor of one element whose truth this bool is, if it is one
  /// A bool that compares sizes (opaque): `left` `relation` `right`; "" if it is anything else.
  std::string relation = {};
  ir::Dim left = {};
  ir::Dim right = {};
};
using Shadow = std::shared_ptr<const ShadowInfo>;

/// Shadows of the elements of lists and tuples, by the container's identity, which it keeps alive.
class ContainerShadows {
 public:
  /// Empty if every element is plain.
  std::vector<Shadow> find(const c10::IValue& container) const;
  void set(const c10::IValue& container, std::vector<Shadow> elements);
  void drop(const c10::IValue& container);
  bool empty() const { return entries_.empty(); }

 private:
  struct Entry {
    c10::IValue keep;
    std::vector<Shadow> elements;
  };
  std::unordered_map<const void*, Entry> entries_;
};

/// The shadow of a scalar operation's result. `name` is "aten::add"; operands in schema order.
Shadow combine(const std::string& name, const std::vector<c10::IValue>& operands,
               const std::vector<Shadow>& shadows);

}  // namespace t2n::trace
