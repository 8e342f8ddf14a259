#include "src/trace/guards.h"

#include <ATen/Functions.h>
#include <ATen/core/jit_type.h>
#include <torch/csrc/jit/runtime/operator.h>
#include <torch/csrc/jit/runtime/print_handler.h>

#include <algorithm>
#include <limits>
#include <sstream>

#include "src/diag/error.h"
#include "src/trace/allowed.h"
#include "src/trace/operators.h"

namespace t2n::trace {
namespace {

using torch::jit::Operator;
using torch::jit::Stack;

/// The operands of a call, by the names of the schema.
class Operands {
 public:
  Operands(const c10::FunctionSchema& schema, const Stack& stack)
      : schema_(schema),
        first_(stack.size() >= schema.arguments().size() ? stack.size() - schema.arguments().size()
                                                         : stack.size()),
        stack_(stack) {}

  /// nullptr if the overload has no such operand, or it is None.
  const c10::IValue* find(std::string_view name) const {
    for (size_t i = 0; i < schema_.arguments().size() && first_ + i < stack_.size(); ++i)
      if (schema_.arguments()[i].name() == name)
        return stack_[first_ + i].isNone() ? nullptr : &stack_[first_ + i];
    return nullptr;
  }
  /// Undefined if there is none.
  at::Tensor tensor(std::string_view name) const {
    const c10::IValue* value = find(name);
    return value != nullptr && value->isTensor() ? value->toTensor() : at::Tensor();
  }
  int64_t integer(std::string_view name, int64_t otherwise) const {
    const c10::IValue* value = find(name);
    return value != nullptr && value->isInt() ? value->toInt() : otherwise;
  }
  std::vector<int64_t> integers(std::string_view name) const {
    const c10::IValue* value = find(name);
    if (value == nullptr) return {};
    if (value->isIntList()) return value->toIntVector();
    if (value->isTensor() && value->toTensor().defined()) {
      const at::Tensor list = value->toTensor().reshape({-1}).to(at::kLong).contiguous();
      return {list.const_data_ptr<int64_t>(), list.const_data_ptr<int64_t>() + list.numel()};
    }
    return {};
  }
  const std::string* text(std::string_view name) const {
    const c10::IValue* value = find(name);
    return value != nullptr && value->isString() ? &value->toStringRef() : nullptr;
  }
  size_t size() const { return stack_.size() - first_; }
  const c10::IValue& operator[](size_t i) const { return stack_[first_ + i]; }
  const Stack& stack() const { return stack_; }

  [[noreturn]] void refuse(const std::string& why) const {
    throw Error("unsafe-argument",
                cat("the operator ", quoted(schema_.name()), " is not executed"), why,
                "it would read or write memory that is not its own, or stop the program");
  }
  [[noreturn]] void limit(std::string_view what, long long most) const {
    throw Error("trace-limit", cat(schema_.name(), " makes ", what, " of more than ", most),
                "no model needs that");
  }
  void require(bool holds, const char* why) const {
    if (!holds) refuse(why);
  }

