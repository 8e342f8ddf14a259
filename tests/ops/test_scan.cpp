// SPDX-License-Identifier: Apache-2.0
// Loops as tract_core_scan, in every engine.
#include <doctest/doctest.h>

#include "nnef_writer/print.h"
#include "src/diag/error.h"
#include "src/model/torch_module.h"
#include "tests/support/dynamic.h"
#include "tests/support/example.h"
#include "tests/support/script.h"

namespace t2n::test::scan_tests {
namespace {

/// A graph in text form, run by torch's kernels and by every engine.
void check_graph(const std::string& text, const std::vector<ir::Tensor>& inputs,
                 double tolerance = 1e-5) {
  for (const target::Target& target : test_targets()) {
    CAPTURE(target::target_name(target));
    try {
      ir::Graph graph = ir::parse(text);
      const std::vector<ir::Tensor> expected =
          ir::run_graph(graph, inputs, torch_module().evaluator());
      CHECK_CLOSE(export_and_run(Example{graph, inputs, expected, {}}, target), rel(tolerance));
    } catch (const Error& error) {
      FAIL_CHECK(std::string(error.what()));
    }
  }
}

TEST_CASE("a cell over time: states, stacked outputs, captured weights") {
  check_graph(
      R"(graph m(%x: f32[2,3,4], %h: f32[2,4], %w: f32[12,4]) -> (%all as "all", %last as "last") {
    const %b: f32[12] = {0.1, 0.2, 0.3, 0.4, -0.1, -0.2, -0.3, -0.4, 0.5, 0.6, 0.7, 0.8}
    %all: f32[2,3,4], %last: f32[2,4] = t2n::scan(length=3, scanned=[%x], scanned_axes=[1], scanned_reversed=[false], initial=[%h], captured=[%w, %b], stacked_axes=[1], stacked_reversed=[false]) body graph iteration(%t: i64[], %v: f32[2,4], %h: f32[2,4], %w: f32[12,4], %b: f32[12]) -> (%n as "all", %n as "h") {
      %n: f32[2,4] = aten::gru_cell(input=%v, hx=%h, w_ih=%w, w_hh=%w, b_ih=%b, b_hh=none)
    }
  })",
      {randn({2, 3, 4}, 1), randn({2, 4}, 2), randn({12, 4}, 3)});
}

/// The same with symbols in it, at other sizes too.
void check_open_graph(const std::string& text, const std::vector<Sizes>& runs,
                      double tolerance = 1e-5) {
  for (const target::Target& target : test_targets()) {
    CAPTURE(target::target_name(target));
    try {
      CHECK_EQ(open_differences(open_example(text, runs), target, rel(tolerance)), "");
    } catch (const Error& error) {
      FAIL_CHECK(std::string(error.what()));
    }
  }
}

const std::vector<Sizes> kLengths = {{{"S", 4}}, {{"S", 1}}, {{"S", 7}}, {{"S", 2}}};

TEST_CASE("dynamic length: forwards, backwards, both") {
  for (const std::string reversed : {"[false, false]", "[true, true]", "[false, true]"})
    for (const std::string out : {"false", "true"}) {
      CAPTURE(reversed);
      CAPTURE(out);
      std::string text =
          R"(graph m(%x: f32[2,S,3], %y: f32[S,3], %h: f32[2,3]) -> (%all as "all", %last as "last") {
        attribute sample_sizes: sizes = S=4
        %all: f32[2,3,S], %last: f32[2,3] = t2n::scan(length=S, scanned=[%x, %y], scanned_axes=[1, 0], scanned_reversed=REV, initial=[%h], captured=tensors[], stacked_axes=[2], stacked_reversed=[OUT]) body graph iteration(%t: i64[], %v: f32[2,3], %w: f32[3], %h: f32[2,3]) -> (%o as "all", %n as "h") {
          %s: f32[2,3] = aten::mul.Tensor(self=%h, other=%w)
          %n: f32[2,3] = aten::add.Tensor(self=%s, other=%v, alpha=1)
          %o: f32[2,3] = aten::tanh(self=%n)
        }
      })";
      text.replace(text.find("REV"), 3, reversed);
      text.replace(text.find("OUT"), 3, out);
      check_open_graph(text, kLengths);
    }
}

TEST_CASE("no state, two directions") {
  check_open_graph(R"(graph m(%x: f32[S,3], %y: f32[S,3]) -> (%all as "all", %back as "back") {
    attribute sample_sizes: sizes = S=4
    %all: f32[S,3], %back: f32[S,3] = t2n::scan(length=S, scanned=[%x, %y], scanned_axes=[0, 0], scanned_reversed=[false, true], initial=tensors[], captured=tensors[], stacked_axes=[0, 0], stacked_reversed=[false, true]) body graph iteration(%t: i64[], %v: f32[3], %w: f32[3]) -> (%o as "all", %p as "back") {
      %o: f32[3] = aten::sub.Tensor(self=%v, other=%w, alpha=1)
      %p: f32[3] = aten::add.Tensor(self=%v, other=%w, alpha=2)
    }
  })",
                   kLengths);
}

