#include "src/compress/observe.h"

#include <algorithm>

#include "src/diag/error.h"

namespace t2n::compress {
namespace {

Observer observer_of(const std::string& name) {
  for (const auto& [text, observer] : kObserverNames)
    if (text == name) return observer;
  throw Error("ir-invalid", cat("there is no observer ", quoted(name)));
}

template <typename T>
const T& at(const ir::Node& node, std::string_view argument) {
  const ir::Attr* attr = node.find(argument);
  const T* value = attr == nullptr ? nullptr : std::get_if<T>(attr);
  if (value == nullptr)
    throw Error("ir-invalid",
                cat(kObserveOp, ": ", quoted(argument), " is missing or no such thing"));
  return *value;
}

/// An empty list has no type in the text form.
std::vector<double> reals(const ir::Node& node, std::string_view argument) {
  const ir::Attr* attr = node.find(argument);
  if (attr == nullptr) return {};
  if (const auto* values = std::get_if<std::vector<double>>(attr)) return *values;
  return {};
}

std::vector<int64_t> integers(const ir::Node& node, std::string_view argument) {
  std::vector<int64_t> out;
  const ir::Attr* attr = node.find(argument);
  const auto* dims = attr == nullptr ? nullptr : std::get_if<std::vector<ir::Dim>>(attr);
  if (dims == nullptr) return out;
  for (const ir::Dim& dim : *dims) out.push_back(dim.value());
  return out;
}

}  // namespace

std::string_view observer_name(Observer observer) {
  return std::find_if(kObserverNames.begin(), kObserverNames.end(),
                      [&](const auto& each) { return each.second == observer; })
      ->first;
}

bool is_observe(const ir::Node& node) {
  static const ir::OpId op = ir::op_id(kObserveOp);
  return node.op == op;
}

Observation read_observation(const ir::Node& node) {
  Observation out;
  out.self = at<ir::TensorRef>(node, "self").id;
  out.grid.bits = static_cast<int>(at<ir::Dim>(node, "bits").value());
  out.grid.is_signed = at<bool>(node, "signed");
  out.grid.is_symmetric = at<bool>(node, "symmetric");
  out.grid.is_narrow = at<bool>(node, "narrow_range");
  out.grid.observer = observer_of(at<std::string>(node, "observer"));
  out.grid.quantile = at<double>(node, "quantile");
  if (const auto* axis = std::get_if<ir::Dim>(node.find("axis")))
    out.axis = static_cast<int>(axis->value());
  out.grid.is_per_channel = out.axis.has_value();
  out.least_squares = at<bool>(node, "least_squares");
  out.low = reals(node, "low");
  out.high = reals(node, "high");
  out.scale = reals(node, "scale");
  out.zero_point = integers(node, "zero_point");
  return out;
}

std::vector<ir::Argument> observation_arguments(const Observation& of) {
  ir::Attr axis = ir::None();
  if (of.axis) axis = ir::Dim(*of.axis);
  std::vector<ir::Dim> points(of.zero_point.begin(), of.zero_point.end());
  return {{"self", ir::TensorRef{of.self}},
          {"observer", std::string(observer_name(of.grid.observer))},
          {"bits", ir::Dim(of.grid.bits)},
          {"signed", of.grid.is_signed},
          {"symmetric", of.grid.is_symmetric},
          {"narrow_range", of.grid.is_narrow},
          {"axis", std::move(axis)},
          {"quantile", of.grid.quantile},
          {"least_squares", of.least_squares},
          {"low", of.low},
          {"high", of.high},
          {"scale", of.scale},
          {"zero_point", std::move(points)}};
}

int64_t lowest(const Grid& grid) {
  const int64_t least = grid.is_signed ? -(int64_t{1} << (grid.bits - 1)) : 0;
  return least + (grid.is_narrow ? 1 : 0);
}
int64_t highest(const Grid& grid) {
  return (int64_t{1} << (grid.is_signed ? grid.bits - 1 : grid.bits)) - 1;
}

}  // namespace t2n::compress
