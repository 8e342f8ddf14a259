// SPDX-License-Identifier: Apache-2.0
// Algebra of single matrices: closed forms up to 3 x 3, elimination and substitution, and
// decompositions, which are refused.
#include <string>
#include <vector>

#include "src/model/torch_module.h"
#include "tests/ops/expressions.h"

namespace t2n::test::decompositions_tests {
namespace {

using ir::DType;

const std::string kWhy =
    "  --> the model (Model)\n"
    "  why:  NNEF has no matrix decompositions\n";
const std::string kHelp =
    "  help: compute it outside the model, or from constants, which are folded\n";

/// Positive definite, and diagonally dominant.
ir::Tensor matrix() { return values({4, 4}, {5, 1, 0, 1, 1, 6, 1, 0, 0, 1, 7, 1, 1, 0, 1, 8}); }
/// Columns, and row exchanges of a factorisation.
const ir::Tensor kColumns = uniform({4, 2}, 0.5, 1, 2);
const ir::Tensor kPivots = values({4}, {1, 2, 3, 4}, DType::i32);

/// Replaces what TorchScript, or torch on this machine, does not take: the name of an operator,
/// whose arguments keep their places, and the values of arguments.
struct ByHand {
  std::string from, to;
  std::vector<ir::Argument> arguments = {};

  void operator()(ir::Graph& graph) const {
    for (ir::Node& node : graph.nodes) {
      if (ir::op_name(node.op) != from) continue;
      node.op = ir::op_id(to);
      rename_arguments(node);
      for (const ir::Argument& given : arguments)
        for (ir::Argument& argument : node.args)
          if (argument.name == given.name) argument.value = given.value;
    }
  }

