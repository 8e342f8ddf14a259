// SPDX-License-Identifier: Apache-2.0
// The arguments of an operation: operands as values of the graph, all others as attributes.
#include <ATen/native/TypeProperties.h>

#include <algorithm>
#include <array>

#include "src/diag/error.h"
#include "src/diag/one_of.h"
#include "src/frontend/load/convert.h"
#include "src/frontend/numbers/number_rules.h"
#include "src/frontend/record/packed_tables.h"
#include "src/frontend/record/recorder.h"
#include "src/loops/iteration.h"

namespace t2n::trace {
namespace {

/// Whether the operand takes part in type promotion. Conditions, indices and factors do not.
bool takes_part_in_promotion(const std::string& name) {
  constexpr std::array<std::string_view, 6> kOthers = {"condition", "mask", "index",
                                                       "indices",   "out",  "alpha"};
  return !is_one_of(name, kOthers);
}

c10::TypeKind element_kind(const c10::Argument& argument) {
  c10::TypePtr type = argument.real_type();
  if (const auto optional = type->cast<c10::OptionalType>()) type = optional->getElementType();
  if (const auto list = type->cast<c10::ListType>()) type = list->getElementType();
  return type->kind();
}

/// at::result_type of the promoting operands. The result of a comparison has another dtype.
std::optional<ir::DType> compute_dtype(const c10::FunctionSchema& schema,
                                       const torch::jit::Stack& inputs) {
  at::native::ResultTypeState state = {};
  bool any = false;
  for (size_t i = 0; i < inputs.size() && i < schema.arguments().size(); ++i) {
    const c10::Argument& argument = schema.arguments()[i];
    if (!takes_part_in_promotion(argument.name())) continue;
    if (inputs[i].isTensor() || is_tensor_list(inputs[i])) {
      for (const at::Tensor& tensor : flatten_tensors(inputs[i])) {
        if (tensor.is_quantized()) return std::nullopt;  // quantised dtypes have no promotion
        state = at::native::update_result_type_state(tensor, state);
        any = true;
      }
    } else if (inputs[i].isScalar() && element_kind(argument) == c10::TypeKind::NumberType) {
      state = at::native::update_result_type_state(inputs[i].toScalar(), state);
    }
  }
  if (!any) return std::nullopt;
  return from_torch(at::native::result_type(state));
}

void refuse_data(const Mark& mark, const std::string& argument, const std::string& op) {
  if (is_opaque(mark) && depends_on_iteration(mark))
    loops::refuse_loop(cat("the argument ", quoted(argument), " of ", op,
                           " is computed from the number of the iteration"),
                       loops::kIterationHelp);
  if (!is_data(mark)) return;
  throw Error("data-dependent-value",
              cat("the argument ", quoted(argument), " of ", op, " is read from a tensor's values"),
              cat("it comes from ", origin_of(mark),
                  "; the exported model would fix its value in this run"),
              "keep the value in a tensor, or make it a constant of the model");
}

template <typename T, typename Read>
std::vector<T> read_list(c10::ArrayRef<c10::IValue> list, Read read) {
  std::vector<T> out;
  for (const c10::IValue& element : list) out.push_back(static_cast<T>(read(element)));
  return out;
}

/// A list of plain values as an attribute; nothing for other lists.
std::optional<ir::Attr> list_attribute(c10::ArrayRef<c10::IValue> list, c10::TypeKind kind,
                                       c10::ArrayRef<c10::IValue> marked_list) {
  const auto all = [&](auto is) { return std::all_of(list.begin(), list.end(), is); };
  if (list.empty() && kind == c10::TypeKind::TensorType) return ir::TensorRefs{};
  if (list.empty() && kind == c10::TypeKind::FloatType) return std::vector<double>();
  if (list.empty() && kind == c10::TypeKind::BoolType) return std::vector<bool>();
  if (all([](const c10::IValue& v) { return v.isInt(); })) {
    std::vector<ir::Dim> dims;
    for (size_t i = 0; i < list.size(); ++i) dims.push_back(expression(marked_list[i]));
    return dims;
  }
  if (all([](const c10::IValue& v) { return v.isBool(); }))
    return read_list<bool>(list, [](const c10::IValue& v) { return v.toBool(); });
  if (all([](const c10::IValue& v) { return v.isDouble() || v.isInt(); }))
    return read_list<double>(list, [](const c10::IValue& v) { return v.toScalar().toDouble(); });
  if (all([](const c10::IValue& v) { return v.isString(); }))
    return read_list<std::string>(list, [](const c10::IValue& v) { return v.toStringRef(); });
  return std::nullopt;
}

/// The old form of a quantised convolution repeats arguments that its packed parameters contain.
/// LibTorch reads only the packed ones.
bool is_ignored(std::string_view op, const std::string& argument) {
  constexpr std::array<std::string_view, 4> kPacked = {"stride", "padding", "dilation", "groups"};
  return op.starts_with("quantized::conv") && is_one_of(argument, kPacked);
}

/// Kernels of quantised tensors whose rounding depends on the memory order of elements.
bool rounds_by_order(std::string_view op) {
  constexpr std::array<std::string_view, 17> kOperators = {
      "add",        "add_relu",           "cat",  "cat_relu",    "elu",
      "celu",       "hardswish",          "mean", "sigmoid",     "leaky_relu",
      "tanh",       "threshold",          "gelu", "hardsigmoid", "avg_pool2d",
      "avg_pool3d", "upsample_bilinear2d"};
  return is_one_of(ir::op_short_name(op), kOperators);
}

/// The memory order of images, "channels_last" or "mixed"; "" for row-major. Some operators have
/// row-major results in any case, and some depend only on whether operands are row-major.
std::string memory_order(std::string_view op, const torch::jit::Stack& inputs) {
  constexpr std::array<std::string_view, 3> kOnlyRows = {"elu", "celu", "mean"};
  bool any = false;
  bool are_rows = true;
  bool are_last = true;
  bool are_either = true;
  for (const c10::IValue& input : inputs) {
    if (!input.isTensor() && !is_tensor_list(input)) continue;
    for (const at::Tensor& each : flatten_tensors(input)) {
      if (!each.defined() || !each.is_quantized()) continue;
      const bool is_row = each.is_contiguous();
      const bool is_last =
          (each.dim() == 4 && each.is_contiguous(at::MemoryFormat::ChannelsLast)) ||
          (each.dim() == 5 && each.is_contiguous(at::MemoryFormat::ChannelsLast3d));
      any = true;
      are_rows = are_rows && is_row;
      are_last = are_last && is_last;
      are_either = are_either && (is_row || is_last);
    }
  }
  if (is_one_of(ir::op_short_name(op), kOnlyRows)) return are_rows ? "" : "mixed";
  return any && are_last ? "channels_last" : are_rows || !are_either ? "" : "mixed";
}

/// Which of torch's kernels picks nearest pixels: they differ for factors that give equal or double
/// sizes. "" for the usual one.
std::string nearest_kernel(std::string_view op, const torch::jit::Stack& inputs) {
  const std::string_view name = ir::op_short_name(op);
  if (!name.starts_with("upsample_nearest") && !name.starts_with("_upsample_nearest_exact"))
    return "";
  const at::Tensor& x = inputs[0].toTensor();
  if (x.is_quantized()) return "quantised";
  const bool is_last = (x.dim() == 4 && x.is_contiguous(at::MemoryFormat::ChannelsLast)) ||
                       (x.dim() == 5 && x.is_contiguous(at::MemoryFormat::ChannelsLast3d));
  return is_last && x.size(1) > 3 && name.starts_with("upsample") ? "channels_last" : "";
}

/// A size in a tensor becomes an operation that exists in Python.
void make_size_tensor(ir::Node& node) {
  node.op = ir::op_id("aten::tensor.int");
  node.args[0].name = "t";
  node.args.push_back({"dtype", ir::DType::i64});
  node.args.push_back({"device", ir::None{}});
  node.args.push_back({"requires_grad", false});
}

}  // namespace

ir::Attr Recorder::attribute(const c10::IValue& operand, const c10::Argument& argument,
                             const Marks& marks, Location location, const TensorReader& reader) {
  refuse_data(marks.reach(operand), argument.name(), reader.op);
  const c10::IValue value = marks.without(operand);
  const auto id = [&](const c10::IValue& v) {
    return v.isNone() || !v.toTensor().defined()
               ? ir::kNoValue
               : read(entry_of(v.toTensor(), location, reader.name));
  };
  if (value.isNone()) return ir::None{};
  if (value.isGenerator()) return std::string("generator");
  if (value.isTensor())
    return value.toTensor().defined() ? ir::Attr(ir::TensorRef{id(value)}) : ir::Attr(ir::None{});
  if (is_tensor_list(value)) {
    ir::TensorRefs refs;
    for (const c10::IValue& element : value.toListRef()) refs.ids.push_back(id(element));
    return refs;
  }
  const c10::TypeKind kind = element_kind(argument);
  if (value.isInt() && kind == c10::TypeKind::ScalarTypeType)
    return require_dtype(static_cast<at::ScalarType>(value.toInt()));
  if (value.isBool()) return value.toBool();
  if (value.isInt()) return expression(operand);
  if (value.isDouble()) return value.toDouble();
  if (value.isComplexDouble()) return std::complex<double>(value.toComplexDouble());
  if (value.isString()) return value.toStringRef();
  if (value.isDevice()) return std::string("cpu");
  if (value.isList())
    if (const auto list = list_attribute(value.toListRef(), kind, operand.toListRef()))
      return *list;
  throw Error("unsupported-argument",
              cat(reader.op, ": ", argument.name(), " of type ", quoted(value.tagKind()),
                  " cannot be exported"),
              value.isObject() || value.isCustomClass()
                  ? "it is an object, not a tensor or a plain value"
                  : "");
}

OpCall Recorder::prepare(const torch::jit::Operator& op, Run run, const torch::jit::Stack& operands,
                         const Marks& marks, Location location) {
  torch::jit::Stack inputs;
  for (const c10::IValue& value : operands) inputs.push_back(marks.without(value));
  const c10::FunctionSchema& schema = op.schema();
  OpCall call;
  call.schema = &schema;
  call.run = std::move(run);
  call.inputs = inputs;
  const std::string name = qualified_name(schema);
  call.node.op = ir::op_id(name);
  call.node.scope = location.scope;
  call.node.source = location.source;
  const std::string short_name(ir::op_short_name(name));
  call.node.call = naming_.call(location.scope, short_name);
  const auto packed = std::count_if(inputs.begin(), inputs.end(), PackedParameters::is_packed);
  for (size_t i = 0; i < inputs.size() && i < schema.arguments().size(); ++i) {
    const c10::Argument& argument = schema.arguments()[i];
    const auto add = [&](const c10::IValue& value, const std::string& as) {
      const TensorReader reader{name, cat(short_name, "_", call.node.call, "_", as)};
      call.node.args.push_back({as, attribute(value, argument, marks, location, reader)});
    };
    if (reads_packed(name, i) && !mark(inputs[i].toTensor())) {
      for (const PackedPart& part : constants_.packed().parts(name, inputs[i].toTensor(), inputs))
        add(part.value, part.name);
      continue;
    }
    if (!PackedParameters::is_packed(inputs[i])) {
      if (packed == 0 || !is_ignored(name, argument.name())) add(operands[i], argument.name());
      continue;
    }
    // With several packed arguments, each has parts of the same names.
    const std::string prefix = packed > 1 ? argument.name() + "_" : "";
    for (const PackedPart& part : constants_.packed().parts(inputs[i]))
      add(part.value, prefix + part.name);
  }
  if (rounds_by_order(name))
    if (const std::string order = memory_order(name, inputs); !order.empty())
      call.node.args.push_back({"memory_order", order});
  if (const std::string kernel = nearest_kernel(name, inputs); !kernel.empty())
    call.node.args.push_back({"kernel", kernel});
  call.node.compute_dtype = compute_dtype(schema, inputs);
  if (name == "prim::NumToTensor.Scalar" && is_size(mark_of(operands[0])))
    make_size_tensor(call.node);
  return call;
}

}  // namespace t2n::trace
