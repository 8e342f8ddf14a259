// SPDX-License-Identifier: Apache-2.0
#include "ir/scan.h"

#include <algorithm>
#include <cstring>

#include "ir/dead_code.h"

namespace t2n::ir {
namespace {

template <typename T>
const T* get(const Node& node, std::string_view name) {
  return std::get_if<T>(node.find(name));
}

/// The scan, or an error message about the arguments.
std::variant<Scan, std::string> decode(const Node& node) {
  std::string problem;
  const auto read = [&]<typename T>(std::string_view name, T otherwise) {
    const T* found = get<T>(node, name);
    if (found == nullptr && problem.empty())
      problem = cat("the argument ", quoted(name), " is missing or has the wrong type");
    return found == nullptr ? otherwise : *found;
  };
  const auto ints = [&](std::string_view name) {
    Ints out;
    for (const Dim& each : read(name, std::vector<Dim>())) {
      if (each.is_constant())
        out.push_back(each.value());
      else if (problem.empty())
        problem = cat(quoted(name), " contains a symbolic size");
    }
    return out;
  };
  Scan out;
  out.length = read("length", Dim());
  out.scanned = read("scanned", TensorRefs()).ids;
  out.scanned_axes = ints("scanned_axes");
  out.scanned_reversed = read("scanned_reversed", std::vector<bool>());
  out.initial = read("initial", TensorRefs()).ids;
  out.captured = read("captured", TensorRefs()).ids;
  out.stacked_axes = ints("stacked_axes");
  out.stacked_reversed = read("stacked_reversed", std::vector<bool>());
  if (problem.empty() && (out.scanned_axes.size() != out.scanned.size() ||
                          out.scanned_reversed.size() != out.scanned.size()))
    problem = "every scanned tensor needs an axis and a direction";
  if (problem.empty() && out.stacked_reversed.size() != out.stacked())
    problem = "every stacked output needs an axis and a direction";
  if (!problem.empty()) return problem;
  return out;
}

/// True for sizes that certainly differ; symbolic ones may be equal.
bool differ(const Dim& a, const Dim& b) { return a.is_constant() && b.is_constant() && !(a == b); }

class Checker {
 public:
  Checker(const Graph& graph, const Node& node, const Scan& scan)
      : graph_(graph), node_(node), body_(*node.body), scan_(scan) {}

  std::optional<std::string> run() {
    if (body_.inputs.size() != scan_.inputs())
      return cat("the body has ", body_.inputs.size(), " inputs, the scan passes ", scan_.inputs());
    if (body_.outputs.size() != scan_.outputs() || node_.outputs.size() != scan_.outputs())
      return cat("the body has ", body_.outputs.size(), " outputs, the scan needs ",
                 scan_.outputs(), " and has ", node_.outputs.size());
    if (scan_.length.is_constant() && scan_.length.value() < 0)
      return cat("the scan has ", scan_.length.value(), " iterations");
    check_inputs();
    check_outputs();
    return problem_;
  }

 private:
  const Value& outer(ValueId id) const { return graph_.values[id]; }
  const Value& inner(ValueId id) const { return body_.values[id]; }
  const Value& input(size_t i) const { return inner(body_.inputs[i]); }
  const Value& output(size_t i) const { return inner(body_.outputs[i]); }

  void fail(std::string text) {
    if (!problem_) problem_ = std::move(text);
  }

  void match(const Value& actual, const Value& expected, std::string_view role) {
    bool same = actual.dtype == expected.dtype && actual.shape.size() == expected.shape.size();
    for (size_t i = 0; same && i < actual.shape.size(); ++i)
      same = !differ(actual.shape[i], expected.shape[i]);
    if (!same)
      fail(cat(quoted("%" + actual.name), " of the body is ", dtype_name(actual.dtype),
               shape_str(actual.shape), " where ", role, " is ", dtype_name(expected.dtype),
               shape_str(expected.shape)));
  }

  /// `tensor` at one index of `axis`, whose size must be the length of the scan.
  Value without_axis(const Value& tensor, int64_t axis) {
    Value out = tensor;
    if (axis < 0 || axis >= static_cast<int64_t>(tensor.shape.size())) {
      fail(cat(quoted("%" + tensor.name), " has no axis ", axis));
      return out;
    }
    const Dim size = tensor.shape[axis];
    if (differ(size, scan_.length))
      fail(cat(quoted("%" + tensor.name), " has the size ", size.str(), " along axis ", axis,
               " of a scan of ", scan_.length.str(), " iterations"));
    out.shape.erase(out.shape.begin() + axis);
    return out;
  }

