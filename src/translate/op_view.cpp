// SPDX-License-Identifier: Apache-2.0
// Typed reading of an operation's arguments, and the refusals that name them.
#include "src/translate/op_view.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "src/diag/error.h"
#include "src/diag/one_of.h"
#include "src/translate/emitter_state.h"

namespace t2n::ops {
namespace {

using ir::Attr;

template <typename T>
const T& get(const Attr& attr, std::string_view name, std::string_view kind) {
  const T* value = std::get_if<T>(&attr);
  T2N_ASSERT(value, "'", name, "' is not ", kind);
  return *value;
}

/// A `Scalar`: int, float or bool.
double number_of(const OpView& op, const ir::NodeArgs& args, std::string_view name) {
  const auto number = args.scalar(name);
  if (!number && args.is_symbolic(name)) op.refuse(name, Limit::unknown_size);
  T2N_ASSERT(number, "'", name, "' is not a number");
  return *number;
}

int64_t integer_of(const OpView& op, const ir::NodeArgs& args, std::string_view name) {
  const auto number = args.integer(name);
  T2N_ASSERT(number, "'", name, "' is not an integer");
  if (!number->is_constant()) op.refuse(name, Limit::unknown_size);
  return number->value();
}

/// torch takes -1 for 255 if the tensor is u8.
int64_t as_unsigned(int64_t value, DType dtype) {
  const bool is_unsigned = dtype == DType::u8 || dtype == DType::u16 || dtype == DType::u32;
  return value < 0 && is_unsigned ? value + (int64_t{1} << (8 * ir::dtype_size(dtype))) : value;
}

std::string choices(const std::vector<std::string>& known) {
  std::string out;
  for (size_t i = 0; i < known.size(); ++i) {
    if (i > 0) out += i + 1 == known.size() ? " and " : ", ";
    out += quoted(known[i]);
  }
  return known.size() == 1 ? cat("the only known value is ", out) : cat("known values are ", out);
}

}  // namespace

OpView::OpView(const ir::Graph& graph, const ir::Node& node, std::string_view nnef, Emitter& out)
    : args_(graph, node), nnef_(nnef), out_(out) {}

Ref OpView::tensor(std::string_view name) const {
  const auto value = opt_tensor(name);
  T2N_ASSERT(value, "'", name, "' is absent where a tensor is needed");
  return *value;
}

std::optional<Ref> OpView::opt_tensor(std::string_view name) const {
  if (is_none(name)) return {};
  return out_.value(get<ir::TensorRef>(args_.required(name), name, "a tensor").id);
}

std::vector<Ref> OpView::tensors(std::string_view name) const {
  std::vector<Ref> out;
  for (const auto& item : opt_tensors(name)) {
    T2N_ASSERT(item, "'", name, "' lacks a tensor");
    out.push_back(*item);
  }
  return out;
}

std::vector<std::optional<Ref>> OpView::opt_tensors(std::string_view name) const {
  if (is_none(name)) return {};
  std::vector<std::optional<Ref>> out;
  for (const ir::ValueId id :
       get<ir::TensorRefs>(args_.required(name), name, "a list of tensors").ids)
    out.push_back(id == ir::kNoValue ? std::nullopt : std::optional(out_.value(id)));
  return out;
}

ir::Tensor OpView::constant(std::string_view name) const {
  auto value = out_.constant_value(tensor(name));
  if (!value) refuse(name, Limit::computed_value);
  return *std::move(value);
}

int64_t OpView::i64(std::string_view name) const { return integer_of(*this, args_, name); }
double OpView::f64(std::string_view name) const { return number_of(*this, args_, name); }
bool OpView::boolean(std::string_view name) const { return integer_of(*this, args_, name) != 0; }

std::string OpView::str(std::string_view name) const {
  return get<std::string>(args_.required(name), name, "a string");
}

std::string OpView::one_of(std::string_view name, const std::vector<std::string>& known) const {
  std::string value = str(name);
  if (std::find(known.begin(), known.end(), value) == known.end()) refuse(name, choices(known));
  return value;
}

int64_t OpView::within(std::string_view name, int64_t first, int64_t last) const {
  const int64_t value = i64(name);
  if (value < first || value > last) refuse(name, cat("known values are ", first, " to ", last));
  return value;
}

std::optional<std::string> OpView::opt_str(std::string_view name) const {
  return opt(name, &OpView::str);
}

std::optional<DType> OpView::opt_dtype(std::string_view name) const {
  if (is_none(name)) return {};
  return get<DType>(args_.required(name), name, "a dtype");
}

Ints OpView::ints(std::string_view name) const {
  const Shape sizes = dims(name);
  if (!is_static(sizes)) refuse(name, Limit::unknown_size);
  return ir::static_shape(sizes);
}

Shape OpView::dims(std::string_view name) const {
  auto out = args_.dims(name);
  T2N_ASSERT(out, "'", name, "' is not a list of integers");
  return *std::move(out);
}

Dim OpView::dim(std::string_view name) const {
  const auto out = args_.integer(name);
  T2N_ASSERT(out, "'", name, "' is not an integer");
  return *out;
}

std::vector<double> OpView::f64s(std::string_view name) const {
  const Attr& attr = args_.required(name);
  if (const auto* floats = std::get_if<std::vector<double>>(&attr)) return *floats;
  if (!std::holds_alternative<std::vector<Dim>>(attr)) return {f64(name)};
  const Ints numbers = ints(name);
  return {numbers.begin(), numbers.end()};
}

std::optional<std::vector<double>> OpView::opt_f64s(std::string_view name) const {
  return opt(name, &OpView::f64s);
}

std::vector<bool> OpView::booleans(std::string_view name) const {
  if (const auto* flags = std::get_if<std::vector<bool>>(&args_.required(name))) return *flags;
  std::vector<bool> out;
  for (const Dim& dim : dims(name)) out.push_back(dim.value() != 0);
  return out;
}

Ref OpView::number(std::string_view name, DType dtype) const {
  if (is_symbolic(name)) return out_.size(dim(name), dtype);
  if (dtype == DType::boolean) return out_.scalar(f64(name) != 0);
  if (!ir::is_integer(dtype)) return out_.scalar(f64(name), dtype);
  return out_.scalar(as_unsigned(i64(name), dtype), dtype);
}

int OpView::axis(std::string_view name, int rank) const {
  return static_cast<int>(ir::from_front(i64(name), rank, name));
}

int OpView::axis(std::string_view name) const { return axis(name, out_.rank(tensor("self"))); }

Ints OpView::axes(std::string_view name, int rank) const {
  Ints out = is_none(name) ? Ints{} : ints(name);
  for (int64_t& axis : out) axis = ir::from_front(axis, rank);
  std::sort(out.begin(), out.end());
  if (rank == 0) return {};
  if (out.empty()) {
    out.resize(rank);
    std::iota(out.begin(), out.end(), 0);
  }
  return out;
}

Ints OpView::expand_ints(std::string_view name, int count) const {
  Ints out = ints(name);
  const size_t size = count;
  if (out.size() == 1) out.resize(size, out[0]);
  T2N_ASSERT(out.size() == size, "'", name, "' has ", out.size(), " entries, not ", count);
  return out;
}

void OpView::require(std::string_view name, double value) const {
  if (f64(name) != value) refuse(name, cat("the only known value is ", value));
}

void OpView::ignore(std::string_view name, std::string_view) const { args_.required(name); }

void OpView::ignore_all(std::initializer_list<std::string_view> names, std::string_view) const {
  for (const std::string_view name : names) args_.required(name);
}

const ir::Node* OpView::producer(std::string_view name) const {
  const ir::ValueId id = ir::operand(args_.node(), name);
  const auto found = std::find_if(
      args_.graph().nodes.begin(), args_.graph().nodes.end(), [&](const ir::Node& node) {
        return std::find(node.outputs.begin(), node.outputs.end(), id) != node.outputs.end();
      });
  return id == ir::kNoValue || found == args_.graph().nodes.end() ? nullptr : &*found;
}

bool OpView::is_used(int output) const {
  return out_.state().use_counts[args_.node().outputs.at(output)] > 0;
}

DType OpView::dtype(int output) const { return result(output).dtype; }

const Shape& OpView::shape(int output) const { return result(output).shape; }

Ints OpView::sizes(int output) const {
  if (!is_static(shape(output)))
    refuse_op(Limit::unknown_size, "export without --dynamic for these axes");
  return ir::static_shape(shape(output));
}

void OpView::refuse(std::string_view argument, std::string_view why, std::string_view help) const {
  const Attr& attr = args_.required(argument);
  // Strings are quoted as in Python, tensors shown by type.
  std::string value = ir::attr_str(attr, [&](ir::ValueId id) { return args_.value(id).name; });
  if (const auto* text = std::get_if<std::string>(&attr)) value = quoted(*text);
  if (is_tensor(argument)) {
    const ir::Value& operand = args_.value(args_.tensor(argument));
    value = type_str(operand.dtype, operand.shape);
  }
  Diagnostic out =
      target::untranslated("unsupported-argument", cat(op(), ": ", argument, "=", value),
                           target::target_name(out_.state().target), why, help, op());
  out.where = {ir::node_where(args_.graph(), args_.node())};
  throw Error(std::move(out));
}

void OpView::refuse(std::string_view argument, Limit limit, std::string_view help) const {
  refuse(argument, target::limit_row(limit).why, help);
}

void OpView::refuse_op(Limit limit, std::string_view help) const {
  Diagnostic out = target::untranslated("unsupported-op", std::string(op()),
                                        target::target_name(out_.state().target),
                                        target::limit_row(limit).why, help, op());
  out.message += " here";
  out.where = {ir::node_where(args_.graph(), args_.node())};
  throw Error(std::move(out));
}

void OpView::check_all_read() const {
  const std::string unread = args_.unread();
  T2N_ASSERT(unread.empty(), "'", unread, "' was never read");
}

}  // namespace t2n::ops
