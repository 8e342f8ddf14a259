// SPDX-License-Identifier: Apache-2.0
// Complex graphs as real ones.
#include <doctest/doctest.h>

#include "ops/all.h"
#include "src/translate/registry.h"
#include "tests/passes/support.h"

namespace t2n::passes {
namespace {

std::string paired(std::string_view text) {
  PassContext context;
  context.operators = &ops::registry().table();
  std::string out = after("complex-to-pairs", text, context);
  CHECK(after("complex-to-pairs", out) == out);  // nothing is left to do
  return out;
}

TEST_CASE("graphs without complex tensors stay as they are") {
  check_unchanged("complex-to-pairs", R"(graph m(%x: f32[2]) -> (%y as "y") {
    %y: f32[2] = aten::neg(self=%x)
  })");
}

TEST_CASE("products become real ones, under the old name") {
  CHECK(paired(R"(graph m(%x: c64[2], %y: c64[2]) -> (%z as "z") {
    %z: c64[2] = aten::mul.Tensor(self=%x, other=%y) in c64
  })") == R"(graph m(%x: f32[2,2], %y: f32[2,2]) -> (%z as "z") {
  %z_select: f32[2] = aten::select.int(self=%x, dim=1, index=0) as select_0
  %z_select_2: f32[2] = aten::select.int(self=%x, dim=1, index=1) as select_1
  %z_select_3: f32[2] = aten::select.int(self=%y, dim=1, index=0) as select_2
  %z_select_4: f32[2] = aten::select.int(self=%y, dim=1, index=1) as select_3
  %z_mul: f32[2] = aten::mul.Tensor(self=%z_select, other=%z_select_3) as mul_1
  %z_mul_2: f32[2] = aten::mul.Tensor(self=%z_select_2, other=%z_select_4) as mul_2
  %z_mul_3: f32[2] = aten::mul.Tensor(self=%z_select, other=%z_select_4) as mul_3
  %z_mul_4: f32[2] = aten::mul.Tensor(self=%z_select_2, other=%z_select_3) as mul_4
  %z_sub: f32[2] = aten::sub.Tensor(self=%z_mul, other=%z_mul_2, alpha=1) as sub_0
  %z_add: f32[2] = aten::add.Tensor(self=%z_mul_3, other=%z_mul_4, alpha=1) as add_0
  %z: f32[2,2] = aten::stack(tensors=[%z_sub, %z_add], dim=1) as stack_0
}
)");
}

TEST_CASE("views cost nothing, axes count from the front, constants keep their bytes") {
  CHECK(paired(R"(graph m(%x: f32[3,2]) -> (%r as "r") {
    const %c: c64[] = {complex(0.5, 1.0)}
    %z: c64[3] = aten::view_as_complex(self=%x)
    %p: c64[1,3] = aten::unsqueeze(self=%z, dim=-2)
    %s: c64[1,3] = aten::add.Tensor(self=%p, other=%c, alpha=1) in c64
    %r: f32[1,3,2] = aten::view_as_real(self=%s)
  })") == R"(graph m(%x: f32[3,2]) -> (%s as "r") {
  const %c: f32[2] = {0.5, 1.0}
  %p: f32[1,3,2] = aten::unsqueeze(self=%x, dim=0) as unsqueeze_1
  %s: f32[1,3,2] = aten::add.Tensor(self=%p, other=%c, alpha=1) as add_1
}
)");
}

TEST_CASE("complex operators without a real form leave a mark if their result is needed") {
  CHECK(paired(R"(graph m(%x: c128[2]) -> (%y as "y") {
    %y: c128[2] = aten::asin(self=%x)
    %unused: c128[2] = aten::acos(self=%x)
  })") == R"(graph m(%x: f64[2,2]) -> (%y as "y") {
  %y: f64[2,2] = t2n::refused(op="aten::asin", of="complex tensors", why="it has no implementation in real arithmetic", help="compute it from .real and .imag, or keep the tensors real") as refused_0
}
)");
}

TEST_CASE("transforms of real tensors are rewritten too") {
  CHECK(paired(R"(graph m(%x: f32[4,8]) -> (%y as "y") {
    %y: c64[4,5] = aten::fft_rfft(self=%x, n=none, dim=-1, norm="ortho")
  })") == R"(graph m(%x: f32[4,8]) -> (%y as "y") {
  %y: f32[4,5,2] = t2n::fft_r2c(self=%x, dim=1, onesided=true, inverse=false, scale=0.35355339059327373) as fft_r2c_0
}
)");
}

TEST_CASE("sizes that are not known at export stay") {
  CHECK(paired(R"(graph m(%x: c64[S,3]) -> (%y as "y", %f as "f") {
    %y: c64[S,3] = aten::slice.Tensor(self=%x, dim=-2, start=0, end=S, step=1)
    %f: c64[S,3] = aten::fft_fft(self=%x, n=none, dim=0, norm="ortho")
  })") == R"(graph m(%x: f32[S,3,2]) -> (%y as "y", %f as "f") {
  %y: f32[S,3,2] = aten::slice.Tensor(self=%x, dim=0, start=0, end=S, step=1) as slice_1
  %f_fft_c2c: f32[S,3,2] = t2n::fft_c2c(self=%x, dim=0, inverse=false, scale=1.0) as fft_c2c_0
  %f_scalar_tensor: f32[] = aten::scalar_tensor(s=S, dtype=f32, layout=none, device=none, pin_memory=none) as scalar_tensor_0
  %f_sqrt: f32[] = aten::sqrt(self=%f_scalar_tensor) as sqrt_0
  %f: f32[S,3,2] = aten::div.Tensor(self=%f_fft_c2c, other=%f_sqrt) as div_0
}
)");
}

TEST_CASE("a spectrum of the right size is neither cut nor filled") {
  const auto inverse = [](int64_t n) {
    return paired(cat("graph m(%x: c64[3,5]) -> (%y as \"y\") {\n  %y: f32[3,", n,
                      "] = aten::fft_irfftn(self=%x, s=[3, ", n, "], dim=[0, 1], norm=none)\n}"));
  };
  CHECK_EQ(inverse(8).find("pad"), std::string::npos);
  CHECK_EQ(inverse(8).find("slice"), std::string::npos);
  CHECK_NE(inverse(10).find("pad"), std::string::npos);
  CHECK_NE(inverse(6).find("slice"), std::string::npos);
}

}  // namespace
}  // namespace t2n::passes
