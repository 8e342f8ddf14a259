// SPDX-License-Identifier: Apache-2.0
// Fragments of NNEF that the user gives, for operators and modules of their own.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/graph.h"
#include "src/nnef/ast.h"
#include "src/spec/operations.h"

struct t2nnef_operator;

namespace t2n::extend {

/// What a fragment stands for.
struct OwnOperator {
  std::string op;  ///< "mine::swish"; "fragment::my_norm" if it stands for modules
  nnef::Fragment fragment;
  const t2nnef_operator* plugin = nullptr;  ///< chooses a fragment for each call, instead
  bool is_module() const;
};

/// `--module-op GLOB=NAME`: the modules whose calls become one of a fragment.
struct ModuleOp {
  std::string glob;
  std::string fragment;
};

/// "blocks.*.norm=my_norm".   Errors: `usage`.
ModuleOp parse_module_op(const std::string& text);

/// Everything of the command line that extends t2nnef.
struct Extensions {
  std::vector<nnef::Fragment> fragments;  ///< of all files, helpers included
  std::vector<std::string> files;         ///< of these fragments
  std::vector<OwnOperator> operators;
  std::vector<ModuleOp> modules;
  std::vector<std::string> plugins;   ///< libraries that register operators with LibTorch
  std::vector<std::string> unproven;  ///< operators that only their fragments compute
  spec::Dialect dialect = spec::Dialect::tract;
  bool is_dialect_fixed = false;  ///< by a target

  const OwnOperator* find(std::string_view op) const;
};

/// Reads the files, and checks what can be checked without a model. Without `dialect`, it is that
/// of the operations that the fragments call. Errors: `fragment-invalid`, `nnef-syntax`, `usage`.
Extensions read_extensions(const std::vector<std::string>& files, std::vector<ModuleOp> modules,
                           std::optional<spec::Dialect> dialect);

/// Strict NNEF if all operations that the fragments call are its own.
spec::Dialect dialect_of(const std::vector<nnef::Fragment>& fragments);

/// Those of this process: LibTorch's registry, which gets their kernels, is the process's, too.
const Extensions& extensions();
/// Sets them, before the book of operators is built, which refers to them.
void use(Extensions extensions);
void set_unproven(std::vector<std::string> operators);

/// The unproven operators of a graph, sorted.
std::vector<std::string> unproven_in(const ir::Graph& graph);

/// The operator that a fragment is named after: "mine::swish" for "mine__swish", "" for a name
/// without "__". A further "__" begins the overload: "aten__foo__Tensor".
std::string operator_named(std::string_view fragment);

/// "mine::swish(Tensor x, Scalar beta=1.0) -> Tensor", which code that calls the operator is
/// compiled for.
std::string schema_of(const OwnOperator& own);

/// A tensor, or a list of tensors.
bool is_tensor(const nnef::Parameter& parameter);
bool is_tensor_list(const nnef::Parameter& parameter);

}  // namespace t2n::extend
