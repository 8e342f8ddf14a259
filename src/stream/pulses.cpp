// SPDX-License-Identifier: Apache-2.0
// Applies the rules to the statements of a document, and of the fragments that they call.
#include "src/stream/pulses.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "src/diag/error.h"
#include "src/nnef/walk.h"
#include "src/nnef_ops/flow_call.h"
#include "src/spec/document_walk.h"
#include "src/spec/input_facts.h"
#include "src/spec/operations.h"

namespace t2n::stream {
namespace {

using nnef::Kind;
using nnef::Value;
using nnef_ops::blocked;
using nnef_ops::Flow;
using nnef_ops::FlowCall;
using nnef_ops::Flows;
using nnef_ops::mentions;
using nnef_ops::rate_of;
using nnef_ops::streaming_axis;

/// The value of a name.
struct Item {
  Flow flow;
  const Value* literal = nullptr;
  /// The final state of a scan over the stream, which has no end.
  bool is_last_state = false;
};

bool all_known(const Flows& flows) {
  return std::all_of(flows.begin(), flows.end(), [](const Flow& flow) { return flow.known; });
}
bool any_streams(const Flows& flows) {
  return std::any_of(flows.begin(), flows.end(), [](const Flow& flow) { return flow.streams(); });
}

std::vector<Item> items_of(const Flows& flows) {
  std::vector<Item> out;
  for (const Flow& flow : flows) out.push_back({flow, nullptr, false});
  return out;
}

class Finder : spec::DocumentWalk<Finder, Item> {
 public:
  Finder(const nnef::Document& document, const draft::Notes& notes, std::string symbol)
      : DocumentWalk(document), document_(document), notes_(notes), symbol_(std::move(symbol)) {}

  Pulses run() {
    Scope scope;
    for (const nnef::Assignment& statement : document_.graph.body) add(statement, scope);
    bool any_output_streams = false;
    for (const std::string& name : document_.graph.results) {
      const Item& item = scope[name];
      any_output_streams = any_output_streams || item.flow.streams() || !item.flow.known;
      if (item.is_last_state)
        refuse(location_of(name),
               Error("not-streamable", "outputs the state after the last time step", {}, kNoLast));
    }
    if (!any_output_streams && out_.refusals.empty())
      refuse(-1, Error("not-streamable", "no output is streamed"));
    return std::move(out_);
  }

 private:
  friend DocumentWalk;

  static constexpr const char* kNoLast =
      "the last time step is unknown while a stream runs: output the states of all time steps, or "
      "remove the output";

  void add(const nnef::Assignment& statement, Scope& scope) {
    const auto names = nnef::assigned_names(statement.left);
    const auto note = notes_.tensors.find(std::string(names.at(0)));
    result_ = note == notes_.tensors.end() ? nullptr : &note->second.shape;
    Results items;
    try {
      items = results_of(statement.right, scope);
      if (items.size() < names.size()) items.resize(names.size());
      for (size_t i = 0; i < names.size(); ++i) resolve(std::string(names[i]), items[i]);
    } catch (const Error& reason) {
      if (reason.diagnostic().id != "not-streamable") throw;
      refuse(location_of(std::string(names[0])), reason);
      items.assign(names.size(), unknown());
    }
    assign(statement.left, std::move(items), scope);
  }

  static Item unknown() { return {.flow = {.known = false}}; }
  static void fit(Results& results, size_t count) { results.resize(count); }

  /// Takes the shape from the notes and checks it against the rule's result.
  void resolve(const std::string& name, Item& item) {
    const auto note = notes_.tensors.find(name);
    if (note == notes_.tensors.end() || !item.flow.known || item.is_last_state) return;
    const ir::Shape& shape = note->second.shape;
    const int axis = streaming_axis(shape, symbol_);
    if (axis == -2) blocked("builds a time × time matrix");
    if (axis != item.flow.axis)
      blocked(axis < 0 ? "keeps a part of fixed length"
                       : "moves the streamed axis in an unsupported way");
    item.flow.rank = static_cast<int>(shape.size());
    item.flow.shape = &shape;
    if (axis < 0) return;
    const auto rate = rate_of(shape[axis], symbol_);
    if (!rate) blocked("has a result that does not grow at a fixed rate");
    out_.multiple = std::lcm(out_.multiple, rate->down);
    out_.least = std::max(out_.least, (item.flow.least * rate->down + rate->up - 1) / rate->up);
    item.flow.least = 0;
  }

  int location_of(const std::string& name) const {
    const auto note = notes_.tensors.find(name);
    return note == notes_.tensors.end() ? -1 : note->second.location;
  }

  void refuse(int location, const Error& reason) {
    if (refused_.insert(location).second) out_.refusals.push_back({location, reason.diagnostic()});
  }

  Item item_of(const Value& value, Scope& scope) {
    if (value.kind == Kind::identifier) {
      const auto found = scope.find(value.text);
      if (found == scope.end()) return {};
      if (found->second.is_last_state) blocked("reads the state after the last time step", kNoLast);
      return found->second;
    }
    if (value.kind == Kind::invocation || value.kind == Kind::binary) {
      const ir::Shape* const outer = std::exchange(result_, nullptr);
      Results items = results_of(value, scope);
      result_ = outer;
      return items.empty() ? Item{} : items[0];
    }
    return {};
  }

  static const Value& literal_of(const Value& value, const Scope& scope) {
    if (value.kind != Kind::identifier) return value;
    const auto found = scope.find(value.text);
    return found != scope.end() && found->second.literal ? *found->second.literal : value;
  }

