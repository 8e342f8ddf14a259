// SPDX-License-Identifier: Apache-2.0
// Loops; standard NNEF has none, and gets their iterations.
#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "src/diag/error.h"
#include "src/limits/unrolled.h"
#include "src/nnef_ops/arith.h"
#include "src/nnef_ops/book.h"
#include "src/nnef_ops/strict_call.h"

namespace t2n::nnef_ops {
namespace {

using limits::kUnrolledIterations;

/// The arguments of tract_core_scan, by name of the body's parameters and results.
struct ScanCall {
  const nnef::Fragment& body;
  int axis = 0;
  bool is_backward = false;
  std::map<std::string, Ref> scanned;  ///< by the parameter that gets a slice of it
  std::map<std::string, Ref> full, states;
  std::map<std::string, std::string> next;  ///< state by the result that updates it
};

ScanCall read_scan(const StrictCall& call, Builder& out) {
  const std::string& name = call.at("body").text;
  const nnef::Fragment* body = out.fragment(name);
  if (body == nullptr || name.starts_with("t2n_scan_"))
    refuse(call, out,
           cat("NNEF has no loops: a loop is unrolled if its number of iterations is known, up to ",
               kUnrolledIterations, " iterations and ", limits::kUnrolledOperations, " operations"),
           "export without --dynamic, with a shorter input, or for tract");
  ScanCall scan{*body, 0, false, {}, {}, {}, {}};
  for (const nnef::Value& each : call.at("scan").items) {  // all in one direction, along one axis
    scan.scanned[each.items.at(0).text] = out.tensor(each.items.at(1));
    scan.axis = static_cast<int>(each.items.at(2).integer);
    scan.is_backward = each.items.at(3).integer < 0;
  }
  for (const nnef::Value& pair : call.at("full").items)
    scan.full[pair.items.at(0).text] = out.tensor(pair.items.at(1));
  for (const nnef::Value& state : call.at("state").items) {
    scan.states[state.items.at(0).text] = out.tensor(state.items.at(1));
    scan.next[state.items.at(2).text] = state.items.at(0).text;
  }
  return scan;
}

/// Emits one iteration and updates the states. Returns the body's results.
Refs iteration(const StrictCall& call, ScanCall& scan, int64_t step, Builder& out) {
  Refs operands;
  for (const nnef::Parameter& parameter : scan.body.parameters) {
    const std::string& name = parameter.name;
    const auto scanned = scan.scanned.find(name);
    operands.push_back(scanned != scan.scanned.end()
                           ? out.slice(scanned->second, scan.axis, step, step + 1)
                       : scan.full.contains(name) ? scan.full.at(name)
                                                  : scan.states.at(name));
  }
  std::vector<TensorType> types;
  for (const nnef::Parameter& result : scan.body.results) {
    const auto state = scan.next.find(result.name);
    const bool is_state = state != scan.next.end();
    Shape shape = is_state ? out.shape(scan.states.at(state->second)) : call.results[0].shape;
    if (!is_state) shape[scan.axis] = 1;
    types.push_back({call.results[0].dtype, shape});
  }
  const StrictCall body{scan.body.name, operands, {}, types, {}, {}};
  Refs results = inline_fragment(scan.body, body, out);
  for (size_t i = 0; i < results.size(); ++i)
    if (const auto state = scan.next.find(scan.body.results[i].name); state != scan.next.end())
      scan.states[state->second] = results[i];
  return results;
}

Refs lower_scan(const StrictCall& call, Builder& out) {
  ScanCall scan = read_scan(call, out);
  const int64_t steps = extent(out, scan.scanned.at("x"), scan.axis);
  if (steps > kUnrolledIterations)
    refuse(call, out,
           cat("NNEF has no loops: recurrent layers are unrolled, up to ", kUnrolledIterations,
               " steps, not ", steps),
           "export with a shorter input, or for tract");
  std::map<std::string, Refs> results;
  for (int64_t i = 0; i < steps; ++i) {
    const Refs step_results = iteration(call, scan, scan.is_backward ? steps - 1 - i : i, out);
    for (size_t k = 0; k < step_results.size(); ++k)
      results[scan.body.results[k].name].push_back(step_results[k]);
  }
  Refs outputs;
  for (const nnef::Value& output : call.at("output").items) {
    Refs& values = results.at(output.items.at(0).text);
    if (scan.is_backward) std::reverse(values.begin(), values.end());
    const bool is_full = output.items.at(1).text == "full";
    const Ref last = scan.is_backward ? values.front() : values.back();
    outputs.push_back(is_full ? out.concat(values, static_cast<int>(output.items.at(2).integer))
                              : last);
  }
  return outputs;
}

}  // namespace

void add_scan(Book& book) { book.add("tract_core_scan", {nullptr, nullptr, nullptr, lower_scan}); }

}  // namespace t2n::nnef_ops
