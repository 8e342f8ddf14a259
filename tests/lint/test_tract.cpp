// SPDX-License-Identifier: Apache-2.0
// Shapes of tract documents at the sizes that they allow: what is wrong, what would make it right,
// and what is let through.
#include <doctest/doctest.h>

#include <ctime>

#include "src/diag/error.h"
#include "src/lint/tract.h"
#include "tests/lint/lint_case.h"

namespace t2n::spec {
namespace {

/// "problem; at sizes; cure", or "".
std::string finding(const LintCase& given) {
  const auto found = lint_tract(document(given));
  if (!found) return "";
  std::string out = found->problem;
  if (!found->sizes.empty()) out += cat("; at ", values_str(found->sizes));
  using Cure = TractFinding::Cure;
  std::string symbols;
  for (const ir::Symbol& symbol : found->symbols) symbols += " " + symbol.str();
  if (found->cure == Cure::multiple) out += cat("; multiples of ", found->number, ":", symbols);
  if (found->cure == Cure::least) out += cat("; from ", found->number, ":", symbols);
  if (found->cure == Cure::most) out += cat("; up to ", found->number, ":", symbols);
  if (found->cure == Cure::equal) out += cat("; equal:", symbols);
  if (found->cure == Cure::unknown) out += "; right elsewhere";
  return out;
}

TEST_CASE("axes that a tensor does not have are no reason to read beyond it") {
  // Where no sizes can be tried, or they are too large to run, only the symbolic lint sees these.
  const std::vector<std::string> impossible = {"S >= 3", "S <= 2"};
  CHECK_EQ(
      finding({{"2, S", "2, 2, 2, 2, 2, 2, 2, S"}, "a = concat([x, y], axis = 0);", impossible}),
      "");
  CHECK_EQ(finding({{"2, S", "2, S"}, "a = concat([x, y], axis = 70000);", impossible}), "");
  for (const char* axes : {"[1000000]", "[-1]", "[0, 1]"})
    CHECK_EQ(finding({{"S, 2"},
                      cat("a = slice(x, axes = ", axes, ", begin = [0], end = [1]);"),
                      impossible}),
             "");
  CHECK_EQ(finding({{"S, 2"},
                    "a = tract_core_dyn_slice(x, start = 0, end = 1, len = S, axis = 9000);",
                    impossible}),
           "");
}

TEST_CASE("shapes that never go together") {
  CHECK_EQ(finding({{"2, 3", "2, 4"}, "a = add(x, y);"}),
           "'a': 'add': the shapes [2,3] and [2,4] do not broadcast: axes are matched from the "
           "first on");
  CHECK_EQ(finding({{"2, 3", "2, 4"}, "a = x + exp(y);"}),
           "'a': 'add': the shapes [2,3] and [2,4] do not broadcast: axes are matched from the "
           "first on");
  CHECK_EQ(finding({{"3", "2, 3"}, "a = select(true, x, y);"}),
           "'a': 'select': the shapes [3] and [2,3] do not broadcast: axes are matched from the "
           "first on");
  CHECK_EQ(finding({{"S, 3", "S, 4"}, "a = concat([x, y], axis = 0);"}),
           "'a': 'concat': the shapes [1,3] and [1,4] are incompatible; at S=1");
  CHECK_EQ(finding({{"2, 3", "2, 4"}, "a = stack([x, y], axis = 0);"}),
           "'a': 'stack': the shapes [2,3] and [2,4] are incompatible");
  CHECK_EQ(finding({{"2, 3"}, "a = reshape(x, shape = [4, 2]);"}),
           "'a': 'reshape': the shape [4,2] has 8 elements, and the input [2,3] has 6 there");
  CHECK_EQ(finding({{"2, 3"}, "a = squeeze(x, axes = [1]);"}),
           "'a': 'squeeze': axis 1 of [2,3] has not the extent 1");
  CHECK_EQ(finding({{"2, 3", "2, 3"}, "a = matmul(x, y);"}),
           "'a': 'matmul': rows of 3 do not match columns of 2");
  CHECK_EQ(finding({{"2, 3", "4, 5"}, "a = linear(x, y);"}),
           "'a': 'linear': rows of 3 do not match columns of 5");
  CHECK_EQ(finding({{"2, 3", "4, 5"},
                    "a = tract_core_einsum([x, y], expr = 'ij,jk->ik', acc = 'f32');"}),
           "'a': 'tract_core_einsum': the axes 'j' have 3 and 4 entries");
  CHECK_EQ(finding({{"1, 4, 9", "8, 3, 2"},
                    "a = conv(x, y, padding = [(0, 0)], stride = [1], dilation = [1]);"}),
           "'a': 'conv': filters over 3 channels in 1 group do not fit an input of 4 channels");
  CHECK_EQ(finding({{"2, 3"}, "a = tile(x, repeats = [2]);"}),
           "'a': 'tile': 'repeats' has 1 numbers, and the tensor 2 axes");
  CHECK_EQ(finding({{"2, 3"}, "a = tract_core_broadcast(x, shape = [2, 4]);"}),
           "'a': 'tract_core_broadcast': the shape [2,3] does not broadcast to [2,4]");
  CHECK_EQ(finding({{"2, 3"}, "(a, b) = tract_core_topk(x, 4, axis = 1, largest = true);"}),
           "'a': 'tract_core_topk': 'k' is 4 of 3 values");
  CHECK_EQ(finding({{"2, 3"}, "a = max_reduce(x, axes = [2]);"}),
           "'a': 'max_reduce': 'axes' names axis 2 of a tensor with 2 axes");
}

TEST_CASE("shapes of slices and convolutions are used in later statements") {
  const auto shape_after = [](const std::string& slice) {
    return finding(
        {{"2, 3"}, cat("a = slice(x, axes = [1], ", slice, ");\nb = reshape(a, shape = [5]);")});
  };
  const auto has = [](const std::string& shape, int elements) {
    return cat("'b': 'reshape': the shape [5] has 5 elements, and the input ", shape, " has ",
               elements, " there");
  };
  CHECK_EQ(shape_after("begin = [0], end = [3]"), has("[2,3]", 6));
  CHECK_EQ(shape_after("begin = [1], end = [0]"), has("[2,2]", 4));
  CHECK_EQ(shape_after("begin = [-3], end = [-1]"), has("[2,2]", 4));
  // Packed filters have other ranks, and are let through.
  for (const std::vector<std::string>& shapes :
       {std::vector<std::string>{"1, 4, 9", "8"}, {"1, 4", "8, 3"}})
    CHECK_EQ(finding({shapes, "a = conv(x, y, padding = [(0, 0)], stride = [1], dilation = [1]);"}),
             "");
}

TEST_CASE("multiples that must be declared") {
  CHECK_EQ(finding({{"B, 6"}, "a = reshape(x, shape = [2, -1, 2]);"}),
           "'a': 'reshape': 6 elements are not divisible by 4; at B=1; multiples of 2: B");
  CHECK_EQ(finding({{"B, 3, S"}, "a = reshape(x, shape = [B, 3, S/4, 4]);"}),
           "'a': 'reshape': the shape [5,3,1,4] has 60 elements, and the input [5,3,7] has 105 "
           "there; at B=5, S=7; multiples of 4: S");
  // A net whose halves are joined again, two levels deep.
  CHECK_EQ(finding({{"1, 4, S", "4, 4, 2"},
                    "d = conv(x, y, padding = [(0, 0)], stride = [2], dilation = [1]);\n"
                    "e = conv(d, y, padding = [(0, 0)], stride = [2], dilation = [1]);\n"
                    "u = deconv(e, y, padding = [(0, 0)], stride = [2], dilation = [1]);\n"
                    "c = concat([u, d], axis = 1);\n"
                    "v = deconv(d, y, padding = [(0, 0)], stride = [2], dilation = [1]);\n"
                    "w = concat([v, x], axis = 1);\n"}),
           "'w': 'concat': the shapes [1,4,4] and [1,4,5] are incompatible; at S=5; "
           "multiples of 4: S");
}

std::string for_version(const char* version) {
  return cat(
      "fragment tract_core_properties() -> (properties: (string, tensor<scalar>)[]) {\n"
      "properties = [('tract_target_version', '",
      version, "')];\n}\n");
}

TEST_CASE("bounds that must be declared") {
  const std::string table = "a = slice(y, axes = [1], begin = [0], end = [S]);\nb = add(x, a);\n";
  const LintCase positions{{"B, S", "B, 64"}, table, {}, for_version("0.23.9")};
  CHECK_EQ(finding(positions),
           "'a': 'slice': the slice ends at 100007 of 64; at B=100005, S=100007; up to 64: S");
  CHECK_EQ(finding({{"B, S", "B, 64"}, table, {"S <= 64"}, for_version("0.23.9")}), "");
  CHECK_EQ(finding({{"B, S", "B, 64"}, table, {}, for_version("0.21.19")}),
           "'b': 'add': the shapes [100005,100007] and [100005,64] do not broadcast: axes are "
           "matched from the first on; at B=100005, S=100007; up to 64: S");
  CHECK_EQ(finding({{"B, S", "B, 64"}, table}), "");  // versions differ, and it names none
  CHECK_EQ(finding({{"S", "64"},
                    "a = pad(x, padding = [(0, 64 - S)], border = 'constant');\n"
                    "b = add(a, y);\n"}),
           "");
  CHECK_EQ(finding({{"1, S"}, "(a, b) = tract_core_topk(x, 5, axis = 1, largest = true);"}),
           "'a': 'tract_core_topk': 'k' is 5 of 1 values; at S=1; from 5: S");
  CHECK_EQ(
      finding({{"1, S"}, "(a, b) = tract_core_topk(x, 5, axis = 1, largest = true);", {"S >= 5"}}),
      "");
  CHECK_EQ(finding({{"S, 3"}, "a = squeeze(x, axes = [0]);"}),
           "'a': 'squeeze': axis 0 of [5,3] has not the extent 1; at S=5; right elsewhere");
}

TEST_CASE("sizes that must be one symbol") {
  CHECK_EQ(finding({{"S, 3", "T, 3"}, "a = add(x, y);"}),
           "'a': 'add': the shapes [5,3] and [7,3] do not broadcast: axes are matched from the "
           "first on; at S=5, T=7; equal: S T");
  CHECK_EQ(finding({{"2, S", "2, T"}, "a = concat([x, y], axis = 0);"}),
           "'a': 'concat': the shapes [2,5] and [2,7] are incompatible; at S=5, T=7; equal: "
           "S T");
  // tract compares the axes as expressions: it does not see what is asserted.
  CHECK_EQ(finding({{"2, S", "2, T"}, "a = concat([x, y], axis = 0);", {"S == T"}}),
           "'a': 'concat': the shapes [2,5] and [2,7] are incompatible; at S=5, T=7; equal: "
           "S T");
  CHECK_EQ(finding({{"2, S", "2, 3"}, "a = stack([x, y], axis = 0);", {"S == 3"}}),
           "'a': 'stack': the shapes [2,1] and [2,3] are incompatible; at S=1; right elsewhere");
  CHECK_EQ(finding({{"2, S", "2, T"}, "a = add(x, y);", {"S == T"}}), "");
  CHECK_EQ(finding({{"2, S", "2, 3*T"}, "a = add(x, y);", {"S == 3*T"}}), "");
}

TEST_CASE("documents that are right at all sizes") {
  for (const char* body :
       {"a = reshape(x, shape = [0, -1, 2]);", "a = reshape(x, shape = [S*2, B, 3]);",
        "a = reshape(x, shape = [S, 3, 2], axis_start = 1, axis_count = 2);",
        "a = slice(x, axes = [1], begin = [0], end = [0]);",
        "a = slice(x, axes = [2], begin = [-3], end = [-1]);\nb = reshape(a, shape = [B*S, 2]);",
        "a = slice(x, axes = [1], begin = [S/2], end = [S]);\n"
        "b = slice(x, axes = [1], begin = [0], end = [S/2]);\n"
        "c = concat([b, a], axis = 1);\nd = add(c, x);",
        "a = tract_core_cast(S, to = 'i64');\n"
        "r = tract_core_range(tract_core_cast(0, to = 'i64'), a, tract_core_cast(1, to = 'i64'));\n"
        "m = add(unsqueeze(r, axes = [0, 2]), x);",
        "a = mean_reduce(x, axes = [1, 2]);\nb = sub(x, a);",
        "a = tile(x, repeats = [1, S, 1]);\nb = reshape(a, shape = [B, S, S, 6]);",
        "a = tract_core_gather(x, [[0, 1], [1, 0]], axis = 1);\nb = reshape(a, shape = [B, 24]);",
        "a = tract_core_shape_of(x);\nb = reshape(x, shape = a);\nc = add(b, unknown_op(x));"})
    CHECK_MESSAGE(finding({{"B, S, 6"}, body}) == "", body);
}

TEST_CASE("windows, resizing and attention") {
  const auto right = [](const std::string& body, const std::string& shape) {
    return finding({{"B, 4, S, 9", "8, 2, 3, 3"},
                    cat("a = ", body, ";\nb = reshape(a, shape = ", shape, ");\n")});
  };
  CHECK_EQ(
      right("conv(x, y, padding = [(1, 1), (1, 1)], stride = [1, 2], groups = 2)", "[B, 8, S, 5]"),
      "");
  CHECK_EQ(right("conv(x, y, stride = [2, 2], groups = 2)", "[B, 8, (S + 1)/2, 5]"), "");
  CHECK_EQ(right("deconv(x, y, padding = [(1, 1), (1, 1)], stride = [1, 1], groups = 2)",
                 "[B, 8, S, 9]"),
           "");
  CHECK_EQ(right("max_pool(x, size = [1, 1, 2, 2], padding = [(0,0), (0,0), (0,1), (0,0)], "
                 "stride = [1, 1, 1, 2])",
                 "[B, 4, S, 4]"),
           "");
  CHECK_EQ(right("tract_core_resize(x, sizes = [B, 4, 7, 8])", "[B, 4, 56]"), "");
  CHECK_EQ(finding({{"B, S, 8", "B, T, 8"},
                    "a = tract_transformers_sdpa(x, y, y, datum_type = 'f32', acc_datum_type = "
                    "'f32', is_causal = false);\nb = add(a, x);\n"}),
           "");
}

TEST_CASE("attention of an unknown number of heads") {
  const auto attention = [](const std::string& q, const std::string& k) {
    return finding({{q, k},
                    "a = tract_transformers_sdpa(x, y, y, datum_type = 'f32', acc_datum_type = "
                    "'f32', is_causal = false);\n"});
  };
  CHECK_EQ(attention("B, 2, S, 8", "B, 2, T, 8"), "");
  for (const auto& [q, k] : {std::pair("2, B, S, 8", "2, B, S, 8"), {"2, B, S, 8", "2, 1, S, 8"}})
    CHECK(attention(q, k).starts_with(
        "'a': 'tract_transformers_sdpa' with an unknown number of heads; at "));
}

TEST_CASE("products of what a broadcast gave an axis") {
  const auto said = [](const std::string& product) {
    return finding({{"3"}, "b = tract_core_broadcast(x, shape = [4, 3]);\na = " + product});
  };
  const std::string why =
      " of a tensor with an axis from tract_core_broadcast, which the engine removes";
  CHECK_EQ(said("matmul(b, [[1.0], [2.0], [3.0]]);"), "'a': 'matmul'" + why);
  CHECK_EQ(said("matmul([[1.0, 2.0, 3.0, 4.0]], b);"), "'a': 'matmul'" + why);
  CHECK_EQ(said("tract_core_einsum([b, [[1.0], [2.0], [3.0]]], expr = 'ij,jk->ik', acc = "
                "'f32');"),
           "'a': 'tract_core_einsum'" + why);
  CHECK_EQ(said("b + 1.0;"), "");
  CHECK_EQ(said("matmul(b, b, transposeB = true);"), "");
}

const char* const kStep =
    "fragment step(x: tensor<scalar>, w: tensor<scalar>, h: tensor<scalar>)"
    " -> (y: tensor<scalar>, h_next: tensor<scalar>) {\n"
    "h_next = squeeze(x, axes = [1]) + matmul(h, w, transposeB = true);\n"
    "y = unsqueeze(h_next, axes = [1]);\n}\n";

TEST_CASE("fragments and scans are examined") {
  const std::string norm =
      "fragment norm(x: tensor<scalar>, axes: integer[]) -> (y: tensor<scalar>)"
      " { y = x - mean_reduce(x, axes = axes); }\n";
  CHECK_EQ(finding({{"B, 6"}, "a = norm(x, axes = [1]);\nb = add(a, x);", {}, norm}), "");
  CHECK_EQ(finding({{"2, 6"}, "a = norm(x, axes = [2]);", {}, norm}),
           "'a': 'mean_reduce': 'axes' names axis 2 of a tensor with 2 axes");
  const std::string by_number =
      "fragment widened(x: tensor<scalar>, axis: scalar) -> (y: tensor<scalar>)"
      " { y = unsqueeze(x, axes = [axis]); }\n";
  CHECK_EQ(finding({{"2, 6"}, "a = widened(x, axis = 4);", {}, by_number}),
           "'a': 'unsqueeze': 'axes' names axis 4 of a tensor with 2 axes");
  const std::string scan =
      "(a, b) = tract_core_scan(body = 'step', scan = [('x', x, 1, 1)], full = [('w', z)], "
      "state = [('h', y, 'h_next')], output = [('y', 'full', 1, 1), ('h_next', 'last', 0, 1)], "
      "reset_every_turn = 1);\n";
  CHECK_EQ(
      finding({{"B, S, 4", "B, 4", "4, 4"}, scan + "c = add(a, x);\nd = add(b, y);\n", {}, kStep}),
      "");
  CHECK_EQ(finding({{"2, S, 4", "2, 3", "4, 4"}, scan, {}, kStep}),
           "'a': 'matmul': rows of 3 do not match columns of 4; at S=1");
}

TEST_CASE("a body knows the sizes that its inputs have") {
  const std::string step =
      "fragment step(x: tensor<scalar>, w: tensor<scalar>, h: tensor<scalar>)"
      " -> (y: tensor<scalar>)\n{ y = matmul(h, w) + squeeze(x, axes = [0]); }\n"
      "fragment told(x: tensor<scalar>, w: tensor<scalar>, h: tensor<scalar>, s: tensor<scalar>)"
      " -> (y: tensor<scalar>, t: tensor<scalar>)\n{ y = step(x, w, h); t = s + 1.0; }\n";
  const std::string scan = "scan = [('x', x, 0, 1)], full = [('w', y)], ";
  const std::string plain =
      "a = tract_core_scan(body = 'step', " + scan +
      "state = [('h', z, 'y')], output = [('y', 'last', 0, 1)], reset_every_turn = 1);";
  CHECK_EQ(finding({{"T, B, 4", "4, 4", "B, 4"}, plain, {}, step}), "");
  CHECK_EQ(finding({{"T, 2*B + 1, 4", "4, 4", "2*B + 1, 4"}, plain, {}, step}), "");
  CHECK_EQ(finding({{"T, B*S, 4", "4, 4", "B*S, 4"}, plain, {}, step}),
           "'a': no input of 'step' determines the size of a product there; "
           "at B=7, S=13, T=17");
  CHECK_EQ(finding({{"T, (B + 1)/2, 4", "4, 4", "(B + 1)/2, 4"}, plain, {}, step}),
           "'a': no input of 'step' determines the size of a product there; "
           "at B=7, T=11");
  const std::string told =
      "s = tract_core_broadcast(0.0, shape = [B]);\n(a, b) = tract_core_scan(body = 'told', " +
      scan +
      "state = [('h', z, 'y'), ('s', s, 't')], output = [('y', 'last', 0, 1), ('t', 'last', 0, "
      "1)], reset_every_turn = 1);";
  CHECK_EQ(finding({{"T, (B + 1)/2, 4", "4, 4", "(B + 1)/2, 4"}, told, {}, step}), "");
}

TEST_CASE("sizes that are equal, which the engine does not find") {
  const std::string halves =
      "a = slice(x, axes = [0], begin = [0], end = [(S)/2]);\n"
      "b = tract_core_broadcast(0.0, shape = [(S + 1)/2, 4]);\n"
      "c = concat([a, b], axis = 0);\n";
  const std::string named = "d = tract_core_dyn_slice(c, start = 0, end = S, len = S, axis = 0);\n";
  CHECK_EQ(finding({{"S, 4"}, halves + "e = concat([x, c], axis = 1);"}),
           "'e': 'concat': tract cannot prove that the sizes S and (S + 1)//2 + S//2 "
           "are equal; right elsewhere");
  CHECK_EQ(finding({{"S, 4"}, halves + "e = reshape(c, shape = [S, 2, 2]);"}),
           "'e': 'reshape': tract cannot prove that the sizes 4*((S + 1)//2) + 4*(S//2) "
           "and 4*S are equal; right elsewhere");
  CHECK_EQ(finding({{"S, 4"}, halves + named + "e = concat([x, d], axis = 1);"}), "");
}

/// Seconds of the processor for a chain of so many statements.
double seconds_for(int count) {
  std::string body = "a0 = exp(x);\n";
  for (int i = 1; i < count; ++i)
    body += i % 2 == 0 ? cat("a", i, " = add(a", i - 1, ", x);\n")
                       : cat("a", i, " = reshape(a", i - 1, ", shape = [B, S, 6]);\n");
  const nnef::Document given = document({{"B, S, 6"}, body});
  const std::clock_t begin = std::clock();
  CHECK_FALSE(lint_tract(given));
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

TEST_CASE("a wrong document is found whatever is left to look for a cure") {
  const LintCase given = {{"S, 3", "T, 3"}, "a = add(x, y);"};
  const auto with = [&](int64_t budget) { return *lint_tract(document(given), budget); };
  CHECK(with(kCureBudget).cure == TractFinding::Cure::equal);
  for (const int64_t budget : {0, 1, 100, 1000}) {
    CAPTURE(budget);
    CHECK_EQ(with(budget).problem, with(kCureBudget).problem);
    CHECK(with(budget).cure == TractFinding::Cure::unknown);
    CHECK(with(budget).symbols.empty());
  }
}

TEST_CASE("ten thousand statements take some ten times as long as a thousand") {
  CHECK_LT(seconds_for(10000), 40 * seconds_for(1000));  // were it quadratic, it would be 100 times
}

}  // namespace
}  // namespace t2n::spec
