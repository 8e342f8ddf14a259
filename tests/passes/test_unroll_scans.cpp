// SPDX-License-Identifier: Apache-2.0
// Scans in, iterations one after the other out.
#include <doctest/doctest.h>

#include "ir/scan.h"
#include "src/diag/error.h"
#include "src/limits/unrolled.h"
#include "tests/passes/support.h"

namespace t2n::passes {
namespace {

constexpr const char* kUnrollPass = "unroll-scans";

/// Of a target that has everything but loops.
PassContext no_loops() {
  PassContext out;
  out.native = ir::all_operators_but({ir::op_id(ir::kScanOp)});
  return out;
}

std::string unrolled(std::string_view text) { return after(kUnrollPass, text, no_loops()); }

/// h = tanh(x[i] + h), `length` times.
std::string scan_text(const std::string& length) {
  return cat(
      "graph m(%x: f32[", length, R"(,2], %h: f32[2]) -> (%y as "y") {
    )",
      length == "S" ? "attribute sample_sizes: sizes = S=3" : "", R"(
    %y: f32[2] = t2n::scan(length=)",
      length,
      R"(, scanned=[%x], scanned_axes=[0], scanned_reversed=[false], initial=[%h], captured=tensors[], stacked_axes=[], stacked_reversed=bools[]) body graph iteration(%t: i64[], %v: f32[2], %h: f32[2]) -> (%n as "h") {
      %a: f32[2] = aten::add.Tensor(self=%v, other=%h, alpha=1)
      %n: f32[2] = aten::tanh(self=%a)
    }
  })");
}

/// As many operations in a row, so many times.
std::string chain(int64_t operations, int64_t length) {
  std::string out = cat(
      "graph m(%x: f32[2]) -> (%y as \"y\") {\n  %y: f32[2] = t2n::scan(length=", length,
      R"(, scanned=tensors[], scanned_axes=[], scanned_reversed=bools[], initial=[%x], captured=tensors[], stacked_axes=[], stacked_reversed=bools[]) body graph turn(%t: i64[], %a0: f32[2]) -> (%a)",
      operations, " as \"a\") {\n");
  for (int64_t i = 0; i < operations; ++i)
    out += cat("    %a", i + 1, ": f32[2] = aten::tanh(self=%a", i, ")\n");
  return out + "  }\n}";
}

TEST_CASE("slices, states, stacks, captured tensors, constants, the iteration's number") {
  CHECK_EQ(
      unrolled(R"(graph m(%x: f32[2,3], %h: f32[2], %w: f32[2]) -> (%all as "all", %last as "h") {
    %all: f32[2,3], %last: f32[2] = t2n::scan(length=3, scanned=[%x], scanned_axes=[1], scanned_reversed=[false], initial=[%h], captured=[%w], stacked_axes=[1], stacked_reversed=[false]) body graph iteration(%t: i64[], %v: f32[2], %h: f32[2], %w: f32[2]) -> (%n as "all", %n as "h") {
      const %c: f32[2] = {0.5, 0.25}
      %a: f32[2] = aten::mul.Tensor(self=%v, other=%w)
      %b: f32[2] = aten::add.Tensor(self=%a, other=%h, alpha=1)
      %d: f32[2] = aten::mul.Tensor(self=%b, other=%t)
      %n: f32[2] = aten::mul.Tensor(self=%d, other=%c)
    }
  })"),
      R"(graph m(%x: f32[2,3], %h: f32[2], %w: f32[2]) -> (%all as "all", %last as "h") {
  const %c: f32[2] = {0.5, 0.25}
  const %t: i64[] = {0}
  const %t_2: i64[] = {1}
  const %t_3: i64[] = {2}
  %v: f32[2] = aten::select.int(self=%x, dim=1, index=0) as select_0
  %a: f32[2] = aten::mul.Tensor(self=%v, other=%w) as mul_0
  %b: f32[2] = aten::add.Tensor(self=%a, other=%h, alpha=1) as add_0
  %d: f32[2] = aten::mul.Tensor(self=%b, other=%t) as mul_1
  %n: f32[2] = aten::mul.Tensor(self=%d, other=%c) as mul_2
  %v_2: f32[2] = aten::select.int(self=%x, dim=1, index=1) as select_1
  %a_2: f32[2] = aten::mul.Tensor(self=%v_2, other=%w) as mul_3
  %b_2: f32[2] = aten::add.Tensor(self=%a_2, other=%n, alpha=1) as add_1
  %d_2: f32[2] = aten::mul.Tensor(self=%b_2, other=%t_2) as mul_4
  %n_2: f32[2] = aten::mul.Tensor(self=%d_2, other=%c) as mul_5
  %v_3: f32[2] = aten::select.int(self=%x, dim=1, index=2) as select_2
  %a_3: f32[2] = aten::mul.Tensor(self=%v_3, other=%w) as mul_6
  %b_3: f32[2] = aten::add.Tensor(self=%a_3, other=%n_2, alpha=1) as add_2
  %d_3: f32[2] = aten::mul.Tensor(self=%b_3, other=%t_3) as mul_7
  %last: f32[2] = aten::mul.Tensor(self=%d_3, other=%c) as mul_8
  %all: f32[2,3] = aten::stack(tensors=[%n, %n_2, %last], dim=1) as stack_0
}
)");
}