 private:
  const c10::FunctionSchema& schema_;
  size_t first_;
  const Stack& stack_;
};

// Division: -2^63 / -1 is not a number of 64 bits, and the processor stops the program.

bool is_least(int64_t a, int64_t b) { return a == std::numeric_limits<int64_t>::min() && b == -1; }

void divide_ints(const Operands& in) {
  if (in.size() >= 2 && in[1].isInt() && in[1].toInt() == 0)
    throw Error("forward-failed", "an integer is divided by zero", {},
                "do the sample inputs fit the model? `t2nnef inspect` shows its arguments");
  if (in.size() >= 2 && in[0].isInt() && in[1].isInt() && is_least(in[0].toInt(), in[1].toInt()))
    in.refuse("it divides the least integer by -1");
}

bool is_integer(const c10::IValue& value) {
  if (value.isInt()) return true;
  return value.isTensor() && value.toTensor().defined() &&
         at::isIntegralType(value.toTensor().scalar_type(), true);
}

bool has(const c10::IValue& value, int64_t wanted) {
  if (value.isInt()) return value.toInt() == wanted;
  const at::Tensor tensor = value.toTensor();
  return tensor.numel() > 0 && tensor.eq(wanted).any().item<bool>();
}

void divide_tensors(const Operands& in) {
  if (in.size() < 2 || !is_integer(in[0]) || !is_integer(in[1]) || !has(in[1], -1)) return;
  if (has(in[0], std::numeric_limits<int64_t>::min()) ||
      has(in[0], std::numeric_limits<int32_t>::min()))
    in.refuse("it divides the least integer by -1");
}

void factorial(const Operands& in) {
  in.require(in[0].toInt() <= 1000, "the factorial of a number this large is never done");
}

// Strings and lists.

void check_text(const Operands& in, double size) {
  if (size > static_cast<double>(kMaxText)) in.limit("a text", kMaxText);
}

double text_size(const c10::IValue& value) {
  return value.isString() ? static_cast<double>(value.toStringRef().size()) : 0;
}

void widen(const Operands& in) { check_text(in, static_cast<double>(in.integer("width", 0))); }

void expand_tabs(const Operands& in) {
  check_text(in, text_size(in[0]) * static_cast<double>(std::max<int64_t>(1, in.integer("tabsize", 8))));
}

void join_texts(const Operands& in) {
  double sum = 0;
  for (const c10::IValue& each : in[1].toListRef()) sum += text_size(each) + text_size(in[0]);
  check_text(in, sum);
}

void add_texts(const Operands& in) { check_text(in, text_size(in[0]) + text_size(in[1])); }

void replace_text(const Operands& in) {
  const std::string* old = in.text("old");
  const std::string* made = in.text("new");
  if (old == nullptr || made == nullptr) return;
  const double times = text_size(in[0]) / static_cast<double>(std::max<size_t>(1, old->size())) + 1;
  check_text(in, text_size(in[0]) + times * static_cast<double>(made->size()));
}

void check_list(const Operands& in, double size) {
  if (size > static_cast<double>(kMaxList)) in.limit("a list", kMaxList);
}

double list_size(const c10::IValue& value) {
  return value.isList() ? static_cast<double>(value.toListRef().size()) : 0;
}

void repeat_list(const Operands& in) {
  const c10::IValue& list = in[0].isList() ? in[0] : in[1];
  const c10::IValue& times = in[0].isList() ? in[1] : in[0];
  check_list(in, list_size(list) * static_cast<double>(std::max<int64_t>(0, times.toInt())));
}

void join_lists(const Operands& in) { check_list(in, list_size(in[0]) + list_size(in[1])); }
void range_list(const Operands& in) { check_list(in, static_cast<double>(in[0].toInt())); }
void tensor_list(const Operands& in) {
  const at::Tensor tensor = in.tensor("self");
  if (tensor.defined()) check_list(in, static_cast<double>(tensor.numel()));
}

/// An object's text is its address.
bool shows_address(const c10::IValue& value, int depth) {
  if (value.isNone() || value.isTensor() || value.isScalar() || value.isString() ||
      value.isDevice() || value.isEnum())
    return false;
  if (depth > 100) return true;
  const auto inner = [&](const c10::IValue& each) { return shows_address(each, depth + 1); };
  if (value.isList()) {
    const auto list = value.toListRef();
    return std::any_of(list.begin(), list.end(), inner);
  }
  if (value.isTuple()) {
    const auto& elements = value.toTupleRef().elements();
    return std::any_of(elements.begin(), elements.end(), inner);
  }
  if (value.isGenericDict()) {
    for (const auto& entry : value.toGenericDict())
      if (inner(entry.key()) || inner(entry.value())) return true;
    return false;
  }
  return true;
}

/// How long a text of the value can be.
double shown_size(const c10::IValue& value, int depth) {
  if (value.isString()) return text_size(value);
  if (depth > 100) return static_cast<double>(kMaxText) + 1;
  double sum = 32;
  if (value.isTensor() && value.toTensor().defined())
    return 32 * static_cast<double>(value.toTensor().numel());
  if (value.isList())
    for (const c10::IValue& each : value.toListRef()) sum += shown_size(each, depth + 1);
  if (value.isTuple())
    for (const c10::IValue& each : value.toTupleRef().elements()) sum += shown_size(each, depth + 1);
  if (value.isGenericDict())
    for (const auto& entry : value.toGenericDict())
      sum += shown_size(entry.key(), depth + 1) + shown_size(entry.value(), depth + 1);
  return sum;
}

void show_values(const Operands& in) {
  double sum = 0;
  // They take any number of operands, and this number on top.
  const Stack& stack = in.stack();
  if (stack.empty() || !stack.back().isInt()) return;
  const size_t end = stack.size() - 1;
  const size_t count = std::min(end, static_cast<size_t>(std::max<int64_t>(0, stack.back().toInt())));
  for (size_t i = end - count; i < end; ++i) {
    if (shows_address(stack[i], 0)) in.refuse("the text of an object is its address in memory");
    sum += shown_size(stack[i], 0);
    check_text(in, sum);
  }
}

void show_value(const Operands& in) {
  if (shows_address(in[0], 0)) in.refuse("the text of an object is its address in memory");
  check_text(in, shown_size(in[0], 0));
}

/// Objects are compared by a method of their own, which would run in LibTorch's interpreter.
bool has_object(const c10::IValue& value, int depth) {
  if (value.isObject() || depth > 100) return true;
  if (!value.isTuple()) return false;
  const auto& elements = value.toTupleRef().elements();
  return std::any_of(elements.begin(), elements.end(),
                     [&](const c10::IValue& each) { return has_object(each, depth + 1); });
}

void compare_objects(const Operands& in) {
  if (!in[0].isList()) return;
  for (const c10::IValue& each : in[0].toListRef())
    if (has_object(each, 0))
      throw Error("unsupported-op", "the model sorts objects by a method of their class",
                  "LibTorch would call it, and what it does could not be followed",
                  "sort numbers or tensors");
}

// Tensors.

/// Every value of an integer tensor is in [low, high).
bool lies_in(const at::Tensor& values, int64_t low, int64_t high) {
  if (!values.defined() || values.numel() == 0) return true;
  if (!at::isIntegralType(values.scalar_type(), false)) return false;
  return values.min().item<int64_t>() >= low && values.max().item<int64_t>() < high;
}

/// How many bytes of its storage a view would need; -1 for none that could be.
int64_t extent(const at::Tensor& self, const std::vector<int64_t>& sizes,
               const std::vector<int64_t>& strides) {
  __int128 last = self.storage_offset();
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] < 0 || strides[i] < 0) return -1;
    if (sizes[i] == 0) return 0;
    last += static_cast<__int128>(sizes[i] - 1) * strides[i];
    if (last > (__int128{1} << 60)) return -1;
  }
  return static_cast<int64_t>((last + 1) * static_cast<__int128>(self.element_size()));
}

