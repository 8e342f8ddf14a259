// SPDX-License-Identifier: Apache-2.0
// Unrolled loops in, scans out.
#include <doctest/doctest.h>

#include "src/diag/error.h"
#include "tests/passes/support.h"

namespace t2n::passes {
namespace {

std::string rolled(std::string_view text) { return after("roll-loops", text); }

/// How often `word` stands in what becomes of `text`.
size_t count(const std::string& text, std::string_view word) {
  const std::string done = rolled(text);
  size_t out = 0;
  for (size_t at = 0; (at = done.find(word, at)) != std::string::npos; ++at) ++out;
  return out;
}

/// Three iterations of h = tanh(x[:, i] + h), where `i` is in `places`.
std::string recurrence(const std::string& notes, const std::vector<std::string>& places,
                       const std::string& outputs, const std::string& rest) {
  std::string nodes, h = "h";
  for (size_t i = 0; i < places.size(); ++i) {
    const std::string n = std::to_string(i);
    nodes += cat("  %s", n, ": f32[2] = aten::select.int(self=%x, dim=1, index=", places[i], ")\n");
    nodes +=
        cat("  %a", n, ": f32[2] = aten::add.Tensor(self=%s", n, ", other=%", h, ", alpha=1)\n");
    nodes += cat("  %t", n, ": f32[2] = aten::tanh(self=%a", n, ")\n");
    h = "t" + n;
  }
  return cat("graph m(%x: f32[2,3], %h: f32[2]) -> (", outputs, ") {\n", notes, nodes, rest, "}\n");
}

constexpr const char* kOpen =
    "  attribute sample_sizes: sizes = size.x.1=3\n"
    "  attribute unrolled_loops: loops = 0 iteration.0 = size.x.1: 0 3 6 9\n";
constexpr const char* kFixed = "  attribute unrolled_loops: loops = 0 iteration.0 = 3: 0 3 6 9\n";
constexpr const char* kStack = "  %y: f32[2,3] = aten::stack(tensors=[%t0, %t1, %t2], dim=1)\n";

std::string refusal(const std::string& text) {
  try {
    rolled(text);
  } catch (const Error& error) {
    return cat(error.diagnostic().id, ": ", error.diagnostic().why);
  }
  return {};
}

TEST_CASE("a state, slices, and a stack of all iterations; the length is a size") {
  CHECK_EQ(rolled(recurrence(kOpen, {"iteration.0", "iteration.0", "iteration.0"},
                             "%y as \"y\", %t2 as \"h\"", kStack)),
           R"(graph m(%x: f32[2,3], %h: f32[2]) -> (%y as "y", %t0_last as "h") {
  attribute sample_sizes: sizes = size.x.1=3
  %y: f32[2,3], %t0_last: f32[2] = t2n::scan(length=size.x.1, scanned=[%x], scanned_axes=[1], scanned_reversed=[false], initial=[%h], captured=tensors[], stacked_axes=[1], stacked_reversed=[false]) as scan_0 body graph iteration(%turn: i64[], %s0: f32[2], %h: f32[2]) -> (%t0 as "t0_1", %t0 as "t0") {
    %a0: f32[2] = aten::add.Tensor(self=%s0, other=%h, alpha=1) as add_0
    %t0: f32[2] = aten::tanh(self=%a0) as tanh_0
  }
}
)");
}

TEST_CASE("numbers in equal steps become the iteration's number") {
  CHECK_EQ(rolled(recurrence(kFixed, {"0", "1", "2"}, "%t2 as \"h\"", "")),
           R"(graph m(%x: f32[2,3], %h: f32[2]) -> (%t0_last as "h") {
  %t0_last: f32[2] = t2n::scan(length=3, scanned=[%x], scanned_axes=[1], scanned_reversed=[false], initial=[%h], captured=tensors[], stacked_axes=[], stacked_reversed=bools[]) as scan_0 body graph iteration(%turn: i64[], %s0: f32[2], %h: f32[2]) -> (%t0 as "t0") {
    %a0: f32[2] = aten::add.Tensor(self=%s0, other=%h, alpha=1) as add_0
    %t0: f32[2] = aten::tanh(self=%a0) as tanh_0
  }
}
)");
  CHECK_EQ(rolled(recurrence(kFixed, {"-1", "-2", "-3"}, "%y as \"y\"", kStack)),
           R"(graph m(%x: f32[2,3], %h: f32[2]) -> (%y as "y") {
  %y: f32[2,3], %t0_last: f32[2] = t2n::scan(length=3, scanned=[%x], scanned_axes=[1], scanned_reversed=[true], initial=[%h], captured=tensors[], stacked_axes=[1], stacked_reversed=[false]) as scan_0 body graph iteration(%turn: i64[], %s0: f32[2], %h: f32[2]) -> (%t0 as "t0_1", %t0 as "t0") {
    %a0: f32[2] = aten::add.Tensor(self=%s0, other=%h, alpha=1) as add_0
    %t0: f32[2] = aten::tanh(self=%a0) as tanh_0
  }
}
)");
}

