// SPDX-License-Identifier: Apache-2.0
#include "src/frontend/run/sparse_tensors.h"

#include <ATen/Functions.h>

#include <array>

#include "src/diag/error.h"
#include "src/diag/one_of.h"

namespace t2n::trace {
namespace {

using torch::jit::Stack;

constexpr const char* kSparseHelp =
    "call to_dense() first, or compute from the entries: torch.zeros(n, x.shape[1]).index_add(0, "
    "rows, values[:, None] * x[columns])";

[[noreturn]] void refuse_sparse(const std::string& what, const std::string& why) {
  throw Error("unsupported-op", what, why, kSparseHelp);
}

[[noreturn]] void refuse_operator(const std::string& name) {
  refuse_sparse(
      cat(name, " of a sparse tensor cannot be exported"),
      "the supported operations are products of a sparse matrix with a dense one, sums of two or "
      "along an axis, coalesce(), t() and to_dense()");
}

bool holds_numbers(at::ScalarType type) {
  return at::isFloatingType(type) || at::isIntegralType(type, false);
}

/// Queries of the operand's kind, or of the number of its axes.
bool is_kind_query(const std::string& name) {
  constexpr std::array<std::string_view, 10> kNames = {
      "aten::dim",           "prim::dtype",
      "prim::device",        "prim::layout",
      "prim::is_sparse",     "prim::is_cuda",
      "prim::is_sparse_csr", "aten::sparse_dim",
      "aten::dense_dim",     "aten::is_floating_point"};
  return is_one_of(name, kNames);
}

bool is_number_one(const c10::IValue& value) {
  return !mark_of(value) && value.isScalar() && value.toScalar().toDouble() == 1;
}

bool is_product(const std::string& name, const Stack& inputs) {
  constexpr std::array<std::string_view, 4> kNames = {"aten::mm", "aten::matmul",
                                                      "aten::_sparse_mm", "aten::mv"};
  return is_one_of(name, kNames) && inputs.size() == 2 && inputs[0].isTensor() &&
         inputs[1].isTensor();
}

bool is_sum_with_product(const std::string& name, const Stack& inputs) {
  return (name == "aten::addmm" || name == "aten::_sparse_addmm") && inputs.size() == 5;
}

c10::impl::GenericList listed(const std::vector<c10::IValue>& numbers) {
  c10::impl::GenericList out(c10::IntType::get());
  for (const c10::IValue& each : numbers) out.push_back(each);
  return out;
}

bool transposes(const std::string& name, const Stack& inputs) {
  if (name == "aten::t" || name == "aten::numpy_T") return true;
  if (name != "aten::transpose" || inputs.size() != 3 || mark_of(inputs[1]) || mark_of(inputs[2]))
    return false;
  return inputs[1].isInt() && inputs[2].isInt() && (inputs[1].toInt() - inputs[2].toInt()) % 2 != 0;
}

/// Whether a graph can use the numbers as a size.
bool are_sizes(c10::ArrayRef<c10::IValue> numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](const c10::IValue& each) {
    return !mark_of(each) || is_size(mark_of(each));
  });
}

/// Whether the operation multiplies, or divides, all elements by one number.
bool scales(const std::string& name, const Stack& inputs) {
  if ((name != "aten::mul" && name != "aten::div") || inputs.size() != 2) return false;
  return inputs[1].isTensor() ? !inputs[1].toTensor().is_sparse() && inputs[1].toTensor().dim() == 0
                              : inputs[1].isScalar() && !mark_of(inputs[1]);
}

bool adds_sparse(const std::string& name, const Stack& inputs) {
  return name == "aten::add" && inputs.size() == 3 && inputs[1].isTensor() &&
         inputs[1].toTensor().is_sparse() && is_number_one(inputs[2]);
}

/// Whether the operation returns the same tensor, possibly with another element type.
bool converts(const std::string& name) {
  constexpr std::array<std::string_view, 5> kNames = {"aten::to", "aten::cpu", "aten::clone",
                                                      "aten::type_as", "aten::detach"};
  return is_one_of(name, kNames);
}

/// The axis that a sum reduces; -1 unless there is exactly one.
int64_t summed_axis(const std::string& name, const Stack& inputs, size_t rank) {
  if (name != "aten::sum" || inputs.size() != 4 || !inputs[1].isIntList()) return -1;
  const auto axes = inputs[1].toIntVector();
  if (axes.size() != 1 || inputs[2].toBool() || !inputs[3].isNone()) return -1;
  return axes[0] < 0 ? axes[0] + static_cast<int64_t>(rank) : axes[0];
}