  Results other(const Value& value, Scope& scope) {
    if (value.kind == Kind::identifier) return {item_of(value, scope)};
    bool streams = mentions(value, symbol_);
    nnef::walk(value, [&](const Value& part) {
      if (part.kind == Kind::identifier) streams = streams || item_of(part, scope).flow.streams();
    });
    if (streams) blocked("is an expression that does not run in pulses");
    return {};
  }

  Results call(const Value& invocation, Scope& scope) {
    if (invocation.text == "tract_core_scan") return scan(invocation, scope);
    if (spec::is_external(invocation)) return {external()};
    if (invocation.text == "variable") return {{}};
    const nnef::Fragment* const declaration =
        spec::find_operation(invocation.text, spec::Dialect::tract);
    if (declaration == nullptr) blocked(cat("is exported as ", quoted(invocation.text)));
    const FlowCall::FlowOf flow = [&](const Value& value) { return item_of(value, scope).flow; };
    const FlowCall::LiteralOf literal = [&](const Value& value) -> const Value& {
      return literal_of(value, scope);
    };
    const FlowCall call(*declaration, invocation, flow, literal, symbol_,
                        is_in_fragment() ? nullptr : result_);
    const Flows operands = call.operands();
    if (!all_known(operands)) return Results(2, unknown());
    if (!any_streams(operands) && !call.reads_length()) return {};
    const nnef_ops::FlowRule rule = nnef_ops::book().at(invocation.text).flow;
    if (rule == nullptr)
      blocked(cat("is exported as ", quoted(invocation.text), ", which does not run in pulses"));
    return items_of(rule(call));
  }

  Item external() const {
    Item out;
    if (result_ != nullptr) out.flow.axis = std::max(-1, streaming_axis(*result_, symbol_));
    return out;
  }

  Scope enter(const nnef::Fragment& callee, const Value& invocation, Scope& scope) {
    const spec::BoundCall bound(callee, invocation);
    Scope inner;
    for (size_t i = 0; i < callee.parameters.size(); ++i) {
      const Value* const argument = bound.arguments()[i];
      if (argument == nullptr) continue;
      Item item = item_of(*argument, scope);
      const Value& literal = literal_of(*argument, scope);
      const bool is_tensor = callee.parameters[i].type.starts_with("tensor");
      if (is_tensor && mentions(literal, symbol_)) blocked("uses the total input length");
      if (literal.kind != Kind::identifier && literal.kind != Kind::invocation &&
          literal.kind != Kind::binary)
        item.literal = &literal;
      inner[callee.parameters[i].name] = item;
    }
    return inner;
  }

  struct Scanned {
    int count = 0;
    bool delayed = false;
    bool known = true;
  };

  Scanned scanned(const Value& rows, Scope& scope) {
    Scanned out;
    bool any = false;
    for (const Value& row : rows.items) {
      const Flow flow = item_of(row.items.at(1), scope).flow;
      ++out.count;
      out.known = out.known && flow.known;
      out.delayed = out.delayed || flow.delayed;
      if (!flow.streams()) continue;
      any = true;
      if (flow.axis != row.items.at(2).integer)
        blocked("loops along another axis than the streamed one");
      if (row.items.at(3).integer < 0)
        blocked("loops backward from the end of the stream",
                "the end of a stream is unknown while it runs: use a unidirectional layer "
                "(bidirectional=False)");
      if (row.items.at(3).integer != 1) blocked("reads several time steps per iteration");
    }
    if (!any) out.count = 0;
    return out;
  }

  Results scan(const Value& invocation, Scope& scope) {
    const auto attribute = [&](std::string_view name) -> const Value& {
      const Value* const found = nnef::find_argument(invocation, name);
      T2N_ASSERT(found != nullptr, "a scan without ", name);
      return *found;
    };
    const Scanned input = scanned(attribute("scan"), scope);
    for (const char* list : {"full", "state"})
      for (const Value& row : attribute(list).items)
        if (const Flow flow = item_of(row.items.at(1), scope).flow; flow.streams())
          blocked("reads the entire stream in each iteration",
                  "write the loop as a recurrent layer (nn.GRU, nn.LSTM, nn.RNN)");
    if (!input.known) return Results(attribute("output").items.size(), unknown());
    if (input.count == 0) {
      if (mentions(invocation, symbol_))
        blocked("has an iteration count that depends on the input length");
      return {};
    }
    if (input.count > 1 && input.delayed)
      blocked("loops over several streams with different delays",
              "tract does not align them: concatenate them before the loop");
    if (attribute("reset_every_turn").integer != 0) blocked("resets its state after each piece");
    if (const nnef::Fragment* const body = fragment(attribute("body").text))
      for (const nnef::Assignment& statement : body->body)
        if (mentions(statement.right, symbol_)) blocked("uses the total input length");
    Results out;
    for (const Value& row : attribute("output").items) {
      Item item;
      if (row.items.at(1).text == "full" && row.items.at(3).integer != 1)
        blocked("outputs the stream in reverse");
      if (row.items.at(1).text == "full")
        item.flow = {.axis = static_cast<int>(row.items.at(2).integer), .delayed = input.delayed};
      else
        item.is_last_state = true;
      out.push_back(item);
    }
    return out;
  }

  const nnef::Document& document_;
  const draft::Notes& notes_;
  std::string symbol_;
  const ir::Shape* result_ = nullptr;  ///< of the statement being processed
  std::set<int> refused_;
  Pulses out_;
};

}  // namespace

Pulses find_pulses(const nnef::Document& document, const draft::Notes& notes,
                   const target::Target& target) {
  return Finder(document, notes, target.stream.symbol).run();
}

}  // namespace t2n::stream