TEST_CASE("the first iteration may differ") {
  CHECK_EQ(rolled(R"(graph m(%x: f32[2], %h: f32[2]) -> (%t3 as "y") {
  attribute unrolled_loops: loops = 0 iteration.0 = 4: 0 1 3 5 7
  %t0: f32[2] = aten::tanh(self=%h)
  %a1: f32[2] = aten::add.Tensor(self=%x, other=%t0, alpha=1)
  %t1: f32[2] = aten::tanh(self=%a1)
  %a2: f32[2] = aten::add.Tensor(self=%x, other=%t1, alpha=1)
  %t2: f32[2] = aten::tanh(self=%a2)
  %a3: f32[2] = aten::add.Tensor(self=%x, other=%t2, alpha=1)
  %t3: f32[2] = aten::tanh(self=%a3)
})"),
           R"(graph m(%x: f32[2], %h: f32[2]) -> (%t1_last as "y") {
  %t0: f32[2] = aten::tanh(self=%h) as tanh_0
  %t1_last: f32[2] = t2n::scan(length=3, scanned=tensors[], scanned_axes=[], scanned_reversed=bools[], initial=[%t0], captured=[%x], stacked_axes=[], stacked_reversed=bools[]) as scan_0 body graph iteration(%turn: i64[], %t0: f32[2], %x: f32[2]) -> (%t1 as "t1") {
    %a1: f32[2] = aten::add.Tensor(self=%x, other=%t0, alpha=1) as add_0
    %t1: f32[2] = aten::tanh(self=%a1) as tanh_1
  }
}
)");
}

TEST_CASE("inner loops first") {
  std::string nodes, notes, h = "h";
  for (int i = 0; i < 3; ++i) {
    nodes += cat("  %s", i, ": f32[2] = aten::select.int(self=%x, dim=0, index=", i, ")\n");
    for (int k = 0; k < 3; ++k) {
      const std::string n = cat("b", i, "_", k);
      nodes +=
          cat("  %", n, ": f32[2] = aten::add.Tensor(self=%s", i, ", other=%", h, ", alpha=1)\n");
      h = n;
    }
    nodes += cat("  %t", i, ": f32[2] = aten::tanh(self=%", h, ")\n");
    h = cat("t", i);
    notes +=
        cat("1 iteration.1 = 3: ", 5 * i + 1, " ", 5 * i + 2, " ", 5 * i + 3, " ", 5 * i + 4, "; ");
  }
  CHECK_EQ(rolled(cat("graph m(%x: f32[3,2], %h: f32[2]) -> (%t2 as \"y\") {\n",
                      "  attribute unrolled_loops: loops = ", notes,
                      "0 iteration.0 = 3: 0 5 10 15\n", nodes, "}")),
           R"(graph m(%x: f32[3,2], %h: f32[2]) -> (%t0_last as "y") {
  %t0_last: f32[2] = t2n::scan(length=3, scanned=[%x], scanned_axes=[0], scanned_reversed=[false], initial=[%h], captured=tensors[], stacked_axes=[], stacked_reversed=bools[]) as scan_1 body graph iteration(%turn: i64[], %s0: f32[2], %h: f32[2]) -> (%t0 as "t0") {
    %b0_0_last: f32[2] = t2n::scan(length=3, scanned=tensors[], scanned_axes=[], scanned_reversed=bools[], initial=[%h], captured=[%s0], stacked_axes=[], stacked_reversed=bools[]) as scan_0 body graph iteration(%turn: i64[], %h: f32[2], %s0: f32[2]) -> (%b0_0 as "b0_0") {
      %b0_0: f32[2] = aten::add.Tensor(self=%s0, other=%h, alpha=1) as add_0
    }
    %t0: f32[2] = aten::tanh(self=%b0_0_last) as tanh_0
  }
}
)");
}