 private:
  void rename_arguments(ir::Node& node) const {
    const ir::Schema before = *torch_module().find_schema(from);
    const ir::Schema after = *torch_module().find_schema(to);
    for (ir::Argument& argument : node.args)
      for (size_t i = 0; i < before.arguments.size(); ++i)
        if (argument.name == before.arguments[i].name) {
          argument.name = after.arguments.at(i).name;
          break;
        }
  }
};

Script by_hand(const std::string& expression, size_t inputs, ByHand edit) {
  Script model = expression_script(expression, inputs);
  model.edit = std::move(edit);
  return model;
}

struct Refused {
  const char* op;
  const char* expression;
};

/// Every argument differs from its default.
constexpr Refused kRefused[] = {
    {"aten::_linalg_eigh", "torch._linalg_eigh(x, 'U', False)[0]"},
    {"aten::_linalg_svd", "torch._linalg_svd(x, True, False)[1]"},
    {"aten::_lu_with_info", "torch._lu_with_info(x, True, False)[0]"},
    {"aten::geqrf", "torch.geqrf(x)[0]"},
    {"aten::linalg_cond", "torch.linalg_cond(x, 2)"},
    {"aten::linalg_cond.p_str", "torch.linalg_cond(x, 'fro')"},
    {"aten::linalg_eigh", "torch.linalg_eigh(x, 'U')[0]"},
    {"aten::linalg_eigvalsh", "torch.linalg_eigvalsh(x, 'U')"},
    {"aten::linalg_householder_product", "torch.linalg_householder_product(x, y[:, 0])"},
    {"aten::linalg_ldl_factor", "torch.linalg_ldl_factor(x, hermitian=True)[0]"},
    {"aten::linalg_ldl_solve", "torch.linalg_ldl_solve(x, z, y, hermitian=True)"},
    {"aten::linalg_lstsq", "torch.linalg_lstsq(x, y, 0.1, driver='gelsd')[0]"},
    {"aten::linalg_lu", "torch.linalg_lu(x)[1]"},
    {"aten::linalg_lu_factor", "torch.linalg_lu_factor(x)[0]"},
    {"aten::linalg_lu_solve", "torch.linalg_lu_solve(x, z, y.mT, left=False, adjoint=True)"},
    {"aten::linalg_matrix_exp", "torch.linalg_matrix_exp(x)"},
    {"aten::linalg_matrix_rank", "torch.linalg_matrix_rank(x, 0.1, True)"},
    {"aten::linalg_pinv", "torch.linalg_pinv(x, 0.1, True)"},
    {"aten::linalg_qr", "torch.linalg_qr(x, 'complete')[0]"},
    {"aten::linalg_svd", "torch.linalg_svd(x, False)[1]"},
    {"aten::linalg_svdvals", "torch.linalg_svdvals(x)"},
    {"aten::linalg_tensorinv", "torch.linalg_tensorinv(x, 1)"},
    {"aten::linalg_tensorsolve", "torch.linalg_tensorsolve(x, y[:, 0], [1])"},
    {"aten::lu_solve", "torch.lu_solve(y, x, z)"},
    {"aten::lu_unpack", "torch.lu_unpack(x, z, True, False)[1]"},
    {"aten::lu_unpack", "torch.lu_unpack(x, z, False, True)[0]"},
    {"aten::nuclear_norm", "torch.nuclear_norm(x, True)"},
    {"aten::nuclear_norm.dim", "torch.nuclear_norm(x, [0, 1], True)"},
    {"aten::ormqr", "torch.ormqr(x, y[:, 0], x, False, True)"},
    {"aten::pinverse", "torch.pinverse(x, 0.1)"},
    {"aten::qr", "torch.qr(x, False)[0]"},
    {"aten::svd", "torch.svd(x, False, False)[1]"},
};

std::string unsupported(const std::string& op) {
  return "error[unsupported-op]: " + op + " has no translation for TARGET\n" + kWhy + kHelp;
}

TEST_CASE("decompositions of computed matrices are refused") {
  for (const auto& [op, expression] : kRefused)
    check_refused(expression, {matrix(), kColumns, kPivots}, unsupported(op));
}

/// What torch computes on other devices, or calls by another name in what it writes.
TEST_CASE("forms of decompositions that torch does not run here are refused as well") {
  const auto refused = [](const std::string& expression, const ByHand& edit) {
    for (const target::Target& target : test_targets()) {
      CAPTURE(expression);
      const Script model = by_hand(expression, 2, edit);
      std::string text = unsupported(edit.to);
      text.replace(text.find("TARGET"), 6, target::target_name(target));
      CHECK_EQ(export_error(model, {matrix(), kColumns}, target), text);
    }
  };
  const auto with = [](const std::string& op, const std::string& name, ir::Attr value) {
    return ByHand{op, op, {{name, std::move(value)}}};
  };
  refused("torch._linalg_svd(x)[1]", with("aten::_linalg_svd", "driver", "gesvd"));
  refused("torch.linalg_svd(x)[1]", with("aten::linalg_svd", "driver", "gesvd"));
  refused("torch.linalg_svdvals(x)", with("aten::linalg_svdvals", "driver", "gesvd"));
  refused("torch._lu_with_info(x)[0]", with("aten::_lu_with_info", "pivot", false));
  refused("torch.linalg_lu(x)[1]", with("aten::linalg_lu", "pivot", false));
  refused("torch.linalg_lu_factor(x)[0]", with("aten::linalg_lu_factor", "pivot", false));
  refused("torch.linalg_householder_product(x, y[:, 0])",
          {"aten::linalg_householder_product", "aten::orgqr"});
}

TEST_CASE("eigenvalues of any matrix are complex, and refused") {
  const auto refused = [](const std::string& op, const std::string& expression) {
    check_refused(
        expression, {matrix()},
        "error[unsupported-op]: 1 operator (1 use) has no translation for TARGET; nothing "
        "was written\n   1x " +
            op +
            " of complex tensors   first: the model (Model)\n"
            "      why: NNEF has no matrix decompositions\n" +
            kHelp);
  };
  refused("aten::linalg_eig", "torch.linalg_eig(x)[0]");
  refused("aten::linalg_eigvals", "torch.linalg_eigvals(x)");
}

TEST_CASE("decompositions of constants are folded") {
  for (const char* form :
       {"torch.inverse(self.w) @ x", "torch.linalg_svdvals(self.w) + x",
        "torch.linalg_cholesky(self.w @ self.w.t()) @ x", "torch.det(self.w) * x"})
    for (const target::Target& target : test_targets()) {
      CAPTURE(std::string(form));
      const Script model = expression_script(form, 1).with("w", randn({4, 4}, 13));
      CHECK_CLOSE(export_and_run(model, {matrix()}, target), rel(1e-4));
    }
}

TEST_CASE("small matrices are inverted in closed form") {
  for (const int64_t n : {1, 2, 3}) {
    const ir::Tensor x = randn({2, n, n}, 10);
    check_each({"torch.linalg_det(x)", "torch.linalg_inv(x)", "torch.linalg_inv_ex(x)[0]",
                "torch.linalg_inv_ex(x, check_errors=True)[0]", "torch.linalg_solve(x, y)",
                "torch.linalg_solve(x, y.mT, left=False)", "torch.logdet(x.mT @ x)",
                "torch.slogdet(x)", "torch.linalg_slogdet(x[0])"},
               {x, randn({2, n, 2}, 11)}, 1e-4);
  }
}

TEST_CASE("larger matrices are eliminated with pivots") {
  const ir::Tensor x = randn({2, 4, 4}, 10);
  check_each({"torch.linalg_det(x)", "torch.linalg_inv(x)", "torch.linalg_solve(x, y)",
              "torch.linalg_solve(x, y.mT, left=False)", "torch.linalg_solve(x[0], y[0, :, 0])",
              "torch.slogdet(x)[0]", "torch.logdet(x.mT @ x)"},
             {x, randn({2, 4, 3}, 11)}, 1e-4);
  // Without exchanges of rows, the first pivot would be zero.
  check_each({"torch.linalg_inv(x)", "torch.linalg_det(x)"},
             {values({4, 4}, {0, 2, 0, 0, 0, 0, 0, 3, 5, 0, 0, 0, 0, 0, 7, 1})}, 1e-5);
}

TEST_CASE("triangular systems and Cholesky's factors") {
  const ir::Tensor x = matrix(), b = randn({4, 2}, 3);
  check_each(
      {"torch.linalg_solve_triangular(x, y, upper=True)",
       "torch.linalg_solve_triangular(x, y.mT, upper=False, left=False)",
       "torch.linalg_solve_triangular(x, y, upper=False, unitriangular=True)",
       "torch.triangular_solve(y, x, False, True, True)[0]", "torch.triangular_solve(y, x)[1]",
       "torch.cholesky(x)", "torch.cholesky(x, True)", "torch.linalg_cholesky(x, upper=True)",
       "torch.linalg_cholesky_ex(x, upper=True, check_errors=True)[0]",
       "torch.cholesky_solve(y, torch.tril(x))", "torch.cholesky_solve(y, x, True)",
       "torch.cholesky_inverse(x, True)", "torch.cholesky_inverse(torch.tril(x))"},
      {x, b}, 1e-4);
}

/// TorchScript writes torch.det as linalg_det, and torch.inverse as linalg_inv.
TEST_CASE("older names of determinants and inverses") {
  for (const target::Target& target : test_targets())
    for (const DType dtype : {DType::f32, DType::f64}) {
      const std::vector<ir::Tensor> x = {randn({2, 3, 3}, 12, dtype)};
      const ByHand det{"aten::linalg_det", "aten::det"}, inv{"aten::linalg_inv", "aten::inverse"};
      CHECK_CLOSE(export_and_run(by_hand("torch.det(x)", 1, det), x, target), rel(1e-4));
      CHECK_CLOSE(export_and_run(by_hand("torch.inverse(x)", 1, inv), x, target), rel(1e-4));
    }
}

TEST_CASE("operators that need a decomposition are refused") {
  const auto op = [](const std::string& name) {
    return "error[unsupported-op]: aten::" + name + " has no translation for TARGET here\n" + kWhy;
  };
  for (const char* name : {"linalg_det", "linalg_inv", "logdet", "slogdet"})
    check_refused(
        "torch." + std::string(name) + "(x)" + (name == std::string("slogdet") ? "[1]" : ""),
        {randn({17, 17}, 4)},
        op(name) +
            "  help: elimination supports matrices of up to 16 x 16: compute it outside the "
            "model, or from constants, which are folded\n");
  check_refused(
      "torch.linalg_inv_ex(x)", {randn({2, 2}, 3)},
      op("linalg_inv_ex") + "  help: do not read output 1, which reports the singular matrices\n");
  check_refused("torch.linalg_cholesky_ex(x)", {matrix()},
                op("linalg_cholesky_ex") +
                    "  help: do not read output 1, which reports the matrices without a factor\n");
  std::vector<double> ones(33 * 33, 0.0);
  for (size_t i = 0; i < 33; ++i) ones[i * 34] = 1;
  check_refused("torch.linalg_cholesky(x)", {ir::tensor_of(DType::f32, {33, 33}, ones)},
                "error[unsupported-op]: aten::linalg_cholesky has no translation for TARGET here\n"
                "  --> the model (Model)\n"
                "  why:  it is unrolled step by step, and this would take too many steps\n"
                "  help: use matrices of up to 32 rows, or compute it from constants, which are "
                "folded\n");
  check_refused("torch.linalg_matrix_norm(x, 2)", {matrix()},
                "error[unsupported-argument]: aten::linalg_matrix_norm: ord=2 has no translation "
                "for TARGET\n" +
                    kWhy + "  help: use the Frobenius norm, 1 or infinity\n");
  check_refused("torch.linalg_matrix_norm(x, 'nuc')", {matrix()},
                "error[unsupported-argument]: aten::linalg_matrix_norm.str_ord: ord='nuc' has no "
                "translation for TARGET\n" +
                    kWhy + "  help: use ord='fro'\n");
}

}  // namespace
}  // namespace t2n::test::decompositions_tests