  void check_inputs() {
    match(input(0), {.name = "", .dtype = DType::i64, .shape = {}, .quant = {}}, "the iteration");
    for (size_t i = 0; i < scan_.scanned.size(); ++i)
      match(input(scan_.scanned_input(i)),
            without_axis(outer(scan_.scanned[i]), scan_.scanned_axes[i]), "the scanned slice");
    for (size_t i = 0; i < scan_.initial.size(); ++i)
      match(input(scan_.state_input(i)), outer(scan_.initial[i]), "the initial state");
    for (size_t i = 0; i < scan_.captured.size(); ++i)
      match(input(scan_.captured_input(i)), outer(scan_.captured[i]), "the captured value");
  }

  void check_outputs() {
    for (size_t i = 0; i < scan_.stacked(); ++i)
      match(output(i), without_axis(outer(node_.outputs[i]), scan_.stacked_axes[i]),
            "a slice of the output");
    for (size_t i = 0; i < scan_.initial.size(); ++i) {
      match(output(scan_.state_output(i)), outer(scan_.initial[i]), "the state");
      match(output(scan_.state_output(i)), outer(node_.outputs[scan_.state_output(i)]),
            "the last state");
    }
  }

  const Graph& graph_;
  const Node& node_;
  const Graph& body_;
  const Scan& scan_;
  std::optional<std::string> problem_;
};

/// The slice at index `at` of one axis.
Tensor selected(const Tensor& tensor, int64_t axis, int64_t at) {
  const size_t index = axis;
  Tensor out = tensor;
  const int64_t skip = at * tensor.strides[index] * dtype_size(tensor.dtype);
  if (tensor.elements() > 0) out.bytes = tensor.bytes.subspan(skip);
  out.shape.erase(out.shape.begin() + axis);
  out.strides.erase(out.strides.begin() + axis);
  return out;
}

/// The values of all iterations along a new axis.
Tensor stacked(std::vector<Tensor> iterations, int64_t axis, bool reversed) {
  if (reversed) std::reverse(iterations.begin(), iterations.end());
  Ints shape = iterations.at(0).shape;
  Ints before(shape.begin(), shape.begin() + axis), after(shape.begin() + axis, shape.end());
  const DType dtype = iterations[0].dtype;
  const size_t block = element_count(after) * dtype_size(dtype);
  shape.insert(shape.begin() + axis, static_cast<int64_t>(iterations.size()));
  OwnedTensor out = allocate(dtype, shape);
  for (size_t t = 0; t < iterations.size(); ++t) {
    const Tensor rows = contiguous(iterations[t]);
    for (size_t row = 0; block > 0 && row < static_cast<size_t>(element_count(before)); ++row)
      std::memcpy(out.data.data() + (row * iterations.size() + t) * block,
                  rows.bytes.data() + row * block, block);
  }
  return std::move(out.tensor);
}

/// The same for zero iterations. Unknown sizes of the body become 0.
Tensor stacked_none(const Value& each, int64_t axis) {
  Ints shape;
  for (const Dim& dim : each.shape) shape.push_back(dim.is_constant() ? dim.value() : 0);
  shape.insert(shape.begin() + axis, 0);
  return allocate(each.dtype, shape).tensor;
}

template <typename T>
void keep(std::vector<T>& items, const std::vector<bool>& kept) {
  size_t next = 0;
  std::vector<T> out;
  for (const T& item : items)
    if (kept[next++]) out.push_back(item);
  items = std::move(out);
}

/// The inputs of the body that its used outputs need.
std::vector<bool> needed_inputs(const Graph& body, const std::vector<bool>& is_used) {
  std::vector<bool> needed(body.values.size());
  for (size_t i = 0; i < is_used.size(); ++i)
    if (is_used[i]) needed.at(body.outputs[i]) = true;
  live_nodes(body, needed);
  std::vector<bool> out;
  for (const ValueId id : body.inputs) out.push_back(needed[id]);
  return out;
}

}  // namespace

bool is_scan(const Node& node) {
  static const OpId scan = op_id(kScanOp);
  return node.op == scan;
}

Scan read_scan(const Node& node) {
  auto decoded = decode(node);
  const auto* problem = std::get_if<std::string>(&decoded);
  T2N_ASSERT(problem == nullptr, "scan_", node.call, ": ", *problem);
  return std::get<Scan>(std::move(decoded));
}

std::vector<Argument> scan_arguments(const Scan& scan) {
  const auto dims = [](const Ints& ints) { return std::vector<Dim>(ints.begin(), ints.end()); };
  return {{"length", scan.length},
          {"scanned", TensorRefs{scan.scanned}},
          {"scanned_axes", dims(scan.scanned_axes)},
          {"scanned_reversed", scan.scanned_reversed},
          {"initial", TensorRefs{scan.initial}},
          {"captured", TensorRefs{scan.captured}},
          {"stacked_axes", dims(scan.stacked_axes)},
          {"stacked_reversed", scan.stacked_reversed}};
}

std::optional<std::string> scan_problem(const Graph& graph, const Node& node) {
  const auto decoded = decode(node);
  if (const auto* problem = std::get_if<std::string>(&decoded)) return *problem;
  return Checker(graph, node, std::get<Scan>(decoded)).run();
}

std::vector<Tensor> run_scan(const Node& node, const Operand& operand, const Evaluator& evaluate,
                             const Sizes& unbacked_outside) {
  const Scan scan = read_scan(node);
  std::vector<Tensor> scanned, states, captured;
  for (const ValueId id : scan.scanned) scanned.push_back(operand(id));
  for (const ValueId id : scan.initial) states.push_back(operand(id));
  for (const ValueId id : scan.captured) captured.push_back(operand(id));
  std::vector<std::vector<Tensor>> iterations(scan.stacked());
  const int64_t length = scan.length.value();
  for (int64_t iteration = 0; iteration < length; ++iteration) {
    std::vector<Tensor> inputs = {scalar_tensor(iteration, DType::i64)};
    for (size_t i = 0; i < scanned.size(); ++i)
      inputs.push_back(selected(scanned[i], scan.scanned_axes[i],
                                scan.scanned_reversed[i] ? length - 1 - iteration : iteration));
    inputs.insert(inputs.end(), states.begin(), states.end());
    inputs.insert(inputs.end(), captured.begin(), captured.end());
    std::vector<Tensor> results = run_graph(*node.body, inputs, evaluate, unbacked_outside);
    for (size_t i = 0; i < iterations.size(); ++i) iterations[i].push_back(results[i]);
    states.assign(results.begin() + static_cast<std::ptrdiff_t>(scan.stacked()), results.end());
  }
  std::vector<Tensor> out;
  for (size_t i = 0; i < iterations.size(); ++i) {
    const size_t result = node.body->outputs[i];
    out.push_back(length == 0 ? stacked_none(node.body->values[result], scan.stacked_axes[i])
                              : stacked(std::move(iterations[i]), scan.stacked_axes[i],
                                        scan.stacked_reversed[i]));
  }
  out.insert(out.end(), states.begin(), states.end());
  return out;
}

bool prune_scan(Node& node, const std::vector<bool>& is_used) {
  Scan scan = read_scan(node);
  // A state is needed if its last value is used, or if a needed output reads it.
  std::vector<bool> outputs = is_used, inputs;
  for (bool changed = true; changed;) {
    changed = false;
    inputs = needed_inputs(*node.body, outputs);
    for (size_t i = 0; i < scan.initial.size(); ++i)
      if (inputs[scan.state_input(i)] && !outputs[scan.state_output(i)])
        changed = outputs[scan.state_output(i)] = true;
  }
  for (size_t i = 0; i < scan.initial.size(); ++i)
    inputs[scan.state_input(i)] = outputs[scan.state_output(i)];
  inputs[0] = true;
  const auto all = [](const std::vector<bool>& kept) {
    return std::find(kept.begin(), kept.end(), false) == kept.end();
  };
  if (all(outputs) && all(inputs)) return false;

  const auto part = [](const std::vector<bool>& kept, size_t first, size_t count) {
    const auto begin = kept.begin() + static_cast<std::ptrdiff_t>(first);
    return std::vector<bool>(begin, begin + static_cast<std::ptrdiff_t>(count));
  };
  const std::vector<bool> scanned = part(inputs, scan.scanned_input(0), scan.scanned.size());
  const std::vector<bool> states = part(inputs, scan.state_input(0), scan.initial.size());
  const std::vector<bool> captured = part(inputs, scan.captured_input(0), scan.captured.size());
  const std::vector<bool> stacks = part(outputs, 0, scan.stacked());
  keep(scan.scanned, scanned);
  keep(scan.scanned_axes, scanned);
  keep(scan.scanned_reversed, scanned);
  keep(scan.initial, states);
  keep(scan.captured, captured);
  keep(scan.stacked_axes, stacks);
  keep(scan.stacked_reversed, stacks);
  node.args = scan_arguments(scan);
  keep(node.outputs, outputs);
  auto body = std::make_shared<Graph>(*node.body);
  keep(body->inputs, inputs);
  keep(body->outputs, outputs);
  keep(body->output_names, outputs);
  remove_dead(*body);
  node.body = std::move(body);
  return true;
}

}  // namespace t2n::ir