TEST_CASE("a tensor that is filled slice by slice is a stacked result") {
  CHECK_EQ(rolled(R"(graph m(%x: f32[2], %z: f32[2,3]) -> (%o2 as "y", %t2 as "h") {
  attribute unrolled_loops: loops = 0 iteration.0 = 3: 0 2 4 6
  %t0: f32[2] = aten::tanh(self=%x)
  %o0: f32[2,3] = aten::select_scatter(self=%z, src=%t0, dim=1, index=0)
  %t1: f32[2] = aten::tanh(self=%t0)
  %o1: f32[2,3] = aten::select_scatter(self=%o0, src=%t1, dim=1, index=1)
  %t2: f32[2] = aten::tanh(self=%t1)
  %o2: f32[2,3] = aten::select_scatter(self=%o1, src=%t2, dim=1, index=2)
})"),
           R"(graph m(%x: f32[2], %z: f32[2,3]) -> (%z_filled as "y", %t0_last as "h") {
  %z_filled: f32[2,3], %t0_last: f32[2] = t2n::scan(length=3, scanned=tensors[], scanned_axes=[], scanned_reversed=bools[], initial=[%x], captured=tensors[], stacked_axes=[1], stacked_reversed=[false]) as scan_0 body graph iteration(%turn: i64[], %x: f32[2]) -> (%t0 as "t0_1", %t0 as "t0") {
    %t0: f32[2] = aten::tanh(self=%x) as tanh_0
  }
}
)");
}

TEST_CASE(
    "single iterations can be read by number if the length is known, else only first and last") {
  CHECK_EQ(rolled(recurrence(kFixed, {"0", "1", "2"}, "%t1 as \"y\"", "")),
           R"(graph m(%x: f32[2,3], %h: f32[2]) -> (%t0_at_1 as "y") {
  %t0_all: f32[3,2], %t0_last: f32[2] = t2n::scan(length=3, scanned=[%x], scanned_axes=[1], scanned_reversed=[false], initial=[%h], captured=tensors[], stacked_axes=[0], stacked_reversed=[false]) as scan_0 body graph iteration(%turn: i64[], %s0: f32[2], %h: f32[2]) -> (%t0 as "t0_1", %t0 as "t0") {
    %a0: f32[2] = aten::add.Tensor(self=%s0, other=%h, alpha=1) as add_0
    %t0: f32[2] = aten::tanh(self=%a0) as tanh_0
  }
  %t0_at_1: f32[2] = aten::select.int(self=%t0_all, dim=0, index=1) as select_3
}
)");
  CHECK_EQ(
      refusal(recurrence(kOpen, {"iteration.0", "iteration.0", "iteration.0"}, "%t1 as \"y\"", "")),
      "dynamic-loop: the result of iteration 1 of a loop is used on its own (t0)");
}

TEST_CASE("a loop that is no recurrence stays unrolled, and is refused if its length is open") {
  const std::string fixed = recurrence(kFixed, {"1", "0", "4"}, "%t2 as \"y\"", "");
  CHECK_EQ(rolled(fixed),
           ir::print(ir::parse(recurrence("", {"1", "0", "4"}, "%t2 as \"y\"", ""))));
  CHECK_EQ(refusal(recurrence(kOpen, {"1", "0", "2"}, "%t2 as \"y\"", "")),
           "dynamic-loop: an argument of aten::select.int differs in iteration 2");
  // More rows than there are.
  const std::string steps = recurrence(kFixed, {"0", "2", "4"}, "%t2 as \"y\"", "");
  CHECK(rolled(steps).find("scan") == std::string::npos);
  // Two iterations are nothing to compare.
  const std::string two =
      recurrence("  attribute unrolled_loops: loops = 0 iteration.0 = 2: 0 3 6\n", {"0", "1"},
                 "%t1 as \"y\"", "");
  CHECK(rolled(two).find("scan") == std::string::npos);
}

