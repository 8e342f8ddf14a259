// SPDX-License-Identifier: Apache-2.0
// Loops: a fragment that runs once for each chunk of the scanned tensors.
#include <ATen/Functions.h>

#include <algorithm>
#include <optional>

#include "src/interp/kernel.h"
#include "src/interp/kernels.h"
#include "src/interp/tract_support.h"

namespace t2n::interp {
namespace {

struct Scanned {
  std::string parameter;
  at::Tensor tensor;
  int64_t axis = 0;
  int64_t step = 1;  ///< entries per iteration; negative: starts at the end
};
struct State {
  std::string parameter;
  at::Tensor value;
  size_t result = 0;
};
struct Output {
  size_t result = 0;
  bool is_full = false;  ///< all iterations, otherwise the last
  int64_t axis = 0;
  int64_t step = 1;
};

/// Names in tuples may be the original ones, before their conversion to identifiers.
std::string identifier(const std::string& name) {
  std::string out;
  for (const char each : name)
    out += std::isalnum(static_cast<unsigned char>(each)) != 0 ? each : '_';
  const bool starts_badly = out.empty() || std::isdigit(static_cast<unsigned char>(name[0])) != 0;
  return starts_badly ? "_" + out : out;
}

Values tuple_of(const Value& value, size_t least) {
  Values out = to_items(value);
  if (out.size() < least) fail(cat("a tuple of ", out.size(), " items is too short"));
  return out;
}

class Loop {
 public:
  explicit Loop(const KernelCall& call) : call_(call), body_(call.fragment(call.str("body"))) {
    read_scanned();
    for (const Value& value : to_items(call.value("full"))) {
      const Values item = tuple_of(value, 2);
      bind(to_string(item[0]), item[1]);
    }
    read_states();
    read_outputs();
    if (call.i64("skip") != 0) fail("skipped iterations belong to pulses, which are not supported");
  }

  Tensors run() {
    const int64_t iterations = count();
    Tensors last;
    Checked<Tensors> all(outputs_.size());
    for (int64_t iteration = 0; iteration < iterations; ++iteration) {
      last = run_iteration(iteration);
      for (size_t i = 0; i < outputs_.size(); ++i)
        if (outputs_[i].is_full) all[i].push_back(last[outputs_[i].result]);
    }
    if (iterations == 0) last = without_iterations();
    Tensors out;
    for (size_t i = 0; i < outputs_.size(); ++i)
      out.push_back(outputs_[i].is_full ? full(outputs_[i], all[i], last)
                                        : last[outputs_[i].result]);
    for (const State& state : states_) call_.memory(state.parameter) = state.value;
    return out;
  }

 private:
  void bind(const std::string& name, const Value& value) {
    arguments_[name] = value;
    arguments_[identifier(name)] = value;
  }

  size_t result(const std::string& name) const {
    for (size_t i = 0; i < body_.results.size(); ++i)
      if (body_.results[i].name == name || body_.results[i].name == identifier(name)) return i;
    fail(cat(quoted(body_.name), " has no result ", quoted(name)));
  }

  void read_scanned() {
    for (const Value& value : to_items(call_.value("scan"))) {
      const Values item = tuple_of(value, 4);
      scanned_.push_back(
          {to_string(item[0]), to_tensor(item[1]), to_integer(item[2]), to_integer(item[3])});
      if (scanned_.back().step == 0) fail("a step is zero");
    }
    if (scanned_.empty()) fail("nothing is scanned: the number of iterations is unknown");
  }

  /// Exporters write numbers, tract itself writes logicals.
  bool is_set(std::string_view option) const {
    const Value& value = call_.value(option);
    return value.get<bool>() != nullptr ? to_logical(value) : to_integer(value) != 0;
  }

  void read_states() {
    for (const Value& value : to_items(call_.value("state"))) {
      const Values item = tuple_of(value, 3);
      const std::string& name = to_string(item[0]);
      const at::Tensor& kept = call_.memory(name);
      const bool resume = kept.defined() && !is_set("reset_every_turn");
      states_.push_back({name, resume ? kept : to_tensor(item[1]), result(to_string(item[2]))});
    }
  }

  void read_outputs() {
    for (const Value& value : to_items(call_.value("output"))) {
      const Values item = tuple_of(value, 3);
      const std::string& kind = to_string(item[1]);
      if (kind != "full" && kind != "last")
        fail(cat("an output is 'full' or 'last', not ", quoted(kind)));
      outputs_.push_back({result(to_string(item[0])), kind == "full", to_integer(item[2]),
                          item.size() > 3 ? to_integer(item[3]) : 1});
    }
  }

  int64_t count() const {
    std::optional<int64_t> out;
    for (const Scanned& each : scanned_) {
      const int64_t size = each.tensor.size(each.axis), chunk = std::abs(each.step);
      if (chunk == 0 || size % chunk != 0)
        fail(cat("an axis of ", size, " is not a multiple of the chunk ", chunk));
      if (out && *out != size / chunk)
        fail(cat("scanned tensors have ", *out, " and ", size / chunk, " iterations"));
      out = size / chunk;
    }
    return *out;
  }

  Tensors run_body() {
    for (const State& state : states_) bind(state.parameter, Value(state.value, false));
    Tensors out;
    for (const Value& value : call_.run_fragment(body_.name, arguments_))
      out.push_back(to_tensor(value));
    return out;
  }

  Tensors run_iteration(int64_t iteration) {
    for (const Scanned& each : scanned_) {
      const int64_t chunk = std::abs(each.step), size = each.tensor.size(each.axis);
      const int64_t start = each.step > 0 ? iteration * chunk : size - (iteration + 1) * chunk;
      bind(each.parameter, Value(each.tensor.narrow(each.axis, start, chunk), false));
    }
    const Tensors results = run_body();
    for (State& state : states_) state.value = results[state.result];
    return results;
  }

  /// Shapes come from an iteration on zeros; states are unchanged.
  Tensors without_iterations() {
    for (const Scanned& each : scanned_) {
      Ints shape = each.tensor.sizes().vec();
      shape[each.axis] = std::abs(each.step);
      bind(each.parameter, Value(at::zeros(shape, each.tensor.options()), false));
    }
    Tensors results = run_body();
    for (const State& state : states_) results[state.result] = state.value;
    return results;
  }

  static at::Tensor full(const Output& output, Tensors iterations, const Tensors& last) {
    if (iterations.empty()) return last[output.result].narrow(output.axis, 0, 0);
    if (output.step < 0) std::reverse(iterations.begin(), iterations.end());
    return at::cat(iterations, output.axis);
  }

  const KernelCall& call_;
  const nnef::Fragment& body_;
  Checked<Scanned> scanned_;
  Checked<State> states_;
  Checked<Output> outputs_;
  std::map<std::string, Value> arguments_;
};

Tensors scan(const KernelCall& call) { return Loop(call).run(); }

}  // namespace

void register_tract_scan(Kernels& kernels) { kernels.add("tract_core_scan", scan); }

}  // namespace t2n::interp
