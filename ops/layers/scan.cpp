// SPDX-License-Identifier: Apache-2.0
// Loops: t2n::scan as tract_core_scan over a fragment made of its body.
#include "ir/scan.h"

#include <algorithm>
#include <map>
#include <optional>

#include "ops/layers/families.h"
#include "ops/layers/scan.h"
#include "src/translate/arith.h"
#include "src/translate/emitter_body.h"
#include "src/translate/registry.h"
#include "src/translate/sizes.h"

namespace t2n::ops {
namespace {

/// Turns a scan into a fragment, and the statement that runs it.
class Loop {
 public:
  Loop(const OpView& op, Emitter& out) : op_(op), out_(out), body_(op.body(), out) {}

  void run() {
    read();
    keep_in_place();
    bind_inputs();
    if (!translate_body(body_)) return;
    add_results();
    add_iteration();
    add_zero();
    add_sequence();
    add_histories();
    write();
  }

 private:
  /// A parameter that iterates over the only axis of an outer tensor.
  struct Scanned {
    Ref parameter;
    Ref outer;
  };
  /// A row of a streamed tensor, which cannot be gathered.
  struct Row {
    Ref parameter;
    Ref outer;
    int64_t axis = 0;
  };
  struct Carried {
    Ref parameter;
    Ref initial;
    bool is_read = true;
  };

  const ir::Value& input(size_t i) const { return op_.body().values[op_.body().inputs[i]]; }

  void read() {
    scan_.length = op_.dim("length");
    scanned_refs_ = op_.tensors("scanned");
    scan_.scanned.resize(scanned_refs_.size());
    scan_.scanned_axes = op_.ints("scanned_axes");
    scan_.scanned_reversed = op_.booleans("scanned_reversed");
    initial_ = op_.tensors("initial");
    scan_.initial.resize(initial_.size());
    may_be_empty_ = !is_in_body(out_) && may_be_zero(out_, scan_.length);
    captured_ = op_.tensors("captured");
    scan_.captured.resize(captured_.size());
    scan_.stacked_axes = op_.ints("stacked_axes");
    scan_.stacked_reversed = op_.booleans("stacked_reversed");
  }

  void bind_inputs() {
    // tract 0.23 assumes that a scanned range equals every other range, and contradicts its own
    // deductions from integers: the iteration number is a state in f32.
    if (std::any_of(op_.body().nodes.begin(), op_.body().nodes.end(), ir::is_scan))
      set_zero(body_, add_parameter(body_, "zero", DType::i64, {}));
    iteration_ = add_parameter(body_, input(0).name, DType::f32, {});
    set_iteration(body_, iteration_);
    bind_input(body_, 0, body_.cast(iteration_, DType::i64));
    for (size_t i = 0; i < initial_.size(); ++i) {
      const ir::Value& value = input(scan_.state_input(i));
      carry(add_parameter(body_, value.name, value.dtype, value.shape), initial_[i]);
      bind_input(body_, scan_.state_input(i), carried_.back().parameter);
    }
    for (size_t i = 0; i < captured_.size(); ++i)
      bind_input(body_, scan_.captured_input(i), captured_by(body_, captured_[i]));
    for (size_t i = 0; i < scanned_refs_.size(); ++i)
      bind_input(body_, scan_.scanned_input(i), is_streamed(i) ? row(i) : slice(i));
  }

  bool is_streamed(size_t i) const {
    return !scan_.scanned_reversed[i] &&
           out_.is_streamed(out_.shape(scanned_refs_[i])[axis_of_scanned(i)]) &&
           out_.shape(scanned_refs_[i])[axis_of_scanned(i)] == scan_.length;
  }
  size_t axis_of_scanned(size_t i) const { return scan_.scanned_axes[i]; }

  Ref row(size_t i) {
    const ir::Value& value = input(scan_.scanned_input(i));
    Shape shape = value.shape;
    shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(axis_of_scanned(i)), Dim(1));
    const Ref parameter = add_parameter(body_, value.name, value.dtype, shape);
    rows_.push_back({parameter, scanned_refs_[i], scan_.scanned_axes[i]});
    const Ref out = body_.squeeze(parameter, {static_cast<int64_t>(axis_of_scanned(i))});
    return varying(body_, out);
  }

  void carry(Ref parameter, Ref initial) { carried_.push_back({parameter, initial}); }

