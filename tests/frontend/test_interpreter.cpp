// SPDX-License-Identifier: Apache-2.0
// The constructs of TorchScript just execute; what depends on data is refused.
#include <thread>

#include "src/diag/error.h"
#include "src/model/torch_module.h"
#include "tests/frontend/replay.h"
#include "tests/support/named.h"
#include "tests/support/script.h"

namespace t2n::test {
namespace {

TEST_CASE("containers, loops and branches unroll") {
  const char* source = R"(
def forward(self, x, n: int = 3, mode: str = "sum", scale: Optional[float] = None):
    parts: List[Tensor] = []
    table = {"a": x, "b": x * 2}
    for key in ["a", "b"]:
        for i in range(n):
            if i == 1:
                continue
            parts.append(table[key] + float(i))
            if len(parts) > 10:
                break
    i = 0
    while i < len(parts):
        parts[i] = parts[i] * (i + 1)
        i += 1
    if mode == "sum":
        out = torch.stack(parts).sum(0)
    else:
        out = parts[0]
    if scale is not None:
        out = out * scale
    assert x.dim() == 2, "two axes"
    pair = (out, -out)
    a, b = pair
    return {"plus": a, "minus": b, "both": torch.cat([a, b], dim=-1)}
)";
  const Replay run = replay(source, {randn({2, 3}, 1)});
  CHECK_EQ(replay_difference(run), "");
  CHECK_EQ(run.traced.graph.output_names, std::vector<std::string>{"plus", "minus", "both"});
}

/// The only output at x = 1; the graph and the program are both the interpreter's, numbers are not.
double at_one(const char* source) {
  const Replay run = replay(source, {values({1}, {1})});
  CHECK_EQ(replay_difference(run), "");
  REQUIRE_EQ(run.outputs.size(), 1);
  return ir::to_f64(run.outputs[0]).at(0);
}

TEST_CASE("elements of tuples are counted from both ends") {
  CHECK_EQ(at_one(R"(
def forward(self, x):
    tuples = [(x + 1, x + 2, x + 3)]
    t = tuples[0]  # LibTorch resolves what it sees being made
    return t[-1] * 100 + t[-3] * 10 + t[1]
)"),
           423);
}

TEST_CASE("isinstance tells types apart") {
  CHECK_EQ(at_one(R"(
def kind(self, value: Any) -> int:
    if isinstance(value, int):
        return 1
    elif isinstance(value, float):
        return 2
    elif isinstance(value, Tensor):
        return 3
    return 4
def forward(self, x):
    return x * self.kind(x) + self.kind(7) * 10 + self.kind(0.5) * 100 + self.kind("a") * 1000
)"),
           4213);
}

TEST_CASE("an assert on data is not a branch") {
  const Replay run =
      replay("def forward(self, x):\n  assert bool(x.sum() > -1e9), 'finite'\n  return x + 1",
             {randn({3}, 1)});
  CHECK_EQ(live_operations(run), "aten::add.Scalar");
}

TEST_CASE("branches on numbers from data are selects, and operations take the numbers as tensors") {
  const std::vector<ir::Tensor> x = {randn({3}, 1)};
  const auto operations = [&](const std::string& code) { return live_operations(replay(code, x)); };
  CHECK_EQ(operations("def forward(self, x):\n  if float(x.sum()) > 0:\n    y = x + 1\n  else:\n "
                      "   y = x - 1\n  return y"),
           "aten::sum aten::add.Scalar aten::sub.Scalar aten::to.dtype aten::gt.Tensor "
           "aten::where.self");
  CHECK_EQ(operations("def forward(self, x):\n  return x * float(x[0])"),
           "aten::select.int aten::to.dtype aten::to.dtype aten::mul.Tensor");
  CHECK_EQ(operations("def forward(self, x):\n  return torch.full([2], float(x[0]))"),
           "aten::select.int aten::to.dtype aten::to.dtype aten::expand aten::clone");
}

TEST_CASE("branches, loops and numbers from data are refused where no select stands for them") {
  const std::vector<ir::Tensor> x = {randn({3}, 1)};
  const auto why = [&](const std::string& code) { return trace_reason(code, x); };
  CHECK_EQ(why("def forward(self, x):\n  if bool(x.sum() > 0):\n    y = x + 1\n  else:\n    y = "
               "x[:1]\n  return y"),
           "its condition comes from aten::Bool; it cannot become a select: its branches give "
           "tensors of shapes [3] and [1]");
  CHECK_EQ(why("def forward(self, x):\n  y = x + 1\n  if bool(x.sum() > 0):\n    y[0] = 2.0\n  "
               "return y"),
           "its condition comes from aten::Bool; it cannot become a select: the code that "
           "depends on it writes to an existing tensor");
  CHECK_EQ(
      why("def forward(self, x):\n  y = [x]\n  if bool(x.sum() > 0):\n    if bool(x.max() > 1):\n"
          "      y.append(x)\n  return y[-1]"),
      "its condition comes from aten::Bool; it cannot become a select: the code that depends "
      "on it changes a list");
  CHECK_EQ(trace_error(
               "def forward(self, x):\n  for i in range(int(x[0])):\n    x = x + 1\n  return x", x),
           "data-dependent-branch: a loop depends on the values of a tensor");
  CHECK_EQ(
      trace_error(
          "def forward(self, x):\n  v: List[float] = x.tolist()\n  return torch.full([2], v[0])",
          x),
      "data-dependent-value: the argument 'fill_value' of aten::full is read from a tensor's "
      "values");
}

TEST_CASE("sizes from data are refused, from the first operation of a thread on") {
  std::string said;
  std::thread([&] {
    said = trace_error("def forward(self, x):\n  return x * torch.argwhere(x).size(0)",
                       {randn({3}, 1)});
  }).join();
  CHECK_EQ(said,
           "data-dependent-value: the argument 'other' of aten::mul.Scalar is read from a tensor's "
           "values");
}

TEST_CASE("both sides of a pure branch on data are computed, and the data selects") {
  const char* source =
      "def forward(self, x):\n  n = 1\n  if bool(x.sum() > 0):\n    y = x + n\n    k = 2\n  "
      "else:\n    y = x.sin()\n    k = 2\n  return y * k";
  for (const double sign : {1., -1.}) {
    CAPTURE(sign);
    const Replay run = replay(source, {values({2}, {sign, sign})});
    CHECK_EQ(replay_difference(run), "");
    CHECK_EQ(
        live_operations(run),
        "aten::sum aten::gt.Scalar aten::add.Scalar aten::sin aten::where.self aten::mul.Scalar");
  }
}

TEST_CASE("numbers of the model's own constants are plain") {
  const Replay run =
      replay("def forward(self, x):\n  n = int(self.n)\n  return x[:n] * float(self.n)",
             {randn({5}, 1)}, {{"n", values({}, {3})}});
  CHECK_EQ(replay_difference(run), "");
}

TEST_CASE("nested literals are constants") {
  const Replay run = replay(
      "def forward(self, x):\n  return x + torch.tensor([[1., 2.], [3., 4.]])", {randn({2, 2}, 1)});
  CHECK_EQ(replay_difference(run), "");
  CHECK_EQ(live_operations(run), "aten::add.Tensor");
}

TEST_CASE("state is refused, running without end is noticed") {
  CHECK_EQ(
      trace_error("def forward(self, x):\n  i = 0\n  while i >= 0:\n    i += 1\n  return x + i",
                  {randn({3}, 1)}),
      "trace-limit: the model ran more than 1000000 operations");
}

TEST_CASE("an operation counts with its results") {
  const auto session = torch_module().compile(
      {"def forward(self, x):\n  for i in range(20):\n    x = x.unbind(0)[0] + x\n  return x", {}});
  trace::TraceOptions options;
  options.max_operations = 1000;
  CHECK_THROWS_WITH(torch_module().trace(*session, named({randn({100}, 1)}), options),
                    doctest::Contains("the operations have more than 1000 results"));
}

TEST_CASE("a failing forward names the operator") {
  CHECK_EQ(trace_error("def forward(self, x):\n  return torch.matmul(x, x)", {randn({2, 3}, 1)}),
           "forward-failed: aten::matmul failed: mat1 and mat2 shapes cannot be multiplied (2x3 "
           "and 2x3)");
}

TEST_CASE("results that are no tensors and no numbers are refused") {
  CHECK_EQ(trace_error("def forward(self, x):\n  return x, 'text'", {randn({2, 3}, 1)}),
           "unsupported-output: the model returns a value of type 'String' ('output_1')");
}

TEST_CASE("an error that the model raises has its own text") {
  CHECK_EQ(trace_error("def forward(self, x):\n  assert x.size(0) == 1, 'one row'\n  return x",
                       {randn({2, 3}, 1)}),
           "forward-failed: the model raises AssertionError: one row");
}

TEST_CASE("the model's own text is shown of values that it refuses") {
  CHECK_EQ(trace_error("def forward(self, x):\n  assert int(x.min()) < 3, 'too large'\n  return x",
                       {randint({4}, 3, 9, 1)}),
           "forward-failed: the model raises AssertionError: too large");
}

TEST_CASE("the dtype torch computes in is recorded") {
  const Replay run =
      replay("def forward(self, x, n):\n  return x > n", {randn({2}, 1), randint({2}, 0, 5, 1)});
  REQUIRE_EQ(run.traced.graph.nodes.size(), 1);
  CHECK(run.traced.graph.nodes[0].compute_dtype == ir::DType::f32);
}

TEST_CASE("half types fall back to f32 and round") {
  const Replay run =
      replay("def forward(self, x, w):\n  return torch.conv2d(x, w) + 1",
             {randn({1, 2, 5, 5}, 1, ir::DType::f16), randn({3, 2, 3, 3}, 2, ir::DType::f16)});
  CHECK(run.traced.outputs[0].dtype == ir::DType::f16);
}

TEST_CASE("what torch refuses of mixed halves is refused") {
  using ir::DType;
  struct Row {
    const char* call;
    DType x, w, b;
    const char* says;
  };
  // Torch's words follow from the kernel that sees the types first.
  for (const Row& row : std::initializer_list<Row>{
           {"torch.conv2d(x, w, b)", DType::f32, DType::f16, DType::f16, "aten::conv2d failed"},
           {"torch.conv2d(x, w, b)", DType::f16, DType::f32, DType::f32, "aten::conv2d failed"},
           {"torch.conv2d(x, w, b)", DType::f16, DType::f16, DType::f32, "aten::conv2d failed"},
           {"torch.conv2d(x, w, b)", DType::f16, DType::bf16, DType::bf16, "aten::conv2d failed"},
           {"torch.conv2d(x, w, b)", DType::f64, DType::bf16, DType::bf16, "aten::conv2d failed"},
           {"torch.conv2d(x, w, b)", DType::i64, DType::f16, DType::f16, "aten::conv2d failed"},
           {"torch.conv_transpose2d(x, w.transpose(0, 1), b)", DType::f32, DType::f16, DType::f16,
            "aten::conv_transpose2d failed"},
           {"torch.cdist(x, w)", DType::f16, DType::f32, DType::f32, "aten::cdist failed"},
           {"torch.cdist(x, w)", DType::bf16, DType::f16, DType::f32, "aten::cdist failed"}}) {
    CAPTURE(row.call);
    CAPTURE(ir::dtype_name(row.x));
    CAPTURE(ir::dtype_name(row.w));
    CAPTURE(ir::dtype_name(row.b));
    const ir::Tensor x =
        row.x == DType::i64 ? randint({3, 2, 3, 3}, 0, 5, 1) : randn({3, 2, 3, 3}, 1, row.x);
    const std::string error = trace_error(cat("def forward(self, x, w, b):\n  return ", row.call),
                                          {x, randn({3, 2, 3, 3}, 2, row.w), randn({3}, 3, row.b)});
    CHECK_MESSAGE(error.starts_with(cat("forward-failed: ", row.says)), error);
  }
}

TEST_CASE("halves of one type without a kernel run in f32 and round") {
  for (const ir::DType dtype : {ir::DType::f16, ir::DType::bf16}) {
    const Replay run = replay("def forward(self, x, w):\n  return torch.cdist(x, w)",
                              {randn({3, 2}, 1, dtype), randn({3, 2}, 2, dtype)});
    CHECK(run.traced.outputs[0].dtype == dtype);
    CHECK_EQ(replay_difference(run), "");
  }
}

TEST_CASE("ranges of integer inputs are learnt from what they index") {
  const Replay run = replay(
      "def forward(self, ids, x):\n  a = torch.embedding(self.w, ids.view(-1))\n  return a.sum() + "
      "x.index_select(0, ids[0])",
      {values({1, 2}, {0, 1}, ir::DType::i64), randn({4}, 1)}, {{"w", randn({7, 2}, 1)}});
  REQUIRE(run.traced.ranges[0].has_value());
  CHECK_EQ(run.traced.ranges[0]->second, 4);
  CHECK(!run.traced.ranges[1].has_value());
}

/// What a run on `ids` and `x` shows of both.
std::vector<trace::InputRange> shown_ranges(const char* lines) {
  const auto session = torch_module().compile(
      {cat("def forward(self, ids, x):\n", lines), {{"w", randn({7, 2}, 1)}}});
  return torch_module().input_ranges(
      *session, {{{"ids"}, values({1, 2}, {0, 1}, ir::DType::i64)}, {{"x"}, randn({4}, 1)}}, false);
}

TEST_CASE("a run for ranges ends where no integers are left that may index something") {
  const auto early = shown_ranges(
      "  a = torch.embedding(self.w, ids.view(-1)).sum()\n"
      "  b = a + 1\n"
      "  return torch.ones(2) @ torch.ones(3) + b");  // which torch refuses
  REQUIRE_EQ(early.size(), 2);
  CHECK_EQ(early[0].name, "ids");
  REQUIRE(early[0].range.has_value());
  CHECK_EQ(early[0].range->second, 7);
  CHECK(!early[1].range.has_value());
  const auto late = shown_ranges(
      "  a = torch.embedding(self.w, ids).sum()\n"
      "  b = (a + 1) * 2 - x\n"
      "  return b.index_select(0, ids[0])");
  REQUIRE(late.at(0).range.has_value());
  CHECK_EQ(late[0].range->second, 4);
}

TEST_CASE("a run for ranges says what torch refuses before it ends, and nothing else") {
  try {
    shown_ranges("  a = torch.ones(2) @ torch.ones(3)\n  return x[ids[0]] + a");
    FAIL("torch has no such product");
  } catch (const Error& error) {
    CHECK_EQ(error.diagnostic().id, "forward-failed");
  }
  const auto branch = shown_ranges(
      "  a = x[ids[0]]\n  if bool(a.sum() > 0):\n    a = a + 1\n  return a * ids.sum()");
  REQUIRE(branch.at(0).range.has_value());
  CHECK_EQ(branch[0].range->second, 4);
}

TEST_CASE("ranges are learnt from what is scattered, behind masks and joints as well") {
  const Replay run = replay(
      "def forward(self, edges, x):\n"
      "  kept = torch.cat([edges[:, edges[0] != edges[1]], torch.zeros([2, 1], dtype=4)], "
      "1)\n"
      "  return torch.zeros([5]).scatter_add_(0, kept[1], x)",
      {values({2, 3}, {0, 1, 2, 2, 1, 3}, ir::DType::i64), randn({6}, 1)});
  REQUIRE(run.traced.ranges[0].has_value());
  CHECK_EQ(run.traced.ranges[0]->first, 0);
  CHECK_EQ(run.traced.ranges[0]->second, 5);
}

TEST_CASE("places where bags begin rise from zero") {
  const Replay run = replay(
      "def forward(self, ids, places):\n"
      "  return torch.embedding_bag(self.w, ids, places, False, 0, False, None, False)[0]",
      {values({5}, {0, 1, 2, 2, 1}, ir::DType::i64), values({3}, {0, 1, 1}, ir::DType::i64)},
      {{"w", randn({7, 2}, 1)}});
  REQUIRE(run.traced.ranges[0].has_value());
  CHECK_EQ(run.traced.ranges[0]->second, 7);
  REQUIRE(run.traced.ranges[1].has_value());
  CHECK_EQ(run.traced.ranges[1]->second, 6);
  CHECK(run.traced.ranges[1]->is_ascending);
}

TEST_CASE("a mask beside indices is none") {
  const Replay run =
      replay("def forward(self, x, rows):\n  return x[torch.tensor([True, False, True]), rows]",
             {randn({3, 7}, 1), values({2}, {1, 2}, ir::DType::i64)});
  REQUIRE(run.traced.ranges[1].has_value());
  CHECK_EQ(run.traced.ranges[1]->second, 7);
}

TEST_CASE("a tensor that an operator leaves undefined is no output, as None is none") {
  const Replay run = replay(
      "def forward(self, x, w, b, o, c):\n"
      "  return torch._native_multi_head_attention(x, x, x, 4, 2, w, b, o, c, None, False)",
      {randn({1, 3, 4}, 1), randn({12, 4}, 2), randn({12}, 3), randn({4, 4}, 4), randn({4}, 5)});
  CHECK_EQ(run.outputs.size(), 1);
  CHECK_EQ(replay_difference(run), "");
}

TEST_CASE("a script that chooses nested tensors by a mask's values is refused") {
  CHECK_EQ(trace_error("def forward(self, x, m):\n"
                       "  if torch._nested_tensor_from_mask_left_aligned(x, m != 0):\n"
                       "    return x + 1\n  return x",
                       {randn({1, 3, 4}, 1), randn({1, 3}, 2)}),
           "unsupported-op: nn.TransformerEncoder decides by the values of its padding mask what "
           "it computes");
}

TEST_CASE("what a graph cannot have of sparse tensors is refused") {
  const auto error = [](const std::string& rest) {
    return trace_error(
        "def forward(self, x, v):\n"
        "  i = torch.tensor([[0, 1], [2, 0]])\n" +
            rest,
        {randn({3, 3}, 1), randn({2}, 2)});
  };
  const std::string made = "  a = torch.sparse_coo_tensor(i, v, [3, 3])\n";
  CHECK_EQ(error(made + "  return torch._sparse_mm(a, a).to_dense()"),
           "unsupported-op: aten::_sparse_mm of a sparse tensor cannot be exported");
  CHECK_EQ(
      error(made + "  v.add_(1)\n  return a @ x, v"),
      "unsupported-inplace: the entries of a sparse tensor are written after its construction");
  CHECK_EQ(error("  return torch.sparse_coo_tensor(i, v).to_dense()"),
           "unsupported-op: this construction of a sparse tensor cannot be exported");
  CHECK_EQ(error("  return torch.sparse_coo_tensor(i + 1, v, [3, 3]) @ x"),
           "forward-failed: aten::sparse_coo_tensor failed: size is inconsistent with indices: for "
           "dim 1, size is 3 but found index 3");
  CHECK_EQ(error(made + "  return a"), "unsupported-dtype: a sparse tensor cannot be exported");
}

TEST_CASE("lists of what cannot nest grow as long as one likes") {
  const auto session = torch_module().compile({R"(
def forward(self, x):
    inner = [1, 2]
    total: List[List[int]] = []
    for i in range(100001):
        total.append(inner)
    return x * len(total)
)",
                                               {}});
  const trace::Traced traced =
      torch_module().trace(*session, {{{"x"}, values({1}, {2}, ir::DType::f32)}}, {});
  CHECK_EQ(ir::to_f64(traced.outputs.at(0)), std::vector<double>{200002});
}

}  // namespace
}  // namespace t2n::test
