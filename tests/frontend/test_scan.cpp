// SPDX-License-Identifier: Apache-2.0
// Loops recorded as scans: what is recorded, and that it computes what the program did.
#include <doctest/doctest.h>

#include "ir/scan.h"
#include "src/diag/error.h"
#include "tests/frontend/rolled.h"
#include "tests/support/script.h"

namespace t2n::test {
namespace {

TEST_CASE("states, a scanned axis, and a stack of a list") {
  CHECK_EQ(rolled_text(R"(
def forward(self, x):
    h = torch.zeros([2, 3])
    outs = []
    for t in range(x.size(1)):
        h = torch.tanh(x[:, t] + h * 0.5)
        outs.append(h)
    return torch.stack(outs, 1), h
)",
                       {randn({2, 4, 3}, 1)}),
           R"(graph Model(%x: f32[2,4,3]) -> (%stack as "output_0", %tanh_last as "output_1") {
  attribute sample_sizes: sizes = size.x.1=4

@Model:
  %zeros: f32[2,3] = aten::zeros(size=[2, 3], dtype=none, layout=none, device=none, pin_memory=none) as zeros_0
  %stack: f32[2,4,3], %tanh_last: f32[2,3] = t2n::scan(length=size.x.1, scanned=[%x], scanned_axes=[1], scanned_reversed=[false], initial=[%zeros], captured=tensors[], stacked_axes=[1], stacked_reversed=[false]) as scan_0 body graph iteration(%turn: i64[], %select: f32[2,3], %zeros: f32[2,3]) -> (%tanh as "tanh_1", %tanh as "tanh") {

  @Model:
    %mul: f32[2,3] = aten::mul.Scalar(self=%zeros, other=0.5) as mul_0 in f32
    %add: f32[2,3] = aten::add.Tensor(self=%select, other=%mul, alpha=1) as add_0 in f32
    %tanh: f32[2,3] = aten::tanh(self=%add) as tanh_0 in f32
  }
}
)");
}

TEST_CASE("tuple state, cells with weights, reversed loop, t+1, preallocated output") {
  const Parameters weights = {{"w", randn({12, 3}, 5)}, {"u", randn({12, 3}, 6)}};
  CHECK_EQ(
      rolled_text(R"(
def forward(self, x):
    h = torch.zeros([2, 3])
    c = torch.zeros([2, 3])
    state = (h, c)
    out = torch.zeros([2, x.size(1), 3])
    for t in range(x.size(1)):
        state = torch.lstm_cell(x[:, t], state, self.w, self.u)
        out[:, t] = state[0]
    back = []
    b = torch.zeros([2, 3])
    for t in range(x.size(1)):
        b = torch.tanh(x[:, x.size(1) - 1 - t] + b)
        back.append(b)
    return out, state[1], torch.stack(back[::-1], 1)
)",
                  {randn({2, 4, 3}, 1)}, weights),
      R"(graph Model(%x: f32[2,4,3]) -> (%zeros_2_filled as "output_0", %lstm_cell_1_last as "output_1", %stack as "output_2") {
  attribute sample_sizes: sizes = size.x.1=4

@Model:
  %zeros: f32[2,3] = aten::zeros(size=[2, 3], dtype=none, layout=none, device=none, pin_memory=none) as zeros_0
  %zeros_1: f32[2,3] = aten::zeros(size=[2, 3], dtype=none, layout=none, device=none, pin_memory=none) as zeros_1
  %zeros_2_filled: f32[2,4,3], %lstm_cell_last: f32[2,3], %lstm_cell_1_last: f32[2,3] = t2n::scan(length=size.x.1, scanned=[%x], scanned_axes=[1], scanned_reversed=[false], initial=[%zeros, %zeros_1], captured=tensors[], stacked_axes=[1], stacked_reversed=[false]) as scan_0 body graph iteration(%turn: i64[], %select: f32[2,3], %zeros: f32[2,3], %zeros_1: f32[2,3]) -> (%lstm_cell as "lstm_cell_2", %lstm_cell as "lstm_cell", %lstm_cell_1 as "lstm_cell_1") {
    const %w: f32[12,3] = bytes=144 hash=097c09fb58497f9e
    const %u: f32[12,3] = bytes=144 hash=2397473ec90b7a47

  @Model:
    %lstm_cell: f32[2,3], %lstm_cell_1: f32[2,3] = aten::lstm_cell(input=%select, hx=[%zeros, %zeros_1], w_ih=%w, w_hh=%u, b_ih=none, b_hh=none) as lstm_cell_0 in f32
  }
  %zeros_3: f32[2,3] = aten::zeros(size=[2, 3], dtype=none, layout=none, device=none, pin_memory=none) as zeros_3
  %stack: f32[2,4,3], %tanh_last: f32[2,3] = t2n::scan(length=size.x.1, scanned=[%x], scanned_axes=[1], scanned_reversed=[true], initial=[%zeros_3], captured=tensors[], stacked_axes=[1], stacked_reversed=[true]) as scan_1 body graph iteration(%turn: i64[], %select_2: f32[2,3], %zeros_3: f32[2,3]) -> (%tanh as "tanh_1", %tanh as "tanh") {

  @Model:
    %add: f32[2,3] = aten::add.Tensor(self=%select_2, other=%zeros_3, alpha=1) as add_0 in f32
    %tanh: f32[2,3] = aten::tanh(self=%add) as tanh_0 in f32
  }
}
)");
}