void alias(const Operands& in) {
  const at::Tensor self = in.tensor("self");
  const std::vector<int64_t> sizes = in.integers("size");
  const std::vector<int64_t> strides = in.integers("stride");
  in.require(self.defined() && self.has_storage() && sizes.size() == strides.size(),
             "the view has no place in the tensor");
  const int64_t bytes = extent(self, sizes, strides);
  in.require(bytes >= 0 && bytes <= static_cast<int64_t>(self.storage().nbytes()),
             "the view reaches beyond the tensor's memory");
}

void ctc(const Operands& in) {
  const at::Tensor probabilities = in.tensor("log_probs");
  const at::Tensor targets = in.tensor("targets");
  in.require(probabilities.defined() && targets.defined() && probabilities.dim() >= 2 &&
                 targets.dim() <= 2,
             "its operands have too few axes");
  const int64_t classes = probabilities.size(-1);
  const int64_t batch = probabilities.dim() == 3 ? probabilities.size(1) : 1;
  in.require(lies_in(targets, 0, classes), "a target is none of the classes");
  const int64_t blank = in.integer("blank", 0);
  in.require(blank >= 0 && blank < classes, "the blank is none of the classes");
  const std::vector<int64_t> inputs = in.integers("input_lengths");
  const std::vector<int64_t> lengths = in.integers("target_lengths");
  in.require(static_cast<int64_t>(inputs.size()) == batch &&
                 static_cast<int64_t>(lengths.size()) == batch,
             "there is not one length for each sequence");
  int64_t sum = 0;
  for (size_t i = 0; i < inputs.size(); ++i) {
    in.require(inputs[i] >= 0 && inputs[i] <= probabilities.size(0), "a length does not fit");
    in.require(lengths[i] >= 0 && lengths[i] <= targets.numel(), "a length does not fit");
    if (targets.dim() == 2) in.require(lengths[i] <= targets.size(1), "a length does not fit");
    sum += lengths[i];
  }
  if (targets.dim() < 2) in.require(sum <= targets.numel(), "the lengths do not fit the targets");
}