  /// Gathers by the iteration number. If an expression depends on a scanned tensor alone, tract
  /// moves it out of the body if it can, and then often computes wrong values or never finishes:
  /// for broadcasts, joins, products of a row with itself or with a vector.
  Ref slice(size_t i) {
    const ir::Value& value = input(scan_.scanned_input(i));
    const Ref last = out_.size(scan_.length - Dim(1), DType::i64);
    const Ref iteration = body_.cast(iteration_, DType::i64);
    const Ref index =
        scan_.scanned_reversed[i] ? sub(body_, captured_by(body_, last), iteration) : iteration;
    return body_.call("tract_core_gather", {captured_by(body_, scanned_refs_[i]), index},
                      {{"axis", scan_.scanned_axes[i]}}, value.dtype, value.shape);
  }

  void add_results() {
    std::vector<Ref> results;
    for (size_t i = 0; i < scan_.stacked(); ++i)
      results.push_back(body_.unsqueeze(result(i), {scan_.stacked_axes[i]}));
    for (size_t i = 0; i < initial_.size(); ++i) results.push_back(result(scan_.state_output(i)));
    add_body_results(body_, results);
    for (size_t i = 0; i < carried_.size(); ++i) leave_unread(i);
    for (size_t i = 0; i < carried_.size(); ++i)
      if (carried_[i].is_read && !reaches_states(carried_[i].parameter)) keep_read(i);
  }

  /// tract 0.23 never finishes with a result that is equal in every iteration.
  Ref result(size_t i) {
    const Ref value = body_.value(op_.body().outputs[i]);
    return body_.varies(value) ? value : varying(body_, value);
  }

  /// tract fails on states that no iteration reads: they are the last of the iterations' results.
  void leave_unread(size_t i) {
    carried_[i].is_read = is_read(body_, carried_[i].parameter);
    if (carried_[i].is_read) return;
    const size_t output = scan_.state_output(i);
    replace_body_result(body_, output, body_.unsqueeze(result(output), {0}));
  }

  /// True if a state of the next iteration depends on the parameter.
  bool reaches_states(Ref parameter) {
    std::vector<size_t> next;
    for (size_t i = 0; i < carried_.size(); ++i)
      if (carried_[i].is_read) next.push_back(scan_.state_output(i));
    return is_needed(body_, parameter, next);
  }

  /// tract fails if it drops the only results that read a state: the next state reads it as well,
  /// in iterations that never occur.
  void keep_read(size_t i) {
    const size_t output = scan_.state_output(i);
    const Ref never = compare(body_, "lt", iteration_, body_.scalar(0.0, DType::f32));
    replace_body_result(body_, output, select(body_, never, carried_[i].parameter, result(output)));
  }

  void add_iteration() {
    if (!is_read(body_, iteration_)) return;
    carry(iteration_, out_.scalar(0, DType::f32));
    add_body_results(body_, {add(body_, iteration_, body_.scalar(1, DType::f32))});
  }

  /// tract 0.23 moves a scan out of the outer body if it reads only scanned tensors, or if only
  /// results read it, and then computes wrong values. So its inputs depend on a state, and a state
  /// depends on it.
  void keep_in_place() {
    const std::optional<Ref> zero = zero_of(out_);
    if (!zero) return;
    for (std::vector<Ref>* refs : {&scanned_refs_, &initial_, &captured_})
      for (Ref& ref : *refs) {
        if (!is_computed(out_, ref)) continue;
        ref = out_.call("tract_core_gather", {out_.unsqueeze(ref, {0}), *zero}, {{"axis", 0}},
                        out_.dtype(ref), out_.shape(ref));
        return;
      }
  }

  void add_zero() {
    const std::optional<Ref> zero = zero_of(body_);
    if (!zero) return;
    carry(*zero, out_.scalar(0, DType::i64));
    Ref next = *zero;
    for (const Ref result : inner_results(body_)) {
      const Ref first = body_.squeeze(first_element(body_, body_.cast(result, DType::f32)), {0});
      const Ref sign = compare(body_, "lt", first, body_.scalar(0.0, DType::f32));
      next = minimum(body_, next, body_.cast(sign, DType::i64));
    }
    add_body_results(body_, {next});
  }

  /// tract runs no scan without a scanned tensor, nor one that no state or result reads: a sum
  /// keeps a range alive.
  void add_sequence() {
    if (!rows_.empty()) return;
    const Ref range = any_sequence();
    const DType dtype = out_.dtype(range);
    const Ref element = add_parameter(body_, "element", dtype, {1});
    scanned_ = {element, range};
    const Ref sum = add_parameter(body_, "sum", dtype, {});
    carry(sum, out_.scalar(0, dtype));
    add_body_results(body_, {add(body_, sum, body_.squeeze(element, {0}))});
  }

