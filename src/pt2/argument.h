// SPDX-License-Identifier: Apache-2.0
// Arguments and results of nodes of an exported program.
#pragma once

#include <complex>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "ir/attr.h"

namespace t2n::pt2 {

/// A tensor or number of the graph, by name.
struct ValueName {
  std::string name;
};
/// torch's codes of dtypes, layouts and memory formats in .pt2 files, which differ from its own.
struct DTypeCode {
  int64_t code = 0;
};
struct LayoutCode {
  int64_t code = 0;
};
struct MemoryFormatCode {
  int64_t code = 0;
};
struct DeviceName {
  std::string type;
};
/// An operator as an argument: "torch.ops.aten.add.Tensor".
struct OperatorName {
  std::string name;
};
/// An object of a class in C++, such as packed weights.
struct ObjectName {
  std::string name;
  std::string class_name;
};

struct Graph;

/// An argument or a result of a node.
struct Argument {
  using List = std::vector<Argument>;
  using Subgraph = std::shared_ptr<const Graph>;
  std::variant<ir::None, ValueName, bool, int64_t, double, std::complex<double>, std::string,
               DTypeCode, LayoutCode, MemoryFormatCode, DeviceName, OperatorName, ObjectName,
               Subgraph, List, std::map<std::string, Argument>>
      value;

  template <typename T>
  const T* get() const {
    return std::get_if<T>(&value);
  }
};

struct NamedArgument {
  std::string name;  ///< of the operator's schema; "" for operators without one
  Argument argument;
};

}  // namespace t2n::pt2
