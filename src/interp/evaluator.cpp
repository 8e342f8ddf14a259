// SPDX-License-Identifier: Apache-2.0
#include "src/interp/evaluator.h"

#include <algorithm>
#include <new>

#include "src/diag/error.h"
#include "src/diag/printable.h"
#include "src/frontend/load/allocation.h"
#include "src/frontend/load/convert.h"
#include "src/frontend/load/torch_error.h"
#include "src/interp/quant.h"
#include "src/interp/symbols.h"
#include "src/interp/tract_quant.h"
#include "src/limits/limits.h"

namespace t2n::interp {
namespace {

/// Adds the statement to the error; callers of fragments append theirs.
[[noreturn]] void rethrow_in(const nnef::Assignment& statement, const Error& error) {
  Diagnostic diagnostic = error.diagnostic();
  const std::string text = cat("`", statement_text(statement), "`");
  if (diagnostic.details.empty())
    diagnostic.details = {cat("in ", text)};
  else
    diagnostic.details.push_back(cat("called by ", text));
  throw Error(std::move(diagnostic));
}

/// A limit for the bytes of a run's tensors, proportional to the largest input or weight.
int64_t budget_of(const Program& program, const Tensors& inputs) {
  int64_t largest = 0;
  for (const at::Tensor& input : inputs)
    largest = std::max(largest, static_cast<int64_t>(input.nbytes()));
  for (const auto& [label, tensor] : program.tensors)
    largest = std::max(largest, tensor.values.elements() * ir::dtype_size(tensor.values.dtype));
  const int64_t grown = std::min(largest, limits::kMostBytes / limits::kGrowth) * limits::kGrowth;
  return std::max(limits::kFewBytes, grown);
}

size_t count_results(const nnef::Value& left) {
  return left.kind == nnef::Kind::identifier ? 1 : left.items.size();
}

}  // namespace

Tensors DocumentEvaluator::run(const Tensors& inputs,
                               const std::vector<std::string>& output_names) {
  Values arguments;
  for (const at::Tensor& input : inputs) arguments.emplace_back(input, /*is_constant=*/false);
  Tensors out;
  for (const Value& value : run_values(std::move(arguments), output_names))
    out.push_back(dequantised(value));
  return out;
}

Values DocumentEvaluator::run_values(Values arguments,
                                     const std::vector<std::string>& output_names) {
  const at::InferenceMode no_gradients;
  check_inputs(arguments);
  Tensors inputs;
  for (const Value& input : arguments) inputs.push_back(to_tensor(input));
  budget_ = budget_of(program_, inputs);
  const trace::AllocationLimit limit(budget_);
  symbols_ = bind_symbols(program_.inputs, inputs);
  for (size_t at = 0; at < arguments.size(); ++at) {
    arguments[at].constant = false;
    inputs_[program_.inputs[at].name] = std::move(arguments[at]);
  }
  Frame frame;
  frame.is_graph = true;
  for (const std::string& name : output_names) frame.kept.insert(name);
  run_body(program_.document.graph.body, frame);
  for (auto& [label, value] : updates_) program_.memory[label] = std::move(value);
  Values out;
  for (const std::string& name : output_names) {
    const auto found = frame.names.find(name);
    if (found == frame.names.end()) fail(cat("the graph has no value ", quoted(name)));
    out.push_back(found->second);
  }
  return out;
}

void DocumentEvaluator::check_inputs(const Values& inputs) const {
  const std::vector<ProgramPort>& ports = program_.inputs;
  if (inputs.size() != ports.size())
    fail(cat("the model has ", ports.size(), " inputs, got ", inputs.size()));
  for (size_t at = 0; at < ports.size(); ++at) {
    if (inputs[at].quantisation) {
      const auto entry = program_.quant.find(ports[at].name);
      if (entry == program_.quant.end() || !is_quantised_as(*entry->second, inputs[at]))
        fail(cat("the input ", quoted(ports[at].name),
                 " has other quantisation parameters than the given tensor"));
    } else if (trace::from_torch(to_tensor(inputs[at]).scalar_type()) != ports[at].dtype) {
      fail(cat("the input ", quoted(ports[at].name), " is of ", ir::dtype_name(ports[at].dtype),
               ", not ", described(inputs[at])));
    }
  }
}

void DocumentEvaluator::run_body(const Body& body, Frame& frame) {
  const LastUses& last_uses = program_.last_uses.at(&body);
  const std::string path = frame.path;
  for (size_t at = 0; at < body.size(); ++at) {
    frame.path = cat(path, "/", at);
    run_statement(body[at], frame);
    for (const std::string& name : last_uses[at])
      if (frame.kept.count(name) == 0) frame.names.erase(name);
  }
}

void DocumentEvaluator::run_statement(const nnef::Assignment& statement, Frame& frame) {
  try {
    frame.left = &statement.left;
    frame.calls = 0;
    frame.result_count = count_results(statement.left);
    const bool is_named = frame.is_graph && program_.quant.count(statement.left.text) != 0;
    named_ = is_named ? &statement.right : nullptr;
    assign(statement.left, evaluate(statement.right, frame), frame);
  } catch (const Error& error) {
    rethrow_in(statement, error);
  } catch (const std::bad_alloc&) {
    rethrow_in(statement, Error("memory-limit", "out of memory"));
  } catch (const std::exception&) {
    rethrow_in(statement, Error("engine-failed", first_line(trace::current_torch_message())));
  }
}

void DocumentEvaluator::assign(const nnef::Value& left, Value value, Frame& frame) {
  if (left.kind == nnef::Kind::identifier) return assign_name(left, std::move(value), frame);
  const bool is_alone = left.items.size() == 1 && value.is_tensor();
  Values items = is_alone ? Values{std::move(value)} : to_items(value);
  if (items.size() != left.items.size())
    fail(cat("there are ", left.items.size(), " names for ", items.size(), " values"));
  for (size_t at = 0; at < items.size(); ++at)
    assign_name(left.items[at], std::move(items[at]), frame);
}

void DocumentEvaluator::assign_name(const nnef::Value& left, Value value, Frame& frame) {
  const auto entry = program_.quant.find(left.text);
  if (frame.is_graph && entry != program_.quant.end())
    value = program_.dialect == spec::Dialect::khronos ? quantised(*entry->second, value)
                                                       : tract_quantised(*entry->second, value);
  frame.names[left.text] = std::move(value);
}

}  // namespace t2n::interp
