// Numbers as operations that a graph can compute.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <memory>
#include <string>
#include <vector>

#include "ir/graph.h"

namespace t2n::trace {

struct Formula;
using FormulaRef = std::shared_ptr<const Formula>;

/// A number over sizes and over values that were read from tensors. It has no cycles, but parts may
/// be shared.
struct Formula {
  /// As Python has them; computed in f64, i64 and bool.
  enum class Type { real, whole, truth };
  Type type = Type::real;
  /// "size", "number", "tensor", or the short name of an operation of torch: "div", "sqrt".
  std::string op;
  ir::Dim size = {};        ///< of "size"
  c10::IValue number = {};  ///< of "number"; of "size" what it is in this run
  at::Tensor tensor = {};   ///< of "tensor": of one element
  int64_t version = 0;      ///< of its memory when it was read
  std::vector<FormulaRef> operands = {};
  /// What the graph computes, where all that follows may read it.
  mutable at::Tensor computed = {};
};

using FormulaType = Formula::Type;

FormulaType type_of_number(const c10::IValue& number);
/// A number of the program.
FormulaRef number_formula(const c10::IValue& number);
/// An integer over sizes; `type`: what it is taken for.
FormulaRef size_formula(const ir::Dim& size, int64_t now, FormulaType type);
/// What was read from a tensor of one element.
FormulaRef read_formula(const at::Tensor& tensor, int64_t version, FormulaType type);
FormulaRef operation_formula(std::string op, FormulaType type, std::vector<FormulaRef> operands);

}  // namespace t2n::trace