TEST_CASE("backwards: the last row first, and the first one last in the stack") {
  CHECK_EQ(unrolled(R"(graph m(%x: f32[3,2], %h: f32[2]) -> (%all as "all", %last as "h") {
    %all: f32[3,2], %last: f32[2] = t2n::scan(length=3, scanned=[%x], scanned_axes=[0], scanned_reversed=[true], initial=[%h], captured=tensors[], stacked_axes=[0], stacked_reversed=[true]) body graph iteration(%t: i64[], %v: f32[2], %h: f32[2]) -> (%n as "all", %n as "h") {
      %n: f32[2] = aten::add.Tensor(self=%v, other=%h, alpha=1)
    }
  })"),
           R"(graph m(%x: f32[3,2], %h: f32[2]) -> (%all as "all", %last as "h") {
  %v: f32[2] = aten::select.int(self=%x, dim=0, index=2) as select_0
  %n: f32[2] = aten::add.Tensor(self=%v, other=%h, alpha=1) as add_0
  %v_2: f32[2] = aten::select.int(self=%x, dim=0, index=1) as select_1
  %n_2: f32[2] = aten::add.Tensor(self=%v_2, other=%n, alpha=1) as add_1
  %v_3: f32[2] = aten::select.int(self=%x, dim=0, index=0) as select_2
  %last: f32[2] = aten::add.Tensor(self=%v_3, other=%n_2, alpha=1) as add_2
  %all: f32[3,2] = aten::stack(tensors=[%last, %n_2, %n], dim=0) as stack_0
}
)");
}

TEST_CASE("inner loops too") {
  CHECK_EQ(unrolled(R"(graph m(%x: f32[2,2], %h: f32[2]) -> (%last as "h") {
    %last: f32[2] = t2n::scan(length=2, scanned=[%x], scanned_axes=[0], scanned_reversed=[false], initial=[%h], captured=tensors[], stacked_axes=[], stacked_reversed=bools[]) body graph outer(%t: i64[], %v: f32[2], %h: f32[2]) -> (%n as "h") {
      %k: f32[2] = t2n::scan(length=2, scanned=tensors[], scanned_axes=[], scanned_reversed=bools[], initial=[%h], captured=[%v], stacked_axes=[], stacked_reversed=bools[]) body graph inner(%t: i64[], %h: f32[2], %v: f32[2]) -> (%b as "h") {
        const %c: f32[2] = {0.5, 0.25}
        %a: f32[2] = aten::mul.Tensor(self=%v, other=%c)
        %b: f32[2] = aten::add.Tensor(self=%a, other=%h, alpha=1)
      }
      %n: f32[2] = aten::tanh(self=%k)
    }
  })"),
           R"(graph m(%x: f32[2,2], %h: f32[2]) -> (%last as "h") {
  const %c: f32[2] = {0.5, 0.25}
  %v: f32[2] = aten::select.int(self=%x, dim=0, index=0) as select_0
  %a: f32[2] = aten::mul.Tensor(self=%v, other=%c) as mul_0
  %b: f32[2] = aten::add.Tensor(self=%a, other=%h, alpha=1) as add_0
  %a_2: f32[2] = aten::mul.Tensor(self=%v, other=%c) as mul_1
  %k: f32[2] = aten::add.Tensor(self=%a_2, other=%b, alpha=1) as add_1
  %n: f32[2] = aten::tanh(self=%k) as tanh_0
  %v_2: f32[2] = aten::select.int(self=%x, dim=0, index=1) as select_1
  %a_3: f32[2] = aten::mul.Tensor(self=%v_2, other=%c) as mul_2
  %b_2: f32[2] = aten::add.Tensor(self=%a_3, other=%n, alpha=1) as add_2
  %a_2_2: f32[2] = aten::mul.Tensor(self=%v_2, other=%c) as mul_3
  %k_2: f32[2] = aten::add.Tensor(self=%a_2_2, other=%b_2, alpha=1) as add_3
  %last: f32[2] = aten::tanh(self=%k_2) as tanh_1
}
)");
}