TEST_CASE("the size of what an iteration computed is not that of a later value of the same name") {
  const std::string text = ir::print(rolled(R"(
def forward(self, x):
    h = x[:, 0]
    n = 0
    for t in range(x.size(1)):
        h = torch.tanh(x[:, t] + h)
        n = h.size(0)
    y = torch.ones([x.size(0) + 1])
    for i in range(6):
        y = torch.tanh(y)
    return torch.zeros([n]), y
)",
                                            {randn({2, 4, 3}, 1)})
                                         .graph);
  CHECK(text.find("%tanh_3: f32[3] = aten::tanh") != std::string::npos);
  CHECK(text.find("aten::zeros(size=[size.tanh_3<3>.0]") != std::string::npos);
}

TEST_CASE("iterating over unbind, over a tensor, over a list of an earlier loop; cat") {
  CHECK_EQ(
      rolled_text(R"(
def forward(self, x):
    first = []
    h = x[0]
    for v in x.unbind(0):
        h = torch.tanh(v + h)
        first += [h]
    second = []
    for i in range(len(first)):
        second.append((first[i] * 2.0).unsqueeze(0))
    total = x[0] * 0.0
    for v in x:
        total = total + v
    return torch.cat(second, 0), total, first[0], first[-1]
)",
                  {randn({4, 2, 3}, 1)}),
      R"(graph Model(%x: f32[4,2,3]) -> (%cat as "output_0", %add_1_last as "output_1", %tanh_first as "output_2", %tanh_last as "output_3") {
  attribute sample_sizes: sizes = size.x.0=4

@Model:
  %select: f32[2,3] = aten::select.int(self=%x, dim=0, index=0) as select_0 in f32
  %tanh_all: f32[4,2,3], %tanh_last: f32[2,3] = t2n::scan(length=size.x.0, scanned=[%x], scanned_axes=[0], scanned_reversed=[false], initial=[%select], captured=tensors[], stacked_axes=[0], stacked_reversed=[false]) as scan_0 body graph iteration(%turn: i64[], %unbind: f32[2,3], %select: f32[2,3]) -> (%tanh as "tanh_1", %tanh as "tanh") {

  @Model:
    %add: f32[2,3] = aten::add.Tensor(self=%unbind, other=%select, alpha=1) as add_0 in f32
    %tanh: f32[2,3] = aten::tanh(self=%add) as tanh_0 in f32
  }
  %cat: f32[4,2,3] = t2n::scan(length=size.x.0, scanned=[%tanh_all], scanned_axes=[0], scanned_reversed=[false], initial=tensors[], captured=tensors[], stacked_axes=[0], stacked_reversed=[false]) as scan_1 body graph iteration(%turn: i64[], %tanh: f32[2,3]) -> (%mul as "mul") {

  @Model:
    %mul: f32[2,3] = aten::mul.Scalar(self=%tanh, other=2.0) as mul_0 in f32
  }
  %select_1: f32[2,3] = aten::select.int(self=%x, dim=0, index=0) as select_1 in f32
  %mul_1: f32[2,3] = aten::mul.Scalar(self=%select_1, other=0.0) as mul_1 in f32
  %add_1_last: f32[2,3] = t2n::scan(length=size.x.0, scanned=[%x], scanned_axes=[0], scanned_reversed=[false], initial=[%mul_1], captured=tensors[], stacked_axes=[], stacked_reversed=bools[]) as scan_2 body graph iteration(%turn: i64[], %select_2: f32[2,3], %mul_1: f32[2,3]) -> (%add_1 as "add_1") {

  @Model:
    %add_1: f32[2,3] = aten::add.Tensor(self=%mul_1, other=%select_2, alpha=1) as add_1 in f32
  }
  %tanh_first: f32[2,3] = aten::select.int(self=%tanh_all, dim=0, index=0) as select_3
}
)");
}