/// The transpose. LibTorch's t() fails for tensors created outside of inference mode, such as those
/// of a model.
at::Tensor transposed(const at::Tensor& matrix) {
  return at::_sparse_coo_tensor_unsafe(matrix._indices().flip(0), matrix._values(),
                                       {matrix.size(1), matrix.size(0)});
}

}  // namespace

const SparseTensors::Entries& SparseTensors::keep(const at::Tensor& tensor, Entries entries) {
  entries.tensor = tensor;
  return known_.insert_or_assign(tensor.unsafeGetTensorImpl(), std::move(entries)).first->second;
}

/// A tensor of the model: its entries are two constants.
const SparseTensors::Entries& SparseTensors::constant(const at::Tensor& tensor) {
  const std::vector<PackedPart>& parts = recorder_->packed().entries(tensor);
  Entries out{tensor, parts.at(0).value.toTensor(), parts.at(1).value.toTensor(), {}, false, 0, 0};
  for (const int64_t each : tensor.sizes()) out.size.emplace_back(each);
  return keep(tensor, std::move(out));
}

const SparseTensors::Entries* SparseTensors::find(const c10::IValue& value) {
  if (!value.isTensor() || !value.toTensor().defined() || !value.toTensor().is_sparse())
    return nullptr;
  const at::Tensor& tensor = value.toTensor();
  const auto found = known_.find(tensor.unsafeGetTensorImpl());
  if (found != known_.end()) return &found->second;
  return recorder_->aliases().knows(tensor) ? nullptr : &constant(tensor);
}

std::optional<c10::IValue> SparseTensors::run(const Operation& operation, const Stack& inputs) {
  const std::string& name = operation.op->schema().name();
  if (recorder_ == nullptr) return {};
  if (name == "aten::sparse_coo_tensor") return create(operation, inputs);
  if (name == "aten::len" && inputs[0].isList()) return {};
  const Entries* source = nullptr;
  for (const c10::IValue& input : inputs)
    for (const at::Tensor& each : flatten_tensors(input))
      if (const Entries* const entries = find(each); source == nullptr) source = entries;
  if (source == nullptr || is_kind_query(name)) return {};
  if (auto result = apply(operation, inputs, *source)) return result;
  refuse_operator(name);
}

at::Tensor SparseTensors::computed(const Operation& operation, const Stack& inputs) const {
  Stack stack;
  for (const c10::IValue& input : inputs) stack.push_back(marks_.without(input));
  operations_.execute(operation, stack);
  return stack.at(0).toTensor();
}

c10::IValue SparseTensors::create(const Operation& operation, const Stack& inputs) {
  const auto refuse = [](const char* why) {
    refuse_sparse("this construction of a sparse tensor cannot be exported", why);
  };
  if (operation.op->schema().overload_name() != "indices_size")
    refuse("it has no size argument: torch uses the largest index, which depends on data");
  if (marks_.of(inputs[2]) || !are_sizes(inputs[2].toListRef()))
    refuse("its size is not an expression over sizes");
  const at::Tensor result = computed(operation, inputs);
  const at::Tensor indices = inputs[0].toTensor(), values = inputs[1].toTensor();
  const bool is_plain =
      values.scalar_type() == result.scalar_type() && holds_numbers(values.scalar_type());
  if (!is_plain) refuse("its values are complex or boolean, or are converted to another type");
  // Recorded now, so that later writes to them are detected.
  recorder_->value(indices, position_.location());
  recorder_->value(values, position_.location());
  Entries out{result,
              indices,
              values,
              {},
              false,
              recorder_->aliases().version(indices),
              recorder_->aliases().version(values)};
  for (const c10::IValue& each : inputs[2].toListRef()) out.size.push_back(each);
  return keep(result, std::move(out)).tensor;
}

/// The sparse tensor shares memory with the tensors that it was created from.
void SparseTensors::refuse_written(const Entries& entries) const {
  if (recorder_->aliases().version(entries.indices) == entries.indices_version &&
      recorder_->aliases().version(entries.values) == entries.values_version)
    return;
  throw Error("unsupported-inplace",
              "the entries of a sparse tensor are written after its construction",
              "the two share memory", "write to them before, or construct it from their clone()");
}

