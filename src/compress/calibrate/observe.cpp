// SPDX-License-Identifier: Apache-2.0
#include "src/compress/calibrate/observe.h"

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
                cat(kObserveOp, ": ", quoted(argument), " is missing or has the wrong type"));
  return *value;
}

/// An empty list has no type in the text form.
std::vector<double> floats(const ir::Node& node, std::string_view argument) {
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
  out.scheme.bits = static_cast<int>(at<ir::Dim>(node, "bits").value());
  out.scheme.is_signed = at<bool>(node, "signed");
  out.scheme.is_symmetric = at<bool>(node, "symmetric");
  out.scheme.is_narrow = at<bool>(node, "narrow_range");
  out.scheme.observer = observer_of(at<std::string>(node, "observer"));
  out.scheme.quantile = at<double>(node, "quantile");
  if (const auto* axis = std::get_if<ir::Dim>(node.find("axis")))
    out.axis = static_cast<int>(axis->value());
  out.scheme.is_per_channel = out.axis.has_value();
  out.least_squares = at<bool>(node, "least_squares");
  out.low = floats(node, "low");
  out.high = floats(node, "high");
  out.scale = floats(node, "scale");
  out.zero_point = integers(node, "zero_point");
  return out;
}

std::vector<ir::Argument> observation_arguments(const Observation& observation) {
  ir::Attr axis = ir::None();
  if (observation.axis) axis = ir::Dim(*observation.axis);
  std::vector<ir::Dim> points(observation.zero_point.begin(), observation.zero_point.end());
  return {{"self", ir::TensorRef{observation.self}},
          {"observer", std::string(observer_name(observation.scheme.observer))},
          {"bits", ir::Dim(observation.scheme.bits)},
          {"signed", observation.scheme.is_signed},
          {"symmetric", observation.scheme.is_symmetric},
          {"narrow_range", observation.scheme.is_narrow},
          {"axis", std::move(axis)},
          {"quantile", observation.scheme.quantile},
          {"least_squares", observation.least_squares},
          {"low", observation.low},
          {"high", observation.high},
          {"scale", observation.scale},
          {"zero_point", std::move(points)}};
}

int64_t lowest(const QuantScheme& scheme) {
  const int64_t least = scheme.is_signed ? -(int64_t{1} << (scheme.bits - 1)) : 0;
  return least + (scheme.is_narrow ? 1 : 0);
}
int64_t highest(const QuantScheme& scheme) {
  return (int64_t{1} << (scheme.is_signed ? scheme.bits - 1 : scheme.bits)) - 1;
}

}  // namespace t2n::compress