TEST_CASE("loops without a scanned tensor, with and without the iteration's number") {
  check_open_graph(R"(graph m(%x: f32[S,3]) -> (%all as "all", %n as "n", %last as "last") {
    attribute sample_sizes: sizes = S=4
    const %h: f32[] = {0.5}
    const %z: i64[2] = {0, 3}
    %all: f32[S], %last: f32[], %n: i64[2] = t2n::scan(length=S, scanned=tensors[], scanned_axes=[], scanned_reversed=bools[], initial=[%h, %z], captured=tensors[], stacked_axes=[0], stacked_reversed=[false]) body graph iteration(%t: i64[], %h: f32[], %z: i64[2]) -> (%o as "all", %o as "h", %m as "n") {
      %o: f32[] = aten::mul.Scalar(self=%h, other=1.5)
      %m: i64[2] = aten::add.Tensor(self=%z, other=%t, alpha=1)
    }
  })",
                   kLengths);
  check_open_graph(R"(graph m(%x: f32[S,3], %h: f32[2]) -> (%last as "last") {
    attribute sample_sizes: sizes = S=4
    %last: f32[2] = t2n::scan(length=S, scanned=tensors[], scanned_axes=[], scanned_reversed=bools[], initial=[%h], captured=tensors[], stacked_axes=[], stacked_reversed=bools[]) body graph iteration(%t: i64[], %h: f32[2]) -> (%o as "h") {
      %o: f32[2] = aten::mul.Scalar(self=%h, other=1.5)
    }
  })",
                   kLengths);
}

TEST_CASE("scanned constants, states that swap, states of bool, captured sizes") {
  check_open_graph(
      R"(graph m(%x: f32[S,4], %a: f32[4], %b: f32[4]) -> (%all as "all", %la as "a", %lb as "b", %lf as "f") {
    attribute sample_sizes: sizes = S=4
    const %f: bool[4] = {true, true, false, true}
    %all: f32[S,4], %la: f32[4], %lb: f32[4], %lf: bool[4] = t2n::scan(length=S, scanned=[%x], scanned_axes=[0], scanned_reversed=[false], initial=[%a, %b, %f], captured=tensors[], stacked_axes=[0], stacked_reversed=[false]) body graph iteration(%t: i64[], %v: f32[4], %a: f32[4], %b: f32[4], %f: bool[4]) -> (%o as "all", %b as "a", %o as "b", %g as "f") {
      %p: f32[4] = aten::add.Tensor(self=%a, other=%v, alpha=1)
      %o: f32[4] = aten::where.self(condition=%f, self=%p, other=%b)
      %c: bool[4] = aten::gt.Scalar(self=%o, other=-1.0)
      %g: bool[4] = aten::logical_and(self=%f, other=%c)
    }
  })",
      kLengths);
  check_graph(R"(graph m(%x: f32[2]) -> (%all as "all") {
    const %p: f32[3,2] = {1.0, 2.0, 3.0, 4.0, 5.0, 6.0}
    const %q: f32[3] = {1.5, 2.5, 3.5}
    %all: f32[3,2], %last: f32[2] = t2n::scan(length=3, scanned=[%p, %q], scanned_axes=[0, 0], scanned_reversed=[false, true], initial=[%x], captured=tensors[], stacked_axes=[0], stacked_reversed=[false]) body graph iteration(%t: i64[], %v: f32[2], %w: f32[], %x: f32[2]) -> (%o as "all", %o as "x") {
      %s: f32[2] = aten::mul.Tensor(self=%x, other=%w)
      %o: f32[2] = aten::add.Tensor(self=%s, other=%v, alpha=1)
    }
  })",
              {randn({2}, 1)});
}

TEST_CASE("states of every dtype") {
  for (const std::string dtype : {"f16", "f64", "i64", "i32"}) {
    CAPTURE(dtype);
    std::string text = R"(graph m(%x: f32[S,4], %h: f32[4]) -> (%all as "all", %last as "last") {
      attribute sample_sizes: sizes = S=4
      %xd: DTYPE[S,4] = t2n::cast(self=%x, dtype=DTYPE)
      %hd: DTYPE[4] = t2n::cast(self=%h, dtype=DTYPE)
      %all: DTYPE[S,4], %last: DTYPE[4] = t2n::scan(length=S, scanned=[%xd], scanned_axes=[0], scanned_reversed=[false], initial=[%hd], captured=tensors[], stacked_axes=[0], stacked_reversed=[false]) body graph iteration(%t: i64[], %v: DTYPE[4], %h: DTYPE[4]) -> (%n as "all", %n as "h") {
        %n: DTYPE[4] = aten::add.Tensor(self=%h, other=%v, alpha=1)
      }
    })";
    for (size_t at = text.find("DTYPE"); at != std::string::npos; at = text.find("DTYPE"))
      text.replace(at, 5, dtype);
    check_open_graph(text, kLengths, dtype == "f16" ? 1e-2 : 1e-5);
  }
}