/// Three iterations y_i = `op` of part i, stacked; the parts are made by `before`.
std::string over_parts(const std::string& inputs, const std::string& before,
                       const std::vector<std::string>& parts, const std::string& op) {
  std::string nodes = before, results;
  for (size_t i = 0; i < parts.size(); ++i) {
    nodes += cat("  %y", i, ": f32[2] = ", op, parts[i], ")\n");
    results += cat(i == 0 ? "%y" : ", %y", i);
  }
  const int at = before.empty() ? 0 : 1;
  return cat("graph m(", inputs, ") -> (%y as \"y\") {\n",
             "  attribute unrolled_loops: loops = ", "0 iteration.0 = 3: ", at, " ", at + 1, " ",
             at + 2, " ", at + 3, "\n", nodes, "  %y: f32[3,2] = aten::stack(tensors=[", results,
             "], dim=0)\n}");
}

TEST_CASE("parts of one tensor: as many as there are iterations, all as large") {
  const auto split = [](const char* x, const char* last) {
    return over_parts(cat("%x: ", x),
                      cat("  %p0: f32[2,2], %p1: f32[2,2], %p2: ", last,
                          " = aten::split.Tensor(self=%x, split_size=2, dim=0)\n"),
                      {"%p0", "%p1", "%p2"},
                      "aten::sum.dim_IntList(dim=[0], keepdim=false, dtype=none, self=");
  };
  CHECK(rolled(split("f32[6,2]", "f32[2,2]")).find("t2n::scan(length=3") != std::string::npos);
  CHECK(rolled(split("f32[5,2]", "f32[1,2]")).find("scan") == std::string::npos);
  const auto unbound = [](const char* first, const char* second, const char* third) {
    return over_parts(
        "%x: f32[2], %w: f32[3,2]",
        "  %u0: f32[2], %u1: f32[2], %u2: f32[2] = aten::unbind.int(self=%w, dim=0)\n",
        {first, second, third}, "aten::add.Tensor(self=%x, alpha=1, other=");
  };
  CHECK(rolled(unbound("%u0", "%u1", "%u2")).find("t2n::scan(length=3") != std::string::npos);
  CHECK(rolled(unbound("%u2", "%u1", "%u0")).find("scanned_reversed=[true]") != std::string::npos);
  CHECK(rolled(unbound("%u1", "%u0", "%u2")).find("length=3") == std::string::npos);
  // Of the slice that the last iteration leaves to the next, w has none.
  CHECK(rolled(unbound("%x", "%u1", "%u2")).find("length=3") == std::string::npos);
}

TEST_CASE("constants of one value are captured, others belong to their iterations") {
  const auto constants = [](const char* last) {
    return cat("graph m(%x: f32[]) -> (%y2 as \"y\") {\n",
               "  attribute unrolled_loops: loops = 0 iteration.0 = 3: 0 1 2 3\n",
               "  const %a: f32[] = {1.0}\n  const %b: f32[] = {1.0}\n  const %c: f32[] = {", last,
               "}\n  %y0: f32[] = aten::mul.Tensor(self=%x, other=%a)\n",
               "  %y1: f32[] = aten::mul.Tensor(self=%y0, other=%b)\n",
               "  %y2: f32[] = aten::mul.Tensor(self=%y1, other=%c)\n}");
  };
  CHECK(rolled(constants("1.0")).find("t2n::scan(length=3") != std::string::npos);
  CHECK(rolled(constants("2.0")).find("scan") == std::string::npos);
}

TEST_CASE("numbers are the same if their bits are: zeros have a sign") {
  const auto quotients = [](const char* first, const char* second, const char* third) {
    return cat("graph m(%x: f32[2]) -> (%y2 as \"y\") {\n",
               "  attribute unrolled_loops: loops = 0 turn.0 = 3: 0 1 2 3\n",
               "  %y0: f32[2] = aten::div.Scalar(self=%x, other=", first, ")\n",
               "  %y1: f32[2] = aten::div.Scalar(self=%y0, other=", second, ")\n",
               "  %y2: f32[2] = aten::div.Scalar(self=%y1, other=", third, ")\n}");
  };
  CHECK(rolled(quotients("0.0", "0.0", "0.0")).find("t2n::scan(length=3") != std::string::npos);
  CHECK(rolled(quotients("nan", "nan", "nan")).find("t2n::scan(length=3") != std::string::npos);
  CHECK(rolled(quotients("0.0", "-0.0", "0.0")).find("scan") == std::string::npos);
}