std::optional<c10::IValue> SparseTensors::apply(const Operation& operation, const Stack& inputs,
                                                Entries entries) {
  const std::string& name = operation.op->schema().name();
  refuse_written(entries);
  const bool is_matrix = entries.size.size() == 2 && entries.values.dim() == 1;
  const bool is_first = find(inputs[0]) != nullptr;
  if (is_first && (name == "aten::size" || name == "aten::len")) return size(entries, inputs);
  if (is_first && name == "aten::to_dense" && inputs[1].isNone())
    return dense(entries, computed(operation, inputs));
  if (is_first && name == "aten::coalesce")
    return keep(computed(operation, inputs), entries).tensor;
  if (is_first && adds_sparse(name, inputs)) return joined(operation, inputs, entries);
  if (is_first && converts(name)) return converted(operation, inputs, entries);
  if (is_first && scales(name, inputs)) return scaled(operation, inputs, entries);
  if (!is_matrix) return {};
  if (const int64_t axis = is_first ? summed_axis(name, inputs, 2) : -1; axis >= 0)
    return summed(operation, inputs, entries, axis);
  if (is_first && transposes(name, inputs)) {
    entries.is_transposed = !entries.is_transposed;
    std::swap(entries.size[0], entries.size[1]);
    return keep(transposed(entries.tensor), entries).tensor;
  }
  if (is_sum_with_product(name, inputs)) return sum_with_product(operation, inputs, entries);
  if (!is_product(name, inputs) || inputs[is_first ? 1 : 0].toTensor().is_sparse()) return {};
  const at::Tensor& other = inputs[is_first ? 1 : 0].toTensor();
  if (other.dim() > 2) return {};
  const at::Tensor result = computed(operation, inputs);
  if (is_first) return product(entries, other, false, result);
  if (other.dim() != 2) return {};
  // x A is the transpose of A^T x^T, also in its memory layout.
  const at::Tensor dense_transposed = graph_.recorded("aten::t", "", {other});
  return graph_.recorded("aten::t", "",
                         {product(entries, dense_transposed, true, result.t().contiguous())});
}

at::Tensor SparseTensors::converted(const Operation& operation, const Stack& inputs,
                                    Entries entries) {
  const at::Tensor result = computed(operation, inputs);
  if (result.is_same(entries.tensor)) return result;
  const at::ScalarType type = result.scalar_type();
  if (!result.is_sparse() || !holds_numbers(type)) refuse_operator(operation.op->schema().name());
  if (type != entries.values.scalar_type()) {
    entries.values =
        graph_.recorded("aten::to", "dtype",
                        {entries.values, static_cast<int64_t>(type), false, false, c10::IValue()});
    entries.values_version = recorder_->aliases().version(entries.values);
  }
  return keep(result, std::move(entries)).tensor;
}

/// A sum has the entries of both.
at::Tensor SparseTensors::joined(const Operation& operation, const Stack& inputs, Entries entries) {
  const Entries* const other = find(inputs[1]);
  const bool is_plain = other != nullptr && entries.size.size() == other->size.size() &&
                        entries.values.scalar_type() == other->values.scalar_type() &&
                        entries.indices.size(0) == other->indices.size(0);
  if (!is_plain) refuse_operator("aten::add");
  refuse_written(*other);
  const auto both = [&](const at::Tensor& a, const at::Tensor& b, int64_t axis) {
    return graph_.recorded("aten::cat", "", {c10::List<at::Tensor>({a, b}), axis});
  };
  entries.indices = both(ordered(entries), ordered(*other), 1);
  entries.values = both(entries.values, other->values, 0);
  entries.is_transposed = false;
  entries.indices_version = recorder_->aliases().version(entries.indices);
  entries.values_version = recorder_->aliases().version(entries.values);
  return keep(computed(operation, inputs), std::move(entries)).tensor;
}

/// The indices with rows first.
at::Tensor SparseTensors::ordered(const Entries& entries) {
  return entries.is_transposed
             ? graph_.recorded("aten::flip", "", {entries.indices, std::vector<int64_t>{0}})
             : entries.indices;
}