TEST_CASE("nested loops with every use of their results") {
  for (const std::string initial : {"%v", "%h", "%z"})
    for (const std::string next : {"%c", "%h"}) {
      CAPTURE(initial);
      CAPTURE(next);
      std::string text =
          R"(graph m(%x: f32[T,3], %m: f32[S,3], %h: f32[3]) -> (%all as "all", %last as "last") {
        attribute sample_sizes: sizes = S=4, T=3
        %all: f32[T,3], %last: f32[3] = t2n::scan(length=T, scanned=[%x], scanned_axes=[0], scanned_reversed=[false], initial=[%h], captured=[%m], stacked_axes=[0], stacked_reversed=[false]) body graph iteration(%t: i64[], %v: f32[3], %h: f32[3], %m: f32[S,3]) -> (%c as "all", NEXT as "h") {
          const %z: f32[3] = {0.5, 0.25, -1.0}
          %n: f32[S,3] = aten::mul.Tensor(self=%m, other=%v)
          %c: f32[3] = t2n::scan(length=S, scanned=[%n], scanned_axes=[0], scanned_reversed=[false], initial=[INITIAL], captured=tensors[], stacked_axes=[], stacked_reversed=bools[]) body graph inner(%u: i64[], %w: f32[3], %s: f32[3]) -> (%o as "s") {
            %p: f32[3] = aten::mul.Scalar(self=%s, other=0.5)
            %o: f32[3] = aten::add.Tensor(self=%p, other=%w, alpha=1)
          }
        }
      })";
      text.replace(text.find("NEXT"), 4, next);
      text.replace(text.find("INITIAL"), 7, initial);
      check_open_graph(text, {{{"S", 4}, {"T", 3}}, {{"S", 6}, {"T", 1}}, {{"S", 1}, {"T", 5}}});
    }
}

TEST_CASE("attention over a captured sequence: what is equal in every iteration moves out") {
  check_open_graph(
      R"(graph m(%x: f32[2,T,4], %m: f32[2,S,4], %h: f32[2,4], %k: f32[4,4]) -> (%all as "all", %last as "last") {
    attribute sample_sizes: sizes = S=4, T=3
    %all: f32[2,T,4], %last: f32[2,4] = t2n::scan(length=T, scanned=[%x], scanned_axes=[1], scanned_reversed=[false], initial=[%h], captured=[%m, %k], stacked_axes=[1], stacked_reversed=[false]) body graph iteration(%t: i64[], %v: f32[2,4], %h: f32[2,4], %m: f32[2,S,4], %k: f32[4,4]) -> (%n as "all", %n as "h") {
      %keys: f32[2,S,4] = aten::matmul(self=%m, other=%k)
      %q: f32[2,4,1] = aten::unsqueeze(self=%h, dim=2)
      %q2: f32[2,1,4] = aten::unsqueeze(self=%h, dim=1)
      %s: f32[2,S,1] = aten::bmm(self=%keys, mat2=%q)
      %w: f32[2,S,1] = aten::softmax.int(self=%s, dim=1, dtype=none)
      %wm: f32[2,S,4] = aten::mul.Tensor(self=%w, other=%m)
      %c: f32[2,4] = aten::sum.dim_IntList(self=%wm, dim=[1], keepdim=false, dtype=none)
      %e: f32[2,S,4] = aten::expand(self=%q2, size=[2, S, 4], implicit=false)
      %r: f32[2,4] = aten::mean.dim(self=%e, dim=[1], keepdim=false, dtype=none)
      %cv: f32[2,4] = aten::add.Tensor(self=%c, other=%v, alpha=1)
      %z: f32[2,4] = aten::add.Tensor(self=%cv, other=%r, alpha=1)
      %n: f32[2,4] = aten::tanh(self=%z)
    }
  })",
      {{{"S", 4}, {"T", 3}}, {{"S", 6}, {"T", 1}}, {{"S", 1}, {"T", 5}}});
}

TEST_CASE("rows are gathered by the iteration's number, and not scanned") {
  const ir::Graph graph = ir::parse(
      R"(graph m(%x: f32[3,4], %h: f32[4]) -> (%last as "last") {
    %last: f32[4] = t2n::scan(length=3, scanned=[%x], scanned_axes=[0], scanned_reversed=[false], initial=[%h], captured=tensors[], stacked_axes=[], stacked_reversed=bools[]) body graph iteration(%t: i64[], %v: f32[4], %h: f32[4]) -> (%n as "h") {
      %n: f32[4] = aten::add.Tensor(self=%v, other=%h, alpha=1)
    }
  })");
  const std::string text =
      nnef::print(export_example({graph, {}, {}, {}}, newest_target()).document);
  CHECK_NE(text.find("tract_core_gather(x,"), std::string::npos);
  CHECK_EQ(text.find(", x, 0, 1)"), std::string::npos);
}

}  // namespace
}  // namespace t2n::test::scan_tests
