// SPDX-License-Identifier: Apache-2.0
#include "src/interp/builtins.h"

#include <array>
#include <string>

#include "nnef_writer/print.h"
#include "src/diag/error.h"
#include "src/diag/one_of.h"
#include "src/spec/dimension.h"

namespace t2n::interp {
namespace {

constexpr std::array<std::string_view, 7> kBuiltins = {
    "length_of", "range_of", "shape_of", "scalar", "integer", "logical", "string"};
constexpr std::array<std::string_view, 4> kTensorSources = {"external", "tract_core_external",
                                                            "variable", "update"};

}  // namespace

bool is_builtin(std::string_view name) { return is_one_of(name, kBuiltins); }

bool is_tensor_source(std::string_view name) { return is_one_of(name, kTensorSources); }

bool is_submodel(std::string_view name) { return name == "tract_core_submodel"; }

ir::Dim dimension(const nnef::Value& expression) {
  if (const auto dim = spec::read_dimension(expression)) return *dim;
  throw Error("engine-rejects", cat(quoted(nnef::print(expression)), " is not a dimension"));
}

}  // namespace t2n::interp