TEST_CASE("states that swap or stay; a loop after a loop") {
  CHECK_EQ(unrolled(R"(graph m(%x: f32[2], %y: f32[2]) -> (%p as "p", %q as "q", %s as "s") {
    %a: f32[2], %b: f32[2], %s: f32[2] = t2n::scan(length=3, scanned=tensors[], scanned_axes=[], scanned_reversed=bools[], initial=[%x, %y, %y], captured=tensors[], stacked_axes=[], stacked_reversed=bools[]) body graph one(%t: i64[], %a: f32[2], %b: f32[2], %s: f32[2]) -> (%b as "a", %a as "b", %s as "s") {
    }
    %p: f32[2], %q: f32[2] = t2n::scan(length=1, scanned=tensors[], scanned_axes=[], scanned_reversed=bools[], initial=[%a, %b], captured=tensors[], stacked_axes=[], stacked_reversed=bools[]) body graph two(%t: i64[], %a: f32[2], %b: f32[2]) -> (%n as "a", %b as "b") {
      %n: f32[2] = aten::sub.Tensor(self=%a, other=%b, alpha=1)
    }
  })"),
           R"(graph m(%x: f32[2], %y: f32[2]) -> (%p as "p", %x as "q", %y as "s") {
  %p: f32[2] = aten::sub.Tensor(self=%y, other=%x, alpha=1) as sub_0
}
)");
}

TEST_CASE("operations keep their modules, and are counted anew") {
  CHECK_EQ(unrolled(R"(graph m(%x: f32[2]) -> (%y as "y") {

@Model/Cell[cell]:
  %r: f32[2] = aten::tanh(self=%x) as tanh_0
  %y: f32[2] = t2n::scan(length=2, scanned=tensors[], scanned_axes=[], scanned_reversed=bools[], initial=[%r], captured=tensors[], stacked_axes=[], stacked_reversed=bools[]) as scan_0 body graph turn(%t: i64[], %h: f32[2]) -> (%n as "h") {

  @Model/Gate[gate]:
    %a: f32[2] = aten::relu(self=%h) as relu_0 !0

  @Model/Cell[cell]:
    %n: f32[2] = aten::tanh(self=%a) as tanh_0

    source !0 = model.py:88:16 in forward
  }
})"),
           R"(graph m(%x: f32[2]) -> (%y as "y") {

@Model/Cell[cell]:
  %r: f32[2] = aten::tanh(self=%x) as tanh_0

@Model/Gate[gate]:
  %a: f32[2] = aten::relu(self=%r) as relu_0 !0  # model.py:88

@Model/Cell[cell]:
  %n: f32[2] = aten::tanh(self=%a) as tanh_1

@Model/Gate[gate]:
  %a_2: f32[2] = aten::relu(self=%n) as relu_1 !0  # model.py:88

@Model/Cell[cell]:
  %y: f32[2] = aten::tanh(self=%a_2) as tanh_2

  source !0 = model.py:88:16 in forward
}
)");
}

TEST_CASE("scans that stay: open lengths, many iterations, loops around such, targets with loops") {
  check_unchanged(kUnrollPass, scan_text("S"), no_loops());
  const int64_t most = limits::kUnrolledIterations;
  CHECK(unrolled(scan_text(cat(most))).find("t2n::scan") == std::string::npos);
  check_unchanged(kUnrollPass, scan_text(cat(most + 1)), no_loops());
  check_unchanged(kUnrollPass, chain(300, limits::kUnrolledOperations / 300 + 1), no_loops());
  CHECK(unrolled(chain(300, limits::kUnrolledOperations / 300)).find("t2n::scan") ==
        std::string::npos);
  check_unchanged(kUnrollPass, scan_text("3"));
  PassContext all;
  all.native = ir::all_operators_but({});
  check_unchanged(kUnrollPass, scan_text("3"), all);
}

}  // namespace
}  // namespace t2n::passes
