// SPDX-License-Identifier: Apache-2.0
#include "src/passes/rewriter.h"

#include <algorithm>

#include "ir/op_traits.h"
#include "ir/refusal.h"
#include "ir/source_location.h"
#include "src/diag/error.h"

namespace t2n::passes {

using ir::Dim;
using ir::Shape;

namespace {

Dim broadcast_dim(const Dim& a, const Dim& b) { return a == Dim(1) ? b : a; }

bool gives_boolean(std::string_view op) {
  return has_trait(ir::op_short_name(op), ir::OpTrait::predicate);
}

std::vector<Dim> to_dims(const ir::Ints& values) { return {values.begin(), values.end()}; }

}  // namespace

Shape broadcast(const Shape& a, const Shape& b) {
  if (a.size() < b.size()) return broadcast(b, a);
  Shape out = a;
  const size_t ahead = a.size() - b.size();
  for (size_t i = 0; i < b.size(); ++i) out[ahead + i] = broadcast_dim(a[ahead + i], b[i]);
  return out;
}

Rewriter::Rewriter(ir::Graph& graph)
    : graph_(graph), names_(graph), calls_(graph), first_count_(graph.values.size()) {
  for (size_t i = 0; i < first_count_; ++i) replacements_.push_back(static_cast<ValueId>(i));
}

void Rewriter::begin(ir::Node node) {
  node_ = std::move(node);
  base_name_ = ir::op_base_name(node_.op);
  named_after_.clear();
  args_ = {graph_, node_};
  first_new_ = graph_.values.size();
}

void Rewriter::keep() {
  keep_with([this](ValueId id) { return resolve(id); });
}

void Rewriter::keep_with(const std::function<ValueId(ValueId)>& operand) {
  for (ir::Argument& arg : node_.args)
    ir::change_refs(arg.value, [&](ValueId& id) { id = operand(id); });
  done_.push_back(std::move(node_));
}

bool Rewriter::replace_where(const std::function<bool()>& define, bool keeps_dead) {
  bool changed = false;
  std::vector<ir::Node> nodes = std::exchange(graph_.nodes, {});
  for (ir::Node& node : nodes) {
    begin(std::move(node));
    try {
      const bool defined = define();
      if (!defined) keep();
      changed = changed || defined;
    } catch (const Error& error) {
      if (!error.diagnostic().where.empty()) throw;
      Diagnostic located = error.diagnostic();
      located.where = {ir::node_where(graph_, node_)};
      throw Error(std::move(located));
    }
  }
  finish(keeps_dead);
  return changed;
}

void Rewriter::finish(bool keeps_dead) {
  graph_.nodes = std::move(done_);
  replacements_.resize(graph_.values.size());
  for (size_t i = first_count_; i < replacements_.size(); ++i)
    replacements_[i] = static_cast<ValueId>(i);
  ir::replace_uses(graph_, replacements_);
  ir::remove_dead(graph_, keeps_dead);
}

void Rewriter::ignore(std::initializer_list<std::string_view> arguments, std::string_view) const {
  for (const std::string_view each : arguments) {
    const auto* dim = std::get_if<Dim>(find(each));
    // The graph has the argument's effect in one probe only.
    if (dim != nullptr && !dim->is_constant()) refuse_dynamic_argument(each);
  }
}

ValueId Rewriter::tensor(std::string_view argument) const {
  const ValueId id = args_.tensor(argument);
  return id == ir::kNoValue ? id : resolve(id);
}

void Rewriter::refuse_dynamic_argument(std::string_view argument) const {
  Diagnostic out;
  out.id = "unsupported-argument";
  out.message = cat(ir::op_name(node_.op), ": ", quoted(argument), " depends on sizes or data");
  out.where = {ir::node_where(graph_, node_)};
  out.why = "it must be known at export";
  out.help = "use a constant, or export without --dynamic for the axis that it depends on";
  throw Error(std::move(out));
}

/// Refuses numbers that depend on dynamic sizes or that the graph computes.
double Rewriter::scalar(std::string_view argument, double fallback) const {
  if (is_none(argument)) return fallback;
  const auto number = args_.scalar(argument);
  if (!number && (args_.is_tensor(argument) || args_.is_symbolic(argument)))
    refuse_dynamic_argument(argument);
  T2N_ASSERT(number, ir::op_name(node_.op), ": '", argument, "' is no number");
  return *number;
}

int64_t Rewriter::integer(std::string_view argument, int64_t fallback) const {
  if (is_none(argument)) return fallback;
  if (args_.is_tensor(argument) || args_.is_symbolic(argument)) refuse_dynamic_argument(argument);
  const auto number = args_.integer(argument);
  T2N_ASSERT(number, ir::op_name(node_.op), ": '", argument, "' is no integer");
  return number->value();
}

bool Rewriter::flag(std::string_view argument, bool fallback) const {
  return integer(argument, fallback ? 1 : 0) != 0;
}

std::string Rewriter::text(std::string_view argument, std::string_view fallback) const {
  return is_none(argument) ? std::string(fallback) : std::get<std::string>(required(argument));
}

std::vector<Dim> Rewriter::dims(std::string_view argument) const {
  return is_none(argument) ? Shape{} : args_.dims(argument).value();
}

ir::Ints Rewriter::axes(std::string_view argument, int rank) const {
  ir::Ints out;
  for (const Dim& dim : dims(argument)) out.push_back(ir::from_front(dim.value(), rank));
  return out;
}

const ir::Value& Rewriter::output(int index) const {
  return graph_.values[node_.outputs.at(index)];
}

ValueId Rewriter::add_value(std::string name, DType dtype, Shape shape) {
  return ir::add_value(graph_, {names_.take(name), dtype, std::move(shape), {}});
}

std::vector<ValueId> Rewriter::emit_all(std::string_view op, std::vector<ir::Argument> args,
                                        const std::vector<std::pair<DType, Shape>>& results) {
  ir::Node node;
  node.op = ir::op_id(op);
  node.args = std::move(args);
  node.scope = node_.scope;
  node.source = node_.source;
  node.call = calls_.take(node.op, node.scope);
  const std::string& base = named_after_.empty() ? output().name : named_after_;
  const std::string name = cat(base, "_", ir::op_short_name(op));
  for (const auto& [dtype, shape] : results) node.outputs.push_back(add_value(name, dtype, shape));
  done_.push_back(std::move(node));
  return done_.back().outputs;
}

ValueId Rewriter::emit(std::string_view op, std::vector<ir::Argument> args, DType dtype,
                       Shape shape) {
  return emit_all(op, std::move(args), {{dtype, std::move(shape)}})[0];
}

ValueId Rewriter::unary(std::string_view op, ValueId x) {
  return emit(op, {{"self", TensorRef{x}}}, gives_boolean(op) ? DType::boolean : dtype(x),
              shape(x));
}

ValueId Rewriter::binary(std::string_view op, ValueId a, ValueId b) {
  const char* second = op == "aten::pow.Tensor_Tensor" ? "exponent" : "other";
  std::vector<ir::Argument> args = {{"self", TensorRef{a}}, {second, TensorRef{b}}};
  if (op == "aten::add.Tensor" || op == "aten::sub.Tensor") args.push_back({"alpha", Dim(1)});
  return emit(op, std::move(args), gives_boolean(op) ? DType::boolean : dtype(a),
              broadcast(shape(a), shape(b)));
}

ValueId Rewriter::where(ValueId condition, ValueId a, ValueId b) {
  return emit(
      "aten::where.self",
      {{"condition", TensorRef{condition}}, {"self", TensorRef{a}}, {"other", TensorRef{b}}},
      dtype(a), broadcast(shape(condition), broadcast(shape(a), shape(b))));
}

ValueId Rewriter::cast(ValueId x, DType to) {
  if (dtype(x) == to) return x;
  return emit("t2n::cast", {{"self", TensorRef{x}}, {"dtype", to}}, to, shape(x));
}

ValueId Rewriter::number(double value, DType dtype) {
  const auto [entry, is_new] = numbers_.try_emplace({value, dtype}, ir::kNoValue);
  if (is_new) entry->second = constant({}, {value}, dtype);
  return entry->second;
}

ValueId Rewriter::constant(const ir::Ints& shape, const std::vector<double>& values, DType dtype) {
  return constant(ir::tensor_of<double>(dtype, shape, values));
}

ValueId Rewriter::constant(ir::Tensor data) {
  return ir::add_constant(graph_, names_.take(cat(output().name, "_const")), std::move(data));
}

ValueId Rewriter::expand(ValueId x, const Shape& to) {
  if (shape(x) == to) return x;
  return emit("aten::expand", {{"self", TensorRef{x}}, {"size", to}, {"implicit", false}}, dtype(x),
              to);
}

ValueId Rewriter::reshape(ValueId x, const Shape& to) {
  if (shape(x) == to) return x;
  return emit("aten::reshape", {{"self", TensorRef{x}}, {"shape", to}}, dtype(x), to);
}

ValueId Rewriter::unsqueeze(ValueId x, int axis) {
  Shape to = shape(x);
  to.insert(to.begin() + axis, Dim(1));
  return emit("aten::unsqueeze", {{"self", TensorRef{x}}, {"dim", Dim(axis)}}, dtype(x), to);
}

ValueId Rewriter::select(ValueId x, int axis, int64_t index) {
  Shape to = shape(x);
  to.erase(to.begin() + axis);
  return emit("aten::select.int",
              {{"self", TensorRef{x}}, {"dim", Dim(axis)}, {"index", Dim(index)}}, dtype(x), to);
}

ValueId Rewriter::slice(ValueId x, int axis, const Dim& start, const Dim& end) {
  Shape to = shape(x);
  Dim& extent = to.at(axis);
  if (start == Dim(0) && end == extent) return x;
  extent = end - start;
  return emit("aten::slice.Tensor",
              {{"self", TensorRef{x}},
               {"dim", Dim(axis)},
               {"start", start},
               {"end", end},
               {"step", Dim(1)}},
              dtype(x), to);
}

ValueId Rewriter::permute(ValueId x, const ir::Ints& order) {
  Shape to;
  for (const int64_t axis : order) to.push_back(shape(x)[axis]);
  if (std::is_sorted(order.begin(), order.end())) return x;
  return emit("aten::permute", {{"self", TensorRef{x}}, {"dims", to_dims(order)}}, dtype(x), to);
}

ValueId Rewriter::pad(ValueId x, int axis, int64_t before, int64_t after) {
  if (before == 0 && after == 0) return x;
  Shape to = shape(x);
  to[axis] = to[axis] + Dim(before + after);
  ir::Ints amounts(2 * static_cast<size_t>(rank(x) - axis), 0);
  amounts[amounts.size() - 2] = before;
  amounts[amounts.size() - 1] = after;
  return emit("aten::constant_pad_nd",
              {{"self", TensorRef{x}}, {"pad", to_dims(amounts)}, {"value", Dim(0)}}, dtype(x), to);
}

std::vector<ValueId> Rewriter::loop(const ir::Scan& scan, ir::Graph body) {
  std::vector<std::pair<DType, Shape>> results;
  for (size_t i = 0; i < scan.outputs(); ++i) {
    const ir::Value& result = body.values[body.outputs.at(i)];
    results.emplace_back(result.dtype, result.shape);
    if (i >= scan.stacked()) continue;
    // A symbol has the traced size.
    const auto length = scan.length.is_constant()
                            ? scan.length
                            : shape(scan.scanned.at(0)).at(scan.scanned_axes[0]);
    results.back().second.insert(results.back().second.begin() + scan.stacked_axes[i], length);
  }
  std::vector<ValueId> outputs = emit_all(ir::kScanOp, ir::scan_arguments(scan), results);
  done_.back().body = std::make_shared<ir::Graph>(std::move(body));
  return outputs;
}

void Rewriter::define(ValueId result, int index) {
  const ValueId old = node_.outputs.at(index);
  result = cast(result, value(old).dtype);
  T2N_ASSERT(shape(result) == shape(old), ir::op_name(node_.op), " becomes ",
             ir::shape_str(shape(result)), " instead of ", ir::shape_str(shape(old)));
  replacements_[old] = result;
  // A new value gets the output's name, unless it already has that of another output.
  const bool is_new = static_cast<size_t>(result) >= first_new_;
  if (is_new && named_.insert(result).second) std::swap(value(result).name, value(old).name);
}

void Rewriter::refuse_for(std::string_view tensors, std::string_view why, std::string_view help) {
  ignore_rest("the entire operation is refused");
  std::vector<std::pair<DType, Shape>> results;
  for (const ValueId id : node_.outputs) results.emplace_back(value(id).dtype, value(id).shape);
  const ir::Refusal refusal{std::string(ir::op_name(node_.op)), std::string(tensors),
                            std::string(why), std::string(help)};
  const std::vector<ValueId> refused =
      emit_all(ir::kRefused, ir::refusal_arguments(refusal), results);
  for (size_t i = 0; i < refused.size(); ++i) define(refused[i], static_cast<int>(i));
}

}  // namespace t2n::passes