  /// Without iterations, tract gives the last state no shape. If that may occur, the scan outputs
  /// the states of all iterations; the result is the last of the initial state and these.
  void add_histories() {
    std::vector<Ref> rows;
    for (size_t i = 0; may_be_empty_ && i < initial_.size(); ++i) {
      if (!carried_[i].is_read || !op_.is_used(static_cast<int>(scan_.state_output(i)))) continue;
      histories_[i] = scan_.stacked() + carried_.size() + rows.size();
      rows.push_back(body_.unsqueeze(result(scan_.state_output(i)), {0}));
    }
    add_body_results(body_, rows);
  }

  /// The state after the last iteration, or the initial one; `rows` are the states after each.
  Ref last_of(size_t state, Ref rows) {
    const Ref first = out_.unsqueeze(initial_[state], {0});
    const Ref all = out_.concat({first, rows}, 0);
    return out_.squeeze(out_.slice(all, 0, scan_.length, scan_.length + Dim(1)), {0});
  }

  /// A tensor as long as the scan, and not constant: tract 0.23 computes wrong values for
  /// constants.
  Ref any_sequence() {
    if (!scan_.length.is_constant()) return out_.range(scan_.length);
    for (const std::vector<Ref>* refs : {&scanned_refs_, &initial_, &captured_})
      for (const Ref ref : *refs)
        if (is_computed(out_, ref)) return repeated_first(ref);
    refuse_constant_loop(out_);
  }

  /// The first element, repeated for each iteration of the scan.
  Ref repeated_first(Ref x) {
    return out_.broadcast_to(out_.cast(first_element(out_, x), DType::f32), {scan_.length});
  }

  /// [1]
  static Ref first_element(Emitter& out, Ref x) {
    for (int axis = 0; axis < out.rank(x); ++axis) {
      Shape shape = out.shape(x);
      shape[axis] = 1;
      x = out.call("slice", {x}, {{"axes", Ints{axis}}, {"begin", Ints{0}}, {"end", Ints{1}}},
                   out.dtype(x), shape);
    }
    return out.reshape(x, {1});
  }

  void write() {
    std::vector<Ref> parameters;
    if (rows_.empty()) parameters.push_back(scanned_.parameter);
    for (const Row& each : rows_) parameters.push_back(each.parameter);
    for (const Carried& each : carried_)
      if (each.is_read) parameters.push_back(each.parameter);
    const FinishedBody done = finish_body(body_, parameters);
    nnef::Values scanned, full, states, outputs;
    if (rows_.empty())
      scanned.push_back(
          scan_quadruple(name_in(body_, scanned_.parameter), out_.operand(scanned_.outer), 0, 1));
    for (const Row& each : rows_)
      scanned.push_back(
          scan_quadruple(name_in(body_, each.parameter), out_.operand(each.outer), each.axis, 1));
    for (const auto& [name, outer] : done.captured)
      full.push_back(scan_pair(name, out_.operand(outer)));
    for (size_t i = 0; i < carried_.size(); ++i)
      if (carried_[i].is_read)
        states.push_back(nnef::tuple({nnef::string(name_in(body_, carried_[i].parameter)),
                                      out_.operand(carried_[i].initial),
                                      nnef::string(done.results[scan_.stacked() + i])}));
    for (size_t i = 0; i < done.sizes.size(); ++i)
      states.push_back(
          nnef::tuple({nnef::string(done.sizes[i].first), out_.operand(done.sizes[i].second),
                       nnef::string(done.results[done.results.size() - done.sizes.size() + i])}));
    for (size_t i = 0; i < done.results.size(); ++i)
      outputs.push_back(scan_quadruple(done.results[i], nnef::string(is_full(i) ? "full" : "last"),
                                       i < scan_.stacked() ? scan_.stacked_axes[i] : 0,
                                       i < scan_.stacked() ? step_of(i) : 1));
    const auto results = out_.calls(op_.nnef(), {},
                                    {{"body", done.name},
                                     {"scan", nnef::array(std::move(scanned))},
                                     {"full", nnef::array(std::move(full))},
                                     {"state", nnef::array(std::move(states))},
                                     {"output", nnef::array(std::move(outputs))},
                                     {"skip", 0},
                                     {"reset_every_turn", out_.is_streamed(scan_.length) ? 0 : 1},
                                     {"external_state", 0}},
                                    types(done));
    if (zero_of(out_)) add_inner_result(out_, results[0]);
    for (int i = 0; i < op_.outputs(); ++i) {
      if (!op_.is_used(i)) continue;
      const Ref result = results[i];
      out_.result(may_be_empty_ && is_state(i) ? final_state(i, results)
                  : is_last(i)                 ? out_.squeeze(result, {0})
                  : is_reversed_after(i) ? reversed(out_, result, {static_cast<int>(axis_of(i))})
                                         : result,
                  i);
    }
  }

