// SPDX-License-Identifier: Apache-2.0
#include "src/frontend/numbers/formula.h"

#include "src/diag/error.h"

namespace t2n::trace {

FormulaType type_of_number(const c10::IValue& number) {
  T2N_ASSERT(number.isInt() || number.isDouble() || number.isBool(),
             "not a number: ", number.tagKind());
  return number.isBool()  ? FormulaType::boolean
         : number.isInt() ? FormulaType::integer
                          : FormulaType::floating;
}

FormulaRef number_formula(const c10::IValue& number) {
  return std::make_shared<const Formula>(
      Formula{.type = type_of_number(number), .op = "number", .number = number});
}

FormulaRef size_formula(const ir::Dim& size, int64_t value, FormulaType type) {
  return std::make_shared<const Formula>(
      Formula{.type = type, .op = "size", .size = size, .number = value});
}

FormulaRef read_formula(const at::Tensor& tensor, int64_t version, FormulaType type) {
  return std::make_shared<const Formula>(
      Formula{.type = type, .op = "tensor", .tensor = tensor, .version = version});
}

FormulaRef operation_formula(std::string op, FormulaType type, std::vector<FormulaRef> operands) {
  return std::make_shared<const Formula>(
      Formula{.type = type, .op = std::move(op), .operands = std::move(operands)});
}

}  // namespace t2n::trace