/// Sizes of the batch in each step of packed sequences: they never grow, and are all the rows.
void packed(const Operands& in) {
  const at::Tensor data = in.tensor("data");
  const at::Tensor sizes = in.tensor("batch_sizes");
  in.require(data.defined() && sizes.defined() && data.dim() >= 1 && sizes.dim() == 1 &&
                 sizes.numel() > 0 && sizes.scalar_type() == at::kLong,
             "the sizes of the batch are no list of integers");
  int64_t sum = 0;
  int64_t before = data.size(0);
  for (const int64_t each : in.integers("batch_sizes")) {
    in.require(each > 0 && each <= before, "the sizes of the batch grow, or are none");
    before = each;
    sum += each;
    in.require(sum <= data.size(0), "the sizes of the batch are more than the rows");
  }
  in.require(sum == data.size(0), "the sizes of the batch are not all the rows");
  const c10::IValue* state = in.find("hx");
  if (state == nullptr) return;
  const int64_t batch = sizes[0].item<int64_t>();
  const auto fits = [&](const c10::IValue& each) {
    return each.isTensor() && each.toTensor().dim() == 3 && each.toTensor().size(1) == batch;
  };
  if (state->isTensor()) return in.require(fits(*state), "the state has another batch");
  for (const c10::IValue& each : state->toListRef())
    in.require(fits(each), "the state has another batch");
}

void bags(const Operands& in) {
  const at::Tensor indices = in.tensor("indices");
  const at::Tensor offsets = in.tensor("offsets");
  if (!indices.defined()) return;
  const c10::IValue* weight = in.find("weight");
  if (weight != nullptr && weight->isTensor() && weight->toTensor().dim() > 0)
    in.require(lies_in(indices, 0, weight->toTensor().size(0)), "an index is beyond the rows");
  if (!offsets.defined()) return;
  in.require(offsets.dim() == 1 && lies_in(offsets, 0, indices.numel() + 1),
             "an offset is beyond the indices");
  const std::vector<int64_t> places = in.integers("offsets");
  in.require(std::is_sorted(places.begin(), places.end()), "the offsets go back");
  const at::Tensor scales = in.tensor("per_sample_weights");
  if (scales.defined())
    in.require(scales.numel() == indices.numel(), "there is not one weight for each index");
}

/// Vectors with one element per channel.
void norm(const Operands& in) {
  const at::Tensor input = in.tensor("input");
  in.require(input.defined() && input.dim() >= 2, "it has no axis of channels");
  for (const char* name : {"weight", "bias", "running_mean", "running_var"}) {
    const at::Tensor each = in.tensor(name);
    if (each.defined())
      in.require(each.dim() == 1 && each.numel() == input.size(1) &&
                     at::isFloatingType(each.scalar_type()),
                 "a vector does not have one real number for each channel");
  }
  in.require(at::isFloatingType(input.scalar_type()), "its input is not of real numbers");
  const c10::IValue* training = in.find("training");
  if (training == nullptr || (training->isBool() && !training->toBool()))
    in.require(in.tensor("running_mean").defined() && in.tensor("running_var").defined(),
               "it has no statistics");
}

void group_norm(const Operands& in) {
  const at::Tensor input = in.tensor("input");
  const int64_t batch = in.integer("N", -1);
  const int64_t channels = in.integer("C", -1);
  const int64_t pixels = in.integer("HxW", -1);
  const int64_t groups = in.integer("group", -1);
  in.require(input.defined() && groups > 0 && channels >= 0 && channels % groups == 0,
             "the channels are not a multiple of the groups");
  in.require(batch >= 0 && pixels >= 0 &&
                 static_cast<double>(batch) * static_cast<double>(channels) *
                         static_cast<double>(pixels) ==
                     static_cast<double>(input.numel()),
             "the sizes are not those of the tensor");
  for (const char* name : {"weight", "bias"}) {
    const at::Tensor each = in.tensor(name);
    if (each.defined())
      in.require(each.numel() == channels, "a vector does not have one element for each channel");
  }
}