TEST_CASE("the iteration as a number, a count, while, the first iteration apart") {
  CHECK_EQ(
      rolled_text(R"(
def forward(self, x):
    h = x[:, 0]
    n = 0
    for t in range(x.size(1)):
        if t == 0:
            h = x[:, 0] * 2.0
        else:
            h = h + x[:, t] * (2 * t + 1)
        n += 1
    t = 0
    g = x[:, 0]
    while t < x.size(1):
        g = torch.maximum(g, x[:, t])
        t += 1
    return h, g, h * n
)",
                  {randn({2, 5, 3}, 1)}),
      R"(graph Model(%x: f32[2,5,3]) -> (%add_1_last as "output_0", %maximum_last as "output_1", %mul_2 as "output_2") {
  attribute sample_sizes: sizes = size.x.1=5

@Model:
  %select_1: f32[2,3] = aten::select.int(self=%x, dim=1, index=0) as select_1 in f32
  %mul: f32[2,3] = aten::mul.Scalar(self=%select_1, other=2.0) as mul_0 in f32
  %slice_3: f32[2,4,3] = aten::slice.Tensor(self=%x, dim=1, start=1, end=size.x.1, step=1) as slice_3
  %add_1_last: f32[2,3] = t2n::scan(length=size.x.1 - 1, scanned=[%slice_3], scanned_axes=[1], scanned_reversed=[false], initial=[%mul], captured=tensors[], stacked_axes=[], stacked_reversed=bools[]) as scan_0 body graph iteration(%turn: i64[], %select_2: f32[2,3], %mul_2: f32[2,3]) -> (%add_1 as "add_1") {

  @Model:
    %mul: i64[] = aten::mul.Scalar(self=%turn, other=2) as mul_0 in i64
    %add: i64[] = aten::add.Scalar(self=%mul, other=3, alpha=1) as add_1 in i64
    %mul_1: f32[2,3] = aten::mul.Tensor(self=%select_2, other=%add) as mul_1 in f32
    %add_1: f32[2,3] = aten::add.Tensor(self=%mul_2, other=%mul_1, alpha=1) as add_0 in f32
  }
  %slice_4: f32[2,5,3] = aten::slice.Tensor(self=%x, dim=0, start=none, end=none, step=1) as slice_4 in f32
  %select_3: f32[2,3] = aten::select.int(self=%slice_4, dim=1, index=0) as select_3 in f32
  %maximum_last: f32[2,3] = t2n::scan(length=size.x.1, scanned=[%x], scanned_axes=[1], scanned_reversed=[false], initial=[%select_3], captured=tensors[], stacked_axes=[], stacked_reversed=bools[]) as scan_1 body graph iteration(%turn: i64[], %select_4: f32[2,3], %select_3: f32[2,3]) -> (%maximum as "maximum") {

  @Model:
    %maximum: f32[2,3] = aten::maximum(self=%select_3, other=%select_4) as maximum_0 in f32
  }
  %mul_2: f32[2,3] = aten::mul.Scalar(self=%add_1_last, other=size.x.1) as mul_2 in f32
}
)");
}

