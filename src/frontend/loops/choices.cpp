// SPDX-License-Identifier: Apache-2.0
#include "src/frontend/loops/choices.h"

#include "src/diag/error.h"
#include "src/frontend/numbers/data_rules.h"

namespace t2n::trace {
namespace {

/// True for a plain value that is equal in both branches, so that no select is needed.
bool is_same_value(const Marks& marks, const c10::IValue& a, const c10::IValue& b) {
  if (marks.of(a) || marks.of(b)) return false;
  if (a.isTensor() || b.isTensor())
    return a.isTensor() && b.isTensor() && a.toTensor().is_same(b.toTensor());
  return are_identical(a, b) || ((is_container(a) || a.isObject()) && a.is(b));
}

bool is_defined(const c10::IValue& value) { return value.isTensor() && value.toTensor().defined(); }

bool is_uninitialized(const c10::IValue& value) { return value.tagKind() == "Uninitialized"; }

std::string shape_of(const at::Tensor& tensor) {
  std::string out = "[";
  for (const int64_t size : tensor.sizes()) out += cat(out.size() > 1 ? ", " : "", size);
  return out + "]";
}

std::string value_kind(const c10::IValue& value) {
  if (value.isNone()) return "None";
  if (value.isTensor()) return "a tensor";
  return is_container(value) ? "a list or dictionary" : value.isObject() ? "an object" : "a value";
}

/// Adds the tensors in a value that selects have chosen.
void add_choices(const c10::IValue& chosen, const c10::IValue& yes, const c10::IValue& no,
                 std::vector<AliasTable::Choice>& out) {
  if (chosen.isTuple() && yes.isTuple() && no.isTuple()) {
    for (size_t i = 0; i < chosen.toTupleRef().elements().size(); ++i)
      add_choices(chosen.toTupleRef().elements()[i], yes.toTupleRef().elements()[i],
                  no.toTupleRef().elements()[i], out);
  } else if (is_defined(chosen) && is_defined(yes) && is_defined(no) &&
             !chosen.toTensor().is_same(yes.toTensor())) {
    out.push_back({chosen.toTensor(), yes.toTensor(), no.toTensor()});
  }
}

/// Why no select can choose between two tensors; empty if one can.
std::string reason_of(const Recorder& recorder, const at::Tensor& a, const at::Tensor& b) {
  if (a.is_quantized() || b.is_quantized())
    return "torch.where takes no quantised tensors: let both branches return "
           "their dequantize()d values";
  if (a.is_sparse() || b.is_sparse())
    return "torch.where takes no sparse tensors: let both branches return "
           "their products, or to_dense()";
  if (a.scalar_type() != b.scalar_type())
    return cat("its branches give tensors of types ", a.scalar_type(), " and ", b.scalar_type());
  if (a.sizes() != b.sizes())
    return cat("its branches give tensors of shapes ", shape_of(a), " and ", shape_of(b));
  if (recorder.aliases().has_dynamic_shape({a, b}))
    return "its branches give tensors whose sizes depend on values";
  return {};
}

FormulaRef truth_or_number(const c10::IValue& number) {
  const Mark mark = mark_of(number);
  return truth_of(mark) ? truth_of(mark) : formula_of(number);
}

}  // namespace

OrReason<c10::IValue> Choices::choose(const Mark& condition, bool taken, const c10::IValue& yes,
                                      const c10::IValue& no) {
  // A value that one branch leaves unset is not read after it.
  if (is_uninitialized(yes)) return no;
  if (is_uninitialized(no) || is_same_value(marks_, yes, no)) return yes;
  const c10::IValue& current = taken ? yes : no;
  if (is_number(yes) && is_number(no)) {
    const FormulaRef choice =
        choice_formula(data_formula(condition), truth_or_number(yes), truth_or_number(no));
    if (choice) return marked(current, data_mark(origin_of(condition), choice));
    return marks_.tainted(current, data_mark(origin_of(condition)), "a branch");
  }
  if (yes.isString() && no.isString())
    return marks_.tainted(current, data_mark(origin_of(condition)), "a branch");
  if (yes.isTuple() && no.isTuple() &&
      yes.toTupleRef().elements().size() == no.toTupleRef().elements().size()) {
    std::vector<c10::IValue> elements;
    for (size_t i = 0; i < yes.toTupleRef().elements().size(); ++i) {
      auto each =
          choose(condition, taken, yes.toTupleRef().elements()[i], no.toTupleRef().elements()[i]);
      if (std::holds_alternative<Reason>(each)) return each;
      elements.push_back(std::get<c10::IValue>(std::move(each)));
    }
    return tuple_like(yes, std::move(elements));
  }
  if (!is_defined(yes) || !is_defined(no))
    return Reason{cat("its branches give ", value_kind(yes), " and ", value_kind(no))};
  const std::string reason = reason_of(computed_.recorder(), yes.toTensor(), no.toTensor());
  if (!reason.empty()) return Reason{reason};
  return c10::IValue(computed_.recorded("aten::where", "self",
                                        {computed_.computed(*data_formula(condition)), yes, no}));
}

void Choices::forbid_writes(const Values& chosen, const Values& yes, const Values& no,
                            size_t roots_before) {
  std::vector<AliasTable::Choice> choices;
  std::vector<at::Tensor> operands;
  for (size_t i = 0; i < chosen.size(); ++i) {
    add_choices(chosen[i], yes[i], no[i], choices);
    for (const c10::IValue& each : {yes[i], no[i]})
      for (at::Tensor& tensor : tensors_in(each)) operands.push_back(std::move(tensor));
  }
  computed_.recorder().aliases().forbid_writes(choices, operands, roots_before);
}

bool Choices::require_ended(const FormulaRef& ended, const Mark& mark, const c10::IValue& before,
                            c10::IValue& value) {
  const at::Tensor mask = computed_.recorded("aten::reshape", "",
                                             {computed_.computed(*ended), std::vector<int64_t>{1}});
  const auto selected = [&](const at::Tensor& tensor) {
    const at::Tensor row = computed_.recorded("aten::unsqueeze", "", {tensor, 0});
    c10::List<std::optional<at::Tensor>> rows;
    rows.push_back(mask);
    const at::Tensor kept = computed_.recorded("aten::index", "Tensor", {row, rows});
    return computed_.recorded("aten::select", "int", {kept, 0, 0});
  };
  if (is_defined(value)) {
    if (!value.is(before)) value = selected(value.toTensor());
    return true;
  }
  if (!is_read(value)) return is_number(value) && !mark_of(value);
  const c10::IValue number = unmarked(value);
  const at::Tensor tensor = selected(computed_.computed(*data_formula(mark_of(value))));
  value =
      marked(number, data_mark(origin_of(mark),
                               read_formula(tensor, computed_.recorder().aliases().version(tensor),
                                            type_of_number(number))));
  return true;
}

}  // namespace t2n::trace