TEST_CASE("a loop inside with other constants is another loop") {
  const auto nested = [](const char* last) {
    std::string constants, nodes, notes, h = "x";
    for (int i = 0; i < 3; ++i) {
      constants += cat("  const %w", i, ": f32[1] = {", i < 2 ? "2.0" : last, "}\n");
      for (int k = 0; k < 3; ++k) {
        nodes += cat("  %b", i, k, ": f32[1] = aten::mul.Tensor(self=%", h, ", other=%w", i, ")\n");
        h = cat("b", i, k);
      }
      nodes += cat("  %t", i, ": f32[1] = aten::tanh(self=%", h, ")\n");
      h = cat("t", i);
      notes += cat("1 turn.1 = 3: ", 4 * i, " ", 4 * i + 1, " ", 4 * i + 2, " ", 4 * i + 3, "; ");
    }
    return cat("graph m(%x: f32[1]) -> (%t2 as \"y\") {\n",
               "  attribute unrolled_loops: loops = ", notes, "0 turn.0 = 3: 0 4 8 12\n", constants,
               nodes, "}");
  };
  CHECK_EQ(count(nested("2.0"), "t2n::scan("), 2);
  CHECK_EQ(count(nested("3.0"), "t2n::scan("), 3);
  CHECK_EQ(count(nested("-2.0"), "t2n::scan("), 3);
}

TEST_CASE("a list of numbers that follow from the iteration is no tensor of its number") {
  std::string nodes, h = "x";
  for (int i = 0; i < 3; ++i) {
    nodes += cat("  %c", i, ": i64[2] = aten::tensor(data=[", i, ", 7], dtype=none)\n");
    nodes += cat("  %y", i, ": i64[2] = aten::mul.Tensor(self=%", h, ", other=%c", i, ")\n");
    h = cat("y", i);
  }
  CHECK(rolled(cat("graph m(%x: i64[2]) -> (%y2 as \"y\") {\n",
                   "  attribute unrolled_loops: loops = 0 turn.0 = 3: 0 2 4 6\n", nodes, "}"))
            .find("scan") == std::string::npos);
}

TEST_CASE("loops that follow from no input are left to folding") {
  const auto chain = [](const char* x) {
    return cat("graph m(%x: f32[]) -> (%y2 as \"y\", %x as \"x\") {\n",
               "  attribute unrolled_loops: loops = 0 iteration.0 = 3: 0 1 2 3\n",
               "  const %a: f32[] = {1.0}\n  %y0: f32[] = aten::sin(self=", x,
               ")\n  %y1: f32[] = aten::sin(self=%y0)\n  %y2: f32[] = aten::sin(self=%y1)\n}");
  };
  CHECK(rolled(chain("%x")).find("t2n::scan(length=3") != std::string::npos);
  CHECK(rolled(chain("%a")).find("scan") == std::string::npos);
}

TEST_CASE("a growing tensor is one join; its intermediate values must have no other reader") {
  const auto grown = [](const char* notes, const char* output) {
    return cat("graph m(%x: f32[2], %y: f32[2]) -> (", output, " as \"y\") {\n", notes,
               "  %p0: f32[2] = aten::relu(self=%x)\n",
               "  %y0: f32[4] = aten::cat(tensors=[%y, %p0], dim=0)\n",
               "  %p1: f32[2] = aten::relu(self=%p0)\n",
               "  %y1: f32[6] = aten::cat(tensors=[%y0, %p1], dim=0)\n",
               "  %p2: f32[2] = aten::relu(self=%p1)\n",
               "  %y2: f32[8] = aten::cat(tensors=[%y1, %p2], dim=0)\n}");
  };
  constexpr const char* kNotes = "  attribute unrolled_loops: loops = 0 iteration.0 = 3: 0 2 4 6\n";
  CHECK(rolled(grown(kNotes, "%y2")).find("t2n::scan(length=3") != std::string::npos);
  CHECK(rolled(grown(kNotes, "%y1")).find("scan") == std::string::npos);
  constexpr const char* kNotesOfSizes =
      "  attribute sample_sizes: sizes = S=3\n"
      "  attribute unrolled_loops: loops = 0 iteration.0 = S: 0 2 4 6\n";
  CHECK(rolled(grown(kNotesOfSizes, "%y2")).find("t2n::scan(length=S") != std::string::npos);
  CHECK_EQ(refusal(grown(kNotesOfSizes, "%y1")),
           "dynamic-loop: an intermediate value of a growing tensor is read after the loop");
}

