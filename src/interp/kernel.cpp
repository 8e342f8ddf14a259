// SPDX-License-Identifier: Apache-2.0
#include "src/interp/kernel.h"

#include <algorithm>

#include "src/diag/error.h"
#include "src/interp/evaluator.h"

namespace t2n::interp {

const Value& find_value(const nnef::Fragment& declaration, const Values& arguments,
                        std::string_view name) {
  return arguments[spec::parameter_index(declaration, name)];
}

KernelCall::KernelCall(const nnef::Fragment& declaration, Values arguments, CallSite site,
                       DocumentEvaluator& evaluator)
    : declaration_(declaration),
      arguments_(std::move(arguments)),
      site_(std::move(site)),
      evaluator_(evaluator) {}

spec::Dialect KernelCall::dialect() const { return evaluator_.program().dialect; }

bool KernelCall::is_constant() const {
  return std::all_of(arguments_.begin(), arguments_.end(), interp::is_constant);
}

const Value& KernelCall::value(std::string_view name) const {
  return find_value(declaration_, arguments_, name);
}

bool KernelCall::has(std::string_view name) const {
  const Value& held = value(name);
  if (held.is_absent()) return false;
  const auto* logical = held.get<bool>();
  const size_t index = spec::parameter_index(declaration_, name);
  return logical == nullptr || *logical || !spec::may_be_absent(declaration_.parameters[index]);
}

at::Tensor KernelCall::tensor(std::string_view name) const { return to_tensor(value(name)); }

Tensors KernelCall::tensors(std::string_view name) const {
  const Value& held = value(name);
  if (held.is_tensor()) return {to_tensor(held)};
  Tensors out;
  for (const Value& item : to_items(held)) out.push_back(to_tensor(item));
  return out;
}

int64_t KernelCall::i64(std::string_view name) const { return to_integer(value(name)); }
double KernelCall::f64(std::string_view name) const { return to_scalar(value(name)); }
bool KernelCall::boolean(std::string_view name) const { return to_logical(value(name)); }
const std::string& KernelCall::str(std::string_view name) const { return to_string(value(name)); }

Ints KernelCall::ints(std::string_view name) const {
  const Value& held = value(name);
  if (held.get<int64_t>() != nullptr) return {to_integer(held)};
  Ints out;
  for (const Value& item : to_items(held)) {
    // The shape of tract's reshape may mix sizes and arrays of sizes.
    if (item.get<Values>() != nullptr && operation() == "reshape" && is_tract())
      for (const Value& size : to_items(item)) out.push_back(to_integer(size));
    else
      out.push_back(to_integer(item));
  }
  return out;
}

std::vector<std::pair<int64_t, int64_t>> KernelCall::pairs(std::string_view name) const {
  std::vector<std::pair<int64_t, int64_t>> out;
  for (const Value& item : to_items(value(name))) {
    const Values pair = to_items(item);
    if (pair.size() != 2) fail(cat(quoted(name), " holds pairs, not ", described(item)));
    out.emplace_back(to_integer(pair[0]), to_integer(pair[1]));
  }
  return out;
}

const nnef::Fragment& KernelCall::fragment(const std::string& name) const {
  const nnef::Fragment* const found = evaluator_.program().fragments.find_defined(name);
  if (found == nullptr) fail(cat("the document has no fragment ", quoted(name)));
  return *found;
}

Values KernelCall::run_fragment(const std::string& name,
                                std::map<std::string, Value> arguments) const {
  const nnef::Fragment& body = fragment(name);
  Values ordered;
  for (const nnef::Parameter& parameter : body.parameters) {
    const auto argument = arguments.find(parameter.name);
    if (argument == arguments.end())
      fail(cat("nothing is bound to ", quoted(parameter.name), " of ", quoted(name)));
    ordered.push_back(std::move(argument->second));
  }
  return evaluator_.run_fragment(body, std::move(ordered), cat(site_.path, "/", name));
}

at::Tensor& KernelCall::memory(const std::string& key) const {
  return evaluator_.memory(cat(site_.path, "#", key));
}

}  // namespace t2n::interp