TEST_CASE("shifted and partial slices, invariants, nested loops") {
  CHECK_EQ(
      rolled_text(R"(
def forward(self, x, y):
    d = []
    for t in range(1, x.size(1)):
        d.append(x[:, t] - x[:, t - 1])
    acc = torch.zeros([2, 3])
    for t in range(x.size(1)):
        k = y * 2.0
        s = torch.zeros([2, 3])
        for u in range(y.size(1)):
            s = s + k[:, u] * x[:, t]
        acc = acc + s
    return torch.stack(d, 1), acc
)",
                  {randn({2, 5, 3}, 1), randn({2, 4, 3}, 2)}),
      R"(graph Model(%x: f32[2,5,3], %y: f32[2,4,3]) -> (%stack as "output_0", %add_1_last as "output_1") {
  attribute sample_sizes: sizes = size.x.1=5, size.y.1=4

@Model:
  %slice_2: f32[2,4,3] = aten::slice.Tensor(self=%x, dim=1, start=1, end=size.x.1, step=1) as slice_2
  %slice_3: f32[2,4,3] = aten::slice.Tensor(self=%x, dim=1, start=0, end=size.x.1 - 1, step=1) as slice_3
  %stack: f32[2,4,3] = t2n::scan(length=size.x.1 - 1, scanned=[%slice_2, %slice_3], scanned_axes=[1, 1], scanned_reversed=[false, false], initial=tensors[], captured=tensors[], stacked_axes=[1], stacked_reversed=[false]) as scan_0 body graph iteration(%turn: i64[], %select: f32[2,3], %select_1: f32[2,3]) -> (%sub as "sub") {

  @Model:
    %sub: f32[2,3] = aten::sub.Tensor(self=%select, other=%select_1, alpha=1) as sub_0 in f32
  }
  %zeros: f32[2,3] = aten::zeros(size=[2, 3], dtype=none, layout=none, device=none, pin_memory=none) as zeros_0
  %mul: f32[2,4,3] = aten::mul.Scalar(self=%y, other=2.0) as mul_0 in f32
  %zeros_1: f32[2,3] = aten::zeros(size=[2, 3], dtype=none, layout=none, device=none, pin_memory=none) as zeros_1
  %add_1_last: f32[2,3] = t2n::scan(length=size.x.1, scanned=[%x], scanned_axes=[1], scanned_reversed=[false], initial=[%zeros], captured=[%mul, %zeros_1], stacked_axes=[], stacked_reversed=bools[]) as scan_2 body graph iteration(%turn: i64[], %select_3: f32[2,3], %zeros: f32[2,3], %mul: f32[2,4,3], %zeros_1: f32[2,3]) -> (%add_1 as "add_1") {

  @Model:
    %add_last: f32[2,3] = t2n::scan(length=size.y.1, scanned=[%mul], scanned_axes=[1], scanned_reversed=[false], initial=[%zeros_1], captured=[%select_3], stacked_axes=[], stacked_reversed=bools[]) as scan_1 body graph iteration(%turn: i64[], %select_2: f32[2,3], %zeros_1: f32[2,3], %select_3: f32[2,3]) -> (%add as "add") {

    @Model:
      %mul_1: f32[2,3] = aten::mul.Tensor(self=%select_2, other=%select_3) as mul_1 in f32
      %add: f32[2,3] = aten::add.Tensor(self=%zeros_1, other=%mul_1, alpha=1) as add_0 in f32
    }
    %add_1: f32[2,3] = aten::add.Tensor(self=%zeros, other=%add_last, alpha=1) as add_1 in f32
  }
}
)");
}