TEST_CASE("joins along other axes, or of other dtypes, stay in the body") {
  const auto grown = [](const char* first, const char* second, const char* dims) {
    return cat("graph m(%x: f32[2,0], %y: ", first, "[2,0]) -> (%y2 as \"y\") {\n",
               "  attribute unrolled_loops: loops = 0 turn.0 = 3: 0 2 4 6\n",
               "  %p0: f32[2,0] = aten::relu(self=%x)\n  %y0: ", second,
               "[2,0] = aten::cat(tensors=[%y, %p0], dim=1)\n",
               "  %p1: f32[2,0] = aten::relu(self=%p0)\n",
               "  %y1: f32[2,0] = aten::cat(tensors=[%y0, %p1], dim=1)\n",
               "  %p2: f32[2,0] = aten::relu(self=%p1)\n",
               "  %y2: f32[2,0] = aten::cat(tensors=[%y1, %p2], dim=", dims, ")\n}");
  };
  CHECK_EQ(count(grown("f32", "f32", "1"), "aten::cat"), 1);
  CHECK_EQ(count(grown("i64", "f32", "1"), "aten::cat"), 2);  // the first is by itself
  CHECK_EQ(count(grown("f32", "f32", "-1"), "aten::cat"), 3);
}

TEST_CASE("a loop that cannot be rolled does not affect others") {
  const std::string text = rolled(R"(graph m(%x: f32[2]) -> (%c2 as "y") {
  attribute unrolled_loops: loops = 0 iteration.0 = 3: 0 1 2 3; 1 iteration.0 = 3: 3 4 5 6
  %a0: f32[2] = aten::tanh(self=%x)
  %a1: f32[2] = aten::relu(self=%a0)
  %a2: f32[2] = aten::neg(self=%a1)
  %c0: f32[2] = aten::tanh(self=%a2)
  %c1: f32[2] = aten::tanh(self=%c0)
  %c2: f32[2] = aten::tanh(self=%c1)
})");
  CHECK(text.find("%a2: f32[2] = aten::neg(self=%a1)") != std::string::npos);
  CHECK(text.find("t2n::scan(length=3") != std::string::npos);
}

TEST_CASE("notes that do not fit the graph") {
  for (const char* notes :
       {"0 iteration.0 = 3: 0 3 6 99", "0 iteration.0 = 3: 6 3 0 9", "0 iteration.0 = 3: 0",
        "0 iteration.0 = 3: 0 3 6 9; 1 iteration.0 = 3: 0 4 5 6",
        "1 iteration.1 = 3: 1 2 4 5; 0 iteration.0 = 3: 0 3 6 9"}) {
    CAPTURE(notes);
    CHECK(refusal(recurrence(cat("  attribute unrolled_loops: loops = ", notes, "\n"),
                             {"0", "1", "2"}, "%t2 as \"y\"", ""))
              .starts_with("ir-invalid"));
  }
  CHECK_THROWS_WITH_AS(
      ir::parse("graph m() -> () {\n  attribute unrolled_loops: loops = 0 iteration.0 = 3: 1 x\n}"),
      doctest::Contains("loops such as"), Error);
}

TEST_CASE("a pass that changes nodes drops the notes: they count them") {
  const std::string text = recurrence(kFixed, {"0", "1", "2"}, "%t1 as \"y\"", "");
  CHECK(after("dead-code", text).find("unrolled_loops") == std::string::npos);
  CHECK(after("fold-constants", text).find("unrolled_loops: loops = 0 iteration.0 = 3: 0 3 6 9") !=
        std::string::npos);
}

TEST_CASE("50 loops of 100 iterations") {
  std::string nodes, notes, h = "x";
  int at = 0;
  for (int loop = 0; loop < 50; ++loop) {
    notes += cat(loop == 0 ? "" : "; ", loop, " iteration.0 = 100:");
    for (int i = 0; i < 100; ++i, ++at) {
      notes += cat(" ", at);
      nodes += cat("  %v", at, ": f32[2] = aten::tanh(self=%", h, ")\n");
      h = cat("v", at);
    }
    notes += cat(" ", at);
  }
  ir::Graph graph = ir::parse(cat("graph m(%x: f32[2]) -> (%", h, " as \"y\") {\n",
                                  "  attribute unrolled_loops: loops = ", notes, "\n", nodes, "}"));
  CHECK(run_pipeline(graph, {"roll-loops"}, {}));
  CHECK(graph.nodes.size() == 50);
}

}  // namespace
}  // namespace t2n::passes