at::Tensor SparseTensors::scaled(const Operation& operation, const Stack& inputs, Entries entries) {
  const c10::FunctionSchema& schema = operation.op->schema();
  const at::Tensor result = computed(operation, inputs);
  entries.values = graph_.recorded(schema.name().c_str(), schema.overload_name().c_str(),
                                   {entries.values, inputs[1]});
  if (entries.values.scalar_type() != result.scalar_type()) refuse_operator(schema.name());
  entries.values_version = recorder_->aliases().version(entries.values);
  return keep(result, std::move(entries)).tensor;
}

/// The sum along one axis of a matrix: a sparse vector with the same values.
at::Tensor SparseTensors::summed(const Operation& operation, const Stack& inputs, Entries entries,
                                 int64_t axis) {
  entries.indices = graph_.recorded("aten::unsqueeze", "", {index(entries, 1 - axis), 0});
  entries.indices_version = recorder_->aliases().version(entries.indices);
  entries.size = {entries.size[1 - axis]};
  entries.is_transposed = false;
  return keep(computed(operation, inputs), std::move(entries)).tensor;
}

c10::IValue SparseTensors::size(const Entries& entries, const Stack& inputs) const {
  if (inputs.size() < 2) return listed(entries.size);
  if (mark_of(inputs[1])) refuse_operator("aten::size");
  const int64_t axis = inputs[1].toInt();
  return entries.size.at(axis < 0 ? axis + static_cast<int64_t>(entries.size.size()) : axis);
}

at::Tensor SparseTensors::zeros(const std::vector<c10::IValue>& size, at::ScalarType type) {
  const c10::IValue none;
  return graph_.recorded("aten::zeros", "",
                         {listed(size), static_cast<int64_t>(type), none, none, none});
}

at::Tensor SparseTensors::index(const Entries& entries, int64_t axis) {
  return graph_.recorded("aten::select", "int",
                         {entries.indices, 0, entries.is_transposed ? 1 - axis : axis});
}

/// Records an operation whose result torch computed in another way.
at::Tensor SparseTensors::recorded(const char* name, const char* overload, const Stack& inputs,
                                   const at::Tensor& result) const {
  const auto op = torch::jit::findOperatorFor(c10::OperatorName(name, overload));
  T2N_ASSERT(op, "no operator ", name, ".", overload);
  const Run run = make_run(op->getOperation());
  recorder_->record(recorder_->prepare(*op, run, inputs, marks_, position_.location()), {result});
  return result;
}

at::Tensor SparseTensors::product(const Entries& entries, const at::Tensor& dense,
                                  bool is_transposed, const at::Tensor& result) {
  const int64_t row = is_transposed ? 1 : 0;
  const at::Tensor rows = index(entries, row), columns = index(entries, 1 - row);
  const at::Tensor gathered = graph_.recorded("aten::index_select", "", {dense, 0, columns});
  at::Tensor factors = entries.values;
  std::vector<c10::IValue> shape = {entries.size[row]};
  if (dense.dim() == 2) {
    factors = graph_.recorded("aten::unsqueeze", "", {factors, 1});
    shape.push_back(marked(dense.size(1), numbers_.axis_mark(dense, 1)));
  }
  const at::Tensor terms = graph_.recorded("aten::mul", "Tensor", {gathered, factors});
  const at::Tensor base = zeros(shape, result.scalar_type());
  return recorded("aten::index_add", "", {base, 0, rows, terms, 1}, result);
}

at::Tensor SparseTensors::dense(const Entries& entries, const at::Tensor& result) {
  const at::Tensor base = zeros(entries.size, result.scalar_type());
  c10::List<std::optional<at::Tensor>> indices;
  for (int64_t axis = 0; axis < entries.indices.size(0); ++axis)
    indices.push_back(index(entries, axis));
  return recorded("aten::index_put", "", {base, indices, entries.values, true}, result);
}

at::Tensor SparseTensors::sum_with_product(const Operation& operation, const Stack& inputs,
                                           const Entries& entries) {
  const std::string& name = operation.op->schema().name();
  const at::Tensor other = inputs[2].toTensor();
  const bool is_plain = find(inputs[1]) != nullptr && !inputs[0].toTensor().is_sparse() &&
                        !other.is_sparse() && other.dim() == 2;
  if (!is_plain || !is_number_one(inputs[3]) || !is_number_one(inputs[4])) refuse_operator(name);
  const at::Tensor result = computed(operation, inputs);
  const at::Tensor part = product(entries, other, false, at::mm(entries.tensor, other));
  return recorded("aten::add", "Tensor", {inputs[0], part, 1}, result);
}

}  // namespace t2n::trace