TEST_CASE("iterations told apart by every relation of their number") {
  for (const char* first : {"t == 0", "t < 1", "t <= 0", "0 >= t", "1 > t"})
    for (const bool negated : {false, true}) {
      CAPTURE(first);
      const std::string text = rolled_text(script(R"(
def forward(self, x):
    h = torch.zeros([2, 3])
    for t in range(x.size(1)):
        if $negation($condition):
            h = h - x[:, t]
        else:
            h = h * 0.5 + x[:, t]
    return h
)",
                                                  negated ? "not " : "", first)
                                               .source,
                                           {randn({2, 5, 3}, 1)});
      CHECK(text.find("t2n::scan(length=size.x.1 - 1,") != std::string::npos);
    }
}

TEST_CASE("steps of more than one from another start") {
  for (const char* range : {"1, x.size(1), 2", "x.size(1) - 1, 0, -2", "2, x.size(1) + 3, 3"}) {
    CAPTURE(range);
    rolled_text(script(R"(
def forward(self, x, y):
    h = torch.zeros([2, 3])
    for t in range($range):
        h = torch.tanh(h + y)
    return h
)",
                       range)
                    .source,
                {randn({2, 11, 3}, 1), randn({2, 3}, 2)});
  }
}

TEST_CASE("conditions of while in every relation") {
  for (const char* condition :
       {"t < x.size(1)", "x.size(1) > t", "t <= x.size(1) - 1", "x.size(1) - 1 >= t",
        "t != x.size(1)", "x.size(1) - t > 0", "t - x.size(1) < 0", "not t >= x.size(1)"}) {
    CAPTURE(condition);
    const std::string text = rolled_text(script(R"(
def forward(self, x):
    h = torch.zeros([2, 3])
    t = 0
    while $condition:
        h = torch.tanh(x[:, t] + h)
        t += 1
    return h
)",
                                                condition)
                                             .source,
                                         {randn({2, 5, 3}, 1)});
    CHECK(text.find("t2n::scan(length=size.x.1,") != std::string::npos);
  }
}

TEST_CASE("the second result of an operation on a state, where the first is not read") {
  const std::string text = rolled_text(R"(
def forward(self, x):
    h = x[:, 0]
    k = torch.zeros([2], dtype=4)
    for t in range(x.size(1)):
        k = k + h.max(1)[1]
        h = torch.tanh(h + x[:, t])
    return h, k
)",
                                       {randn({2, 5, 3}, 1)});
  CHECK_NE(text.find("aten::max.dim("), std::string::npos);
}

TEST_CASE("a list whose elements the iterations replace one by one") {
  for (const std::string place : {"t", "x.size(0) - 1 - t"}) {
    CAPTURE(place);
    rolled_text(cat("def forward(self, x):\n    l = [x[0]] * x.size(0)\n"
                    "    for t in range(x.size(0)):\n        l[",
                    place, "] = x[t] * 2.0\n    return torch.stack(l)\n"),
                {randn({5, 3}, 1)});
  }
}

TEST_CASE("slices of one tensor with and without their axis") {
  const std::string text = rolled_text(R"(
def forward(self, x):
    h = torch.zeros([2, 3])
    outs = []
    for t in range(x.size(1)):
        h = h * x[:, t] + x[:, t:t + 1].sum(1) + x[:, t]
        outs.append(h)
    return torch.stack(outs, 1)
)",
                                       {randn({2, 5, 3}, 1)});
  CHECK_NE(text.find("scanned=[%x], "), std::string::npos);
}

TEST_CASE("the length of a growing list, and parts of what a loop collected") {
  const std::vector<std::string> bodies = {
      "        outs = outs + [x[:, t]]\n",
      "        outs.append(x[:, t] * len(outs))\n",
      "        outs = outs + [x[:, t] * len(outs)]\n",
  };
  for (const std::string& body : bodies)
    for (const std::string part :
         {"outs", "outs[1:]", "outs[:-1]", "outs[1:-1]", "outs * 2", "2 * outs"}) {
      CAPTURE(body);
      CAPTURE(part);
      rolled_text(cat("def forward(self, x):\n    outs: List[Tensor] = []\n"
                      "    for t in range(x.size(1)):\n",
                      body, "    return torch.stack(", part, ", 1)\n"),
                  {randn({2, 5, 3}, 1)});
    }
}

}  // namespace
}  // namespace t2n::test
