// SPDX-License-Identifier: Apache-2.0
#include "tests/support/script.h"

#include <cctype>
#include <map>
#include <sstream>

#include "nnef_writer/print.h"
#include "src/check/reference.h"
#include "src/diag/error.h"
#include "src/model/torch_module.h"
#include "src/samples/samples.h"
#include "tests/support/example.h"
#include "tests/support/named.h"
#include "tests/support/script_case.h"
#include "tests/support/shape_rules.h"

namespace t2n::test {
namespace {

Example trace_script(const Script& model, const std::vector<ir::Tensor>& inputs) {
  leave_script(model, inputs);
  const auto session = torch_module().compile({model.source, model.parameters});
  trace::Traced traced = torch_module().trace(*session, named(inputs), {});
  Agreement agreement = agree_with_torch(*session, named(inputs), traced);
  if (model.edit) model.edit(traced.graph);
  const std::string errors = shape_rule_errors(traced.graph);
  T2N_ASSERT(errors.empty(), errors);
  return {std::move(traced.graph), inputs, std::move(agreement.expected), model.disabled_passes};
}

}  // namespace

Script Script::with(std::string name, ir::Tensor value) const {
  Script out = *this;
  out.parameters.emplace_back(std::move(name), std::move(value));
  return out;
}

std::string script_value(int value) { return std::to_string(value); }
std::string script_value(int64_t value) { return std::to_string(value); }
std::string script_value(double value) {
  std::ostringstream out;
  out.imbue(std::locale::classic());
  out.precision(17);
  out << std::showpoint << value;
  return out.str();
}
std::string script_value(bool value) { return value ? "True" : "False"; }
std::string script_value(const char* value) { return value; }
std::string script_value(const std::string& value) { return value; }

Script script_with(std::string_view source, const std::vector<std::string>& values) {
  std::map<std::string, std::string> bound;
  size_t next = 0;
  std::string out;
  for (size_t at = 0; at < source.size();) {
    if (source[at] != '$') {
      out += source[at++];
      continue;
    }
    size_t end = at + 1;
    while (end < source.size() &&
           (std::isalnum(static_cast<unsigned char>(source[end])) != 0 || source[end] == '_'))
      ++end;
    const std::string name(source.substr(at, end - at));
    if (!bound.contains(name)) {
      T2N_ASSERT(next < values.size(), "no value for ", name);
      bound[name] = values[next++];
    }
    out += bound[name];
    at = end;
  }
  T2N_ASSERT(next == values.size(), "more values than $names");
  return {out, {}, {}};
}

ir::Tensor randn(const ir::Ints& shape, uint64_t seed, ir::DType dtype) {
  return draw(dtype, shape, {}, seed, 1);
}

ir::Tensor uniform(const ir::Ints& shape, double low, double high, uint64_t seed, ir::DType dtype) {
  constexpr int64_t kSteps = 1 << 20;
  std::vector<double> data;
  for (const int64_t step :
       ir::to_i64(draw(ir::DType::i64, shape, trace::IntegerRange{0, kSteps + 1}, seed, 2)))
    data.push_back(low + (high - low) * static_cast<double>(step) / static_cast<double>(kSteps));
  return values(shape, data, dtype);
}

ir::Tensor randint(const ir::Ints& shape, int64_t low, int64_t high_exclusive, uint64_t seed,
                   ir::DType dtype) {
  return draw(dtype, shape, trace::IntegerRange{low, high_exclusive}, seed, 3);
}

ir::Tensor values(const ir::Ints& shape, const std::vector<double>& data, ir::DType dtype) {
  return ir::tensor_of<double>(dtype, shape, data);
}

Run export_and_run(const Script& model, const std::vector<ir::Tensor>& inputs,
                   const target::Target& target) {
  return export_and_run(trace_script(model, inputs), target);
}

std::string engine_profile(const Script& model, const std::vector<ir::Tensor>& inputs,
                           const target::Target& target) {
  return engine_profile(trace_script(model, inputs), target);
}

std::string export_text(const Script& model, const std::vector<ir::Tensor>& inputs,
                        const target::Target& target) {
  return nnef::print(export_example(trace_script(model, inputs), target).document);
}

std::string export_error(const Script& model, const std::vector<ir::Tensor>& inputs,
                         const target::Target& target) {
  return error_of([&] { export_example(trace_script(model, inputs), target); });
}

check::Tolerance rel(double value) { return {check::Level::custom, {value, value, 0}}; }

}  // namespace t2n::test