/// Rows that were exchanged, counted from 1.
void pivots(const Operands& in) {
  at::Tensor rows = in.tensor("pivots");
  if (!rows.defined()) rows = in.tensor("LU_pivots");
  at::Tensor matrix;
  for (const char* name : {"LU", "LU_data", "LD"})
    if (!matrix.defined()) matrix = in.tensor(name);
  in.require(rows.defined() && matrix.defined() && matrix.dim() >= 2, "there are no pivots");
  const int64_t count = matrix.size(-2);
  const bool is_ldl = in.tensor("LD").defined();  // blocks of two are negative
  in.require(lies_in(is_ldl ? rows.abs() : rows, 1, count + 1), "a pivot is no row");
}

void fourier(const Operands& in) {
  const at::Tensor self = in.tensor("self");
  const std::vector<int64_t> axes = in.integers("dim");
  for (size_t i = 0; i < axes.size(); ++i) {
    in.require(self.defined() && axes[i] >= 0 && axes[i] < self.dim(), "it has no such axis");
    in.require(std::find(axes.begin() + static_cast<std::ptrdiff_t>(i) + 1, axes.end(), axes[i]) ==
                   axes.end(),
               "an axis is named twice");
  }
  in.require(!axes.empty(), "it names no axis");
  in.require(in.integer("last_dim_size", 1) >= 1, "the last axis has no elements");
}

void per_channel(const Operands& in) {
  const at::Tensor self = in.tensor("self");
  int64_t axis = in.integer("axis", in.integer("ch_axis", -1));
  in.require(self.defined() && axis >= 0 && axis < self.dim(), "it has no such axis");
  for (const char* name : {"scale", "scales", "zero_point", "zero_points"}) {
    const at::Tensor each = in.tensor(name);
    if (each.defined())
      in.require(each.numel() == self.size(axis), "there is not one scale for each channel");
  }
}

void observer(const Operands& in) {
  const c10::IValue* by_row = in.find("per_row_fake_quant");
  if (by_row != nullptr && by_row->isBool() && by_row->toBool()) return per_channel(in);
  for (const char* name : {"scale", "zero_point", "observer_on", "fake_quant_on"}) {
    const at::Tensor each = in.tensor(name);
    if (each.defined()) in.require(each.numel() >= 1, "a vector has no elements");
  }
}

void stack(const Operands& in) {
  const c10::IValue* tensors = in.find("tensors");
  in.require(tensors != nullptr && tensors->isTensorList() && !tensors->toTensorList().empty(),
             "there is nothing to stack");
}

void weight_norm(const Operands& in) {
  const at::Tensor v = in.tensor("v");
  const at::Tensor g = in.tensor("g");
  const int64_t axis = in.integer("dim", 0);
  in.require(v.defined() && g.defined() && v.dim() > 0 && v.numel() > 0 &&
                 v.scalar_type() == g.scalar_type() && at::isFloatingType(v.scalar_type()),
             "its operands are no tensors of one type");
  in.require(axis >= -1 && axis < v.dim() && g.numel() == (axis == -1 ? 1 : v.size(axis)),
             "there is not one norm for each channel");
}

void eigenvalues(const Operands& in) {
  const at::Tensor matrix = in.tensor("self");
  in.require(matrix.defined() && matrix.dim() >= 2 && matrix.size(-1) == matrix.size(-2),
             "it is given no square matrix");
  in.require(at::isfinite(matrix).all().item<bool>(), "its matrix is not finite");
}

/// Tensors of which an axis is made.
void parts(const Operands& in) {
  constexpr int64_t kMost = 1'000'000;
  const at::Tensor self = in.tensor("self");
  const int64_t axis = in.integer("dim", 0);
  if (!self.defined() || self.dim() == 0 || axis < -self.dim() || axis >= self.dim()) return;
  int64_t count = in.integer("sections", in.integer("chunks", self.size(axis)));
  if (const int64_t each = in.integer("split_size", 0); each > 0) count = self.size(axis) / each;
  if (count > kMost) in.limit("a list", kMost);
}

/// Loops as long as a number says.
void bound_number(const Operands& in) {
  constexpr int64_t kMost = 10'000;
  const c10::IValue* n = in.find("n");
  if (n == nullptr) return;
  if (n->isTensor()) {
    const at::Tensor all = n->toTensor();
    in.require(all.numel() == 0 || all.abs().max().item<double>() <= static_cast<double>(kMost),
               "its degree is too large");
  } else if (n->isInt() || n->isDouble()) {
    const double value = n->toScalar().toDouble();
    in.require(value >= -static_cast<double>(kMost) && value <= static_cast<double>(kMost),
               "its degree is too large");
  }
}

