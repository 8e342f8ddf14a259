#include "src/interp/builtins.h"

#include <algorithm>
#include <array>
#include <cctype>
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

std::optional<ir::DType> tract_dtype(std::string_view name) {
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  if (lower == "tdim") return ir::DType::i64;
  return ir::parse_dtype(lower);
}

ir::Dim dimension(const nnef::Value& expression) {
  if (const auto dim = spec::read_dimension(expression)) return *dim;
  throw Error("engine-rejects", cat(quoted(nnef::print(expression)), " is not a dimension"));
}

}  // namespace t2n::interp