  /// If other results are in iteration order, tract 0.21 to 0.23 outputs reversed results that
  /// depend on them in iteration order as well: they are reversed after the scan.
  bool is_reversed_after(int output) const {
    const size_t i = output;
    const std::vector<bool>& reversed = scan_.stacked_reversed;
    return i < scan_.stacked() && reversed[i] &&
           std::find(reversed.begin(), reversed.end(), false) != reversed.end();
  }
  int64_t axis_of(int output) const { return scan_.stacked_axes[output]; }
  int step_of(size_t i) const {
    return scan_.stacked_reversed[i] && !is_reversed_after(static_cast<int>(i)) ? -1 : 1;
  }

  bool is_state(int output) const { return static_cast<size_t>(output) >= scan_.stacked(); }
  /// True if the scan outputs this result of every iteration.
  bool is_full(size_t i) const {
    const bool is_history = i >= scan_.stacked() + carried_.size() &&
                            i < scan_.stacked() + carried_.size() + histories_.size();
    return i < scan_.stacked() || is_history ||
           (may_be_empty_ && i < scan_.outputs() && is_last(static_cast<int>(i)));
  }

  Ref final_state(int output, const std::vector<Ref>& results) {
    const size_t state = static_cast<size_t>(output) - scan_.stacked();
    const auto history = histories_.find(state);
    return last_of(
        state,
        results[history == histories_.end() ? static_cast<size_t>(output) : history->second]);
  }

  /// The last value of a state that no iteration reads, with an axis of its own.
  bool is_last(int output) const {
    const size_t i = output;
    return i >= scan_.stacked() && !carried_[i - scan_.stacked()].is_read;
  }

  std::vector<TensorType> types(const FinishedBody& done) {
    std::vector<TensorType> out;
    for (int i = 0; i < op_.outputs(); ++i) {
      out.push_back({op_.dtype(i), op_.shape(i)});
      if (is_last(i))
        out.back().shape.insert(out.back().shape.begin(), may_be_empty_ ? scan_.length : Dim(1));
    }
    for (size_t i = initial_.size(); i < carried_.size(); ++i)
      out.push_back({body_.dtype(carried_[i].parameter), {}});
    for (const auto& [state, index] : histories_) {
      const int output = static_cast<int>(scan_.state_output(state));
      out.push_back({op_.dtype(output), op_.shape(output)});
      out.back().shape.insert(out.back().shape.begin(), scan_.length);
    }
    for (const auto& [name, carrier] : done.sizes)
      out.push_back({out_.dtype(carrier), out_.shape(carrier)});
    return out;
  }

  const OpView& op_;
  Emitter& out_;
  Emitter body_;
  ir::Scan scan_;
  std::vector<Ref> scanned_refs_;
  std::vector<Ref> initial_;
  std::vector<Ref> captured_;
  Ref iteration_;
  Scanned scanned_;
  std::vector<Row> rows_;
  bool may_be_empty_ = false;
  /// The result that holds all values of a state, by the index of the state.
  std::map<size_t, size_t> histories_;
  std::vector<Carried> carried_;  ///< the body's states, with what the statement needs for them
};

void scan(const OpView& op, Emitter& out) { Loop(op, out).run(); }

}  // namespace

nnef::Value scan_pair(const std::string& name, nnef::Value value) {
  return nnef::tuple({nnef::string(name), std::move(value)});
}

nnef::Value scan_quadruple(const std::string& name, nnef::Value second, int64_t axis,
                           int64_t step) {
  return nnef::tuple(
      {nnef::string(name), std::move(second), nnef::integer(axis), nnef::integer(step)});
}

void register_scan(Registry& r) {
  r.same({ir::kScanOp},
         {"tract_core_scan",
          "a loop of dynamic length: slices, states and captured tensors in, stacked results "
          "and last states out",
          scan});
}

}  // namespace t2n::ops