void bound_range(const Operands& in) {
  constexpr int64_t kMost = int64_t{1} << 53;
  const int64_t from = in.integer("from", 0);
  const int64_t to = in.integer("to", kMost);
  in.require(from < to && from >= -kMost && to <= kMost, "its range is none");
}

// Types and layouts are plain integers in code, and places in tables of LibTorch.

enum class Word { none, dtype, layout, memory_format };

Word word_of(const c10::Argument& argument) {
  c10::TypePtr type = argument.real_type();
  if (const auto optional = type->cast<c10::OptionalType>()) type = optional->getElementType();
  switch (type->kind()) {
    case c10::TypeKind::ScalarTypeType: return Word::dtype;
    case c10::TypeKind::LayoutType: return Word::layout;
    case c10::TypeKind::MemoryFormatType: return Word::memory_format;
    default: break;
  }
  // Operators of the interpreter itself take them as integers.
  if (type->kind() == c10::TypeKind::IntType && argument.name() == "dtype") return Word::dtype;
  return Word::none;
}

/// Types with kernels; those of quantised tensors only where these are made.
bool is_dtype(int64_t number, bool quantised) {
  using T = c10::ScalarType;
  const auto is = [&](T first, T last) {
    return number >= static_cast<int64_t>(first) && number <= static_cast<int64_t>(last);
  };
  return is(T::Byte, T::Bool) || is(T::BFloat16, T::BFloat16) ||
         is(T::Float8_e5m2, T::UInt64) || (quantised && is(T::QInt8, T::QUInt4x2));
}

bool is_known(Word word, int64_t number, bool quantised) {
  switch (word) {
    case Word::none: return true;
    case Word::dtype: return is_dtype(number, quantised);
    case Word::layout: return number == static_cast<int64_t>(c10::Layout::Strided);
    case Word::memory_format:
      return number >= 0 && number <= static_cast<int64_t>(c10::MemoryFormat::ChannelsLast3d);
  }
  return false;
}

using Words = std::vector<std::pair<size_t, Word>>;

/// Operands that are words, counted from the last.
Words words_of(const c10::FunctionSchema& schema) {
  Words out;
  const auto& arguments = schema.arguments();
  for (size_t i = 0; i < arguments.size(); ++i)
    if (const Word word = word_of(arguments[i]); word != Word::none)
      out.emplace_back(arguments.size() - i, word);
  return out;
}

void check_words(const std::string& name, const Words& words, const Stack& stack) {
  for (const auto& [back, word] : words) {
    if (back > stack.size()) continue;
    const c10::IValue& value = stack[stack.size() - back];
    if (value.isInt() &&
        !is_known(word, value.toInt(), name.find("quantize") != std::string::npos))
      throw Error("unsafe-argument", cat("the operator ", quoted(name), " is not executed"),
                  cat(value.toInt(), " is no ",
                      word == Word::dtype    ? "type of elements"
                      : word == Word::layout ? "layout of dense tensors"
                                             : "order of axes in memory",
                      " that is known"),
                  "it would read or write memory that is not its own, or stop the program");
  }
}

using Check = void (*)(const Operands&);
struct Row {
  std::string_view name;  ///< with an overload, or for all of them
  Check check;
};

