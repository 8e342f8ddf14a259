// SPDX-License-Identifier: Apache-2.0
// Calls of every declared operation, with tensors of few elements or none: each gives a result, or
// an error in words.
#include <doctest/doctest.h>

#include <array>

#include "src/check/runner.h"
#include "src/diag/error.h"
#include "src/model/torch_module.h"
#include "src/nnef/artefact.h"
#include "src/spec/types.h"
#include "tests/support/example.h"

namespace t2n::test {
namespace {

using nnef::Value;

/// How the arguments of a call are chosen.
struct Choice {
  size_t rank = 0;        ///< of the first tensor
  size_t other_rank = 0;  ///< of the other tensors
  int64_t size = 0;       ///< of every axis
  size_t length = 0;      ///< of lists
  int64_t number = 0;     ///< in lists, and alone
};

std::string choice_text(const Choice& c) {
  return cat("ranks ", c.rank, " and ", c.other_rank, ", size ", c.size, ", lists of ", c.length,
             ", number ", c.number);
}

ir::DType dtype_of(spec::Item item) {
  if (item == spec::Item::integer) return ir::DType::i64;
  return item == spec::Item::logical ? ir::DType::boolean : ir::DType::f32;
}

/// A document with one call.
class OneCall {
 public:
  OneCall(const std::string& operation, spec::Dialect dialect, const Choice& choice)
      : dialect_(dialect), choice_(choice) {
    const spec::Signature& signature = spec::operation_signature(operation, dialect);
    const nnef::Fragment& declaration = *signature.declaration;
    std::vector<nnef::Argument> arguments;
    for (size_t i = 0; i < declaration.parameters.size(); ++i) {
      const nnef::Parameter& parameter = declaration.parameters[i];
      const bool is_string = parameter.type.starts_with("string");
      arguments.push_back({parameter.name, is_string && parameter.default_value
                                               ? *parameter.default_value
                                               : argument(signature.parameters[i])});
    }
    nnef::Graph& graph = artefact_.document.graph;
    const bool is_list = signature.results[0].form == spec::Type::Form::array;
    nnef::Values names;
    for (size_t i = 0; i < declaration.results.size(); ++i)
      names.push_back(nnef::identifier(graph.results.emplace_back(cat("out", i))));
    const Value left = is_list             ? nnef::array(names)
                       : names.size() == 1 ? names[0]
                                           : nnef::tuple(names);
    graph.body.push_back({left, nnef::invocation(operation, std::move(arguments)), ""});
  }

  /// What is wrong with how it ends: "" for a result or an error in words.
  std::string run() const {
    try {
      const interp::InterpModule& module = interp_module();
      module.run(*module.load(artefact_, dialect_), inputs_);
    } catch (const Error& error) {
      return error.diagnostic().id == "internal" ? error.what() : "";
    } catch (const std::exception& error) {
      return error.what();
    }
    return {};
  }

 private:
  Value argument(const spec::Type& type) {
    switch (type.form) {
      case spec::Type::Form::tensor: return tensor(type.item);
      case spec::Type::Form::attribute: return attribute(type.item);
      case spec::Type::Form::array: return nnef::array(several(type.items[0], choice_.length));
      case spec::Type::Form::tuple: break;
    }
    nnef::Values items;
    for (const spec::Type& item : type.items) items.push_back(argument(item));
    return nnef::tuple(std::move(items));
  }
  nnef::Values several(const spec::Type& type, size_t count) {
    nnef::Values out;
    for (size_t i = 0; i < count; ++i) out.push_back(argument(type));
    return out;
  }

  Value attribute(spec::Item item) const {
    if (item == spec::Item::scalar) return nnef::scalar(static_cast<double>(choice_.number));
    if (item == spec::Item::logical) return nnef::logical(choice_.number > 0);
    if (item == spec::Item::string) return nnef::string("f32");
    return nnef::integer(choice_.number);
  }

  Value tensor(spec::Item item) {
    nnef::Graph& graph = artefact_.document.graph;
    const std::string name = cat("x", inputs_.size());
    const ir::DType dtype = dtype_of(item);
    const ir::Ints shape(inputs_.empty() ? choice_.rank : choice_.other_rank, choice_.size);
    nnef::Values sizes;
    for (const int64_t size : shape) sizes.push_back(nnef::integer(size));
    std::vector<nnef::Argument> arguments = {{"shape", nnef::array(std::move(sizes))}};
    const bool is_tract = dialect_ == spec::Dialect::tract;
    if (is_tract)
      arguments.push_back({"datum_type", nnef::string(std::string(ir::dtype_name(dtype)))});
    const char* const type = dtype == ir::DType::f32   ? "scalar"
                             : dtype == ir::DType::i64 ? "integer"
                                                       : "logical";
    graph.parameters.push_back(name);
    graph.body.push_back({nnef::identifier(name),
                          nnef::invocation(is_tract ? "tract_core_external" : "external",
                                           std::move(arguments), is_tract ? "" : type),
                          ""});
    const auto count = static_cast<size_t>(ir::element_count(shape));
    inputs_.push_back(values(shape, std::vector<double>(count, 1), dtype));
    return nnef::identifier(name);
  }

  spec::Dialect dialect_;
  Choice choice_;
  nnef::Artefact artefact_;
  std::vector<ir::Tensor> inputs_;
};

/// Lists and numbers that fit, and those that do not.
std::vector<Choice> choices() {
  std::vector<Choice> out;
  for (size_t rank = 0; rank <= 6; ++rank)
    for (const int64_t size : {0, 1}) {
      const size_t spatial = rank < 2 ? 0 : rank - 2;
      for (const Choice& each : std::array<Choice, 6>{{{rank, rank, size, rank, 1},
                                                       {rank, rank, size, spatial, 1},
                                                       {rank, 1, size, 1, 0},
                                                       {rank, rank, size, 1, 0},
                                                       {rank, 0, size, rank, -1},
                                                       {rank, rank + 1, size, 0, 9}}})
        out.push_back(each);
    }
  return out;
}

void check_all(spec::Dialect dialect) {
  for (const std::string& operation : spec::operation_names(dialect))
    for (const Choice& choice : choices()) {
      INFO(operation, ": ", choice_text(choice));
      CHECK_EQ(OneCall(operation, dialect, choice).run(), "");
    }
}

}  // namespace

TEST_CASE("every operation of the specification takes tensors of few elements, or refuses them") {
  check_all(spec::Dialect::khronos);
}

TEST_CASE("every operation of tract takes tensors of few elements, or refuses them") {
  check_all(spec::Dialect::tract);
}

}  // namespace t2n::test