constexpr Row kRows[] = {
    {"aten::floordiv.int", divide_ints},
    {"aten::floordiv", divide_ints},
    {"aten::remainder.int", divide_ints},
    {"aten::remainder", divide_tensors},
    {"aten::remainder_", divide_tensors},
    {"aten::divmod.int", divide_ints},
    {"aten::fmod", divide_tensors},
    {"aten::fmod_", divide_tensors},
    {"aten::mathremainder", divide_ints},
    {"aten::__round_to_zero_floordiv", divide_ints},
    {"aten::floor_divide", divide_tensors},
    {"aten::floor_divide_", divide_tensors},
    {"aten::div.Tensor_mode", divide_tensors},
    {"aten::div.Scalar_mode", divide_tensors},
    {"aten::div.out_mode", divide_tensors},
    {"aten::div_.Tensor_mode", divide_tensors},
    {"aten::div_.Scalar_mode", divide_tensors},
    {"aten::divide.Tensor_mode", divide_tensors},
    {"aten::divide.Scalar_mode", divide_tensors},
    {"aten::divide.out_mode", divide_tensors},
    {"aten::divide_.Tensor_mode", divide_tensors},
    {"aten::divide_.Scalar_mode", divide_tensors},
    {"aten::factorial", factorial},
    {"aten::ljust", widen},
    {"aten::rjust", widen},
    {"aten::center", widen},
    {"aten::zfill", widen},
    {"aten::expandtabs", expand_tabs},
    {"aten::join", join_texts},
    {"aten::add.str", add_texts},
    {"aten::replace", replace_text},
    {"aten::mul.left_t", repeat_list},
    {"aten::mul.right_", repeat_list},
    {"aten::mul_.t", repeat_list},
    {"aten::add.t", join_lists},
    {"aten::add_.t", join_lists},
    {"aten::extend.t", join_lists},
    {"prim::rangelist", range_list},
    {"aten::_tensor_to_list", tensor_list},
    {"aten::str", show_value},
    {"aten::format", show_values},
    {"aten::percentFormat", show_values},
    {"aten::sort", compare_objects},
    {"aten::sorted", compare_objects},
    {"aten::_reshape_alias", alias},
    {"aten::_reshape_alias_copy", alias},
    {"aten::ctc_loss", ctc},
    {"aten::_ctc_loss", ctc},
    {"aten::_pad_packed_sequence", packed},
    {"aten::lstm.data", packed},
    {"aten::gru.data", packed},
    {"aten::rnn_tanh.data", packed},
    {"aten::rnn_relu.data", packed},
    {"aten::quantized_lstm.data", packed},
    {"aten::quantized_gru.data", packed},
    {"aten::embedding_bag", bags},
    {"aten::_embedding_bag", bags},
    {"aten::_embedding_bag_forward_only", bags},
    {"quantized::embedding_bag_byte", bags},
    {"quantized::embedding_bag_4bit", bags},
    {"aten::native_batch_norm", norm},
    {"aten::_native_batch_norm_legit", norm},
    {"aten::_native_batch_norm_legit_functional", norm},
    {"aten::_native_batch_norm_legit_no_training", norm},
    {"aten::_batch_norm_no_update", norm},
    {"aten::_batch_norm_with_update", norm},
    {"aten::_batch_norm_with_update_functional", norm},
    {"aten::_batch_norm_impl_index", norm},
    {"aten::native_group_norm", group_norm},
    {"aten::lu_solve", pivots},
    {"aten::lu_unpack", pivots},
    {"aten::linalg_lu_solve", pivots},
    {"aten::linalg_ldl_solve", pivots},
    {"aten::_fft_c2c", fourier},
    {"aten::_fft_c2r", fourier},
    {"aten::_fft_r2c", fourier},
    {"aten::unbind", parts},
    {"aten::split", parts},
    {"aten::unsafe_split", parts},
    {"aten::chunk", parts},
    {"aten::unsafe_chunk", parts},
    {"aten::tensor_split.sections", parts},
    {"aten::_stack", stack},
    {"aten::_weight_norm_interface", weight_norm},
    {"aten::_weight_norm", weight_norm},
    {"aten::linalg_eig", eigenvalues},
    {"aten::linalg_eigvals", eigenvalues},
    {"aten::linalg_matrix_power", bound_number},
    {"aten::matrix_power", bound_number},
    {"aten::special_chebyshev_polynomial_t", bound_number},
    {"aten::special_chebyshev_polynomial_u", bound_number},
    {"aten::special_chebyshev_polynomial_v", bound_number},
    {"aten::special_chebyshev_polynomial_w", bound_number},
    {"aten::special_shifted_chebyshev_polynomial_t", bound_number},
    {"aten::special_shifted_chebyshev_polynomial_u", bound_number},
    {"aten::special_shifted_chebyshev_polynomial_v", bound_number},
    {"aten::special_shifted_chebyshev_polynomial_w", bound_number},
    {"aten::special_hermite_polynomial_h", bound_number},
    {"aten::special_hermite_polynomial_he", bound_number},
    {"aten::special_laguerre_polynomial_l", bound_number},
    {"aten::special_legendre_polynomial_p", bound_number},
    {"aten::random", bound_range},
    {"aten::random_", bound_range},
    {"aten::_make_per_channel_quantized_tensor", per_channel},
    {"aten::quantize_per_channel", per_channel},
    {"aten::_fused_moving_avg_obs_fq_helper", observer},
    {"aten::_fused_moving_avg_obs_fq_helper_functional", observer},
    {"aten::fused_moving_avg_obs_fake_quant", observer},
};

/// What LibTorch's own executor puts into a graph, which no file can, stays as it is.
bool is_for_executor(const Operator& op) {
  const std::string& name = op.schema().name();
  if (!op.hasOperation() || op.schema().is_vararg()) return true;
  return name.starts_with("prim::") && name != "prim::id" && name != "prim::TimePoint" &&
         name != "prim::AddStatValue";
}

/// The same operator, which does something else: nothing that holds it notices.
void replace(Operator& op, torch::jit::Operation run) {
  const c10::FunctionSchema& schema = op.schema();
  if (op.isC10Op()) {
    const auto handle = c10::Dispatcher::singleton().findSchema(schema.operator_name());
    T2N_ASSERT(handle, "the operator ", schema.name(), " is not registered");
    op = Operator(*handle, std::move(run));
    return;
  }
  if (!schema.is_vararg()) {
    op = Operator(schema.name(), schema.overload_name(), schema.arguments(), schema.returns(),
                  std::move(run), schema.aliasAnalysis());
    return;
  }
  std::ostringstream text;
  text << schema;
  op = Operator(text.str(), std::move(run), schema.aliasAnalysis());
  static_cast<void>(op.schema());  // read now: whoever points at it finds it in its place
}

void guard(Operator& op, Check check) {
  replace(op, [run = op.getOperation(), check, schema = op.schema()](Stack& stack) mutable {
    check(Operands(schema, stack));
    run(stack);
  });
}

void guard_words(Operator& op) {
  if (!op.hasOperation() || op.schema().is_vararg()) return;
  Words words = words_of(op.schema());
  if (words.empty()) return;
  replace(op, [run = op.getOperation(), words = std::move(words),
               name = op.schema().name()](Stack& stack) mutable {
    check_words(name, words, stack);
    run(stack);
  });
}

void guard_all(const Row& row) {
  const size_t dot = row.name.find('.');
  const std::string name(row.name.substr(0, dot));
  for (const auto& op : torch::jit::getAllOperatorsFor(c10::Symbol::fromQualString(name)))
    if (dot == std::string_view::npos || op->schema().overload_name() == row.name.substr(dot + 1))
      guard(*op, row.check);
}

/// x.to(copy=True): LibTorch reads the type and the device that nobody named, whatever stands there.
/// It is a copy.
void mend_copies(Operator& op) {
  if (!op.schema().overload_name().starts_with("prim_")) return;
  replace(op, [run = op.getOperation(), schema = op.schema()](Stack& stack) mutable {
    const Operands in(schema, stack);
    const c10::IValue* copy = in.find("copy");
    const bool is_bare = in.find("device") == nullptr && in.find("dtype") == nullptr;
    if (copy == nullptr || !copy->toBool() || !is_bare) return run(stack);
    const at::Tensor made = in.tensor("self").clone();
    torch::jit::drop(stack, schema.arguments().size());
    torch::jit::push(stack, made);
  });
}

void deny(Operator& op) {
  replace(op, [name = op.schema().name()](Stack&) {
    throw Error("denied-operator", cat("the model calls ", quoted(name)),
                std::string(denial_reason(name)), "remove the call from the model and save it again");
  });
}

}  // namespace

void install_guards() {
  static const bool once = [] {
    for (const auto& op : torch::jit::getAllOperators()) {
      const std::string& name = op->schema().name();
      if (is_allowed(name))
        guard_words(*op);
      else if (!is_for_executor(*op) && !is_unknown(name))
        deny(*op);
    }
    for (const Row& row : kRows) guard_all(row);
    for (const auto& op : torch::jit::getAllOperatorsFor(c10::aten::to)) mend_copies(*op);
    torch::jit::setPrintHandler([](const std::string&) {});  // standard output is ours
    return true;
  }();
  static_cast<void>(once);
}

}  // namespace t2n::trace
