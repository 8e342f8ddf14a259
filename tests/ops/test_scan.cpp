// Loops as tract_core_scan, in every engine.
#include <doctest/doctest.h>

#include <set>

#include "src/diag/error.h"
#include "src/export/dynamic_model.h"
#include "src/export/torch_module.h"
#include "tests/support/dynamic.h"
#include "tests/support/example.h"
#include "tests/support/named.h"
#include "tests/support/script.h"

namespace t2n::test {
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

TEST_CASE("nothing is scanned: the iteration, or not even that") {
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

TEST_CASE("a loop in a loop, in every way that its results are used") {
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

TEST_CASE("attention over a captured sequence, what is the same in every iteration moves out") {
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

// --- from TorchScript ---

ir::Ints shape_at(const std::vector<std::string>& shape, const Sizes& sizes) {
  ir::Ints out;
  for (const std::string& size : shape)
    out.push_back(dynamic::evaluate(ir::parse_dim(size), sizes));
  return out;
}

std::vector<ir::Tensor> inputs_at(const std::vector<std::vector<std::string>>& shapes,
                                  const Sizes& sizes) {
  std::vector<ir::Tensor> out;
  for (const auto& shape : shapes)
    out.push_back(uniform(shape_at(shape, sizes), -1, 1, out.size() + 1));
  return out;
}

/// The way of `export --dynamic`: traced at several sizes, loops over open axes rolled.
OpenExample looped(const Script& model, const std::vector<std::vector<std::string>>& shapes,
                   const std::vector<Sizes>& runs) {
  const auto session = torch_module().compile({model.source, model.parameters});
  const std::vector<trace::SampleInput> first = named(inputs_at(shapes, runs.at(0)));
  const ir::Graph sample = torch_module().trace(*session, first, {}).graph;
  DynamicOptions dynamic;
  for (size_t i = 0; i < shapes.size(); ++i)
    for (size_t axis = 0; axis < shapes[i].size(); ++axis)
      if (!ir::parse_dim(shapes[i][axis]).is_constant())
        dynamic.axes.push_back(
            dynamic::parse_axis(cat(sample.values[static_cast<size_t>(sample.inputs[i])].name, ":",
                                    axis, "=", shapes[i][axis])));
  std::vector<Sample> samples;
  for (const trace::SampleInput& input : first) samples.push_back({input, std::nullopt});
  OpenExample out;
  out.graph = trace_dynamic_model(*session, samples, dynamic, {}).traced.graph;
  out.graph.attributes[ir::kSampleSizes] = runs[0];
  for (const Sizes& sizes : runs) {
    const std::vector<ir::Tensor> inputs = inputs_at(shapes, sizes);
    out.runs.push_back({sizes, inputs, torch_module().run(*session, named(inputs))});
  }
  return out;
}

/// The artefact of one export at all lengths, in every engine.
void check_loop(const Script& model, const std::vector<std::vector<std::string>>& shapes,
                const std::vector<Sizes>& runs = kLengths, double tolerance = 1e-5) {
  try {
    const OpenExample example = looped(model, shapes, runs);
    for (const target::Target& target : test_targets()) {
      CAPTURE(target::target_name(target));
      CHECK_EQ(open_differences(example, target, rel(tolerance)), "");
    }
  } catch (const Error& error) {
    FAIL_CHECK(std::string(error.what()));
  }
}

Script with_weights(std::string_view source) {
  return script(source)
      .with("w", uniform({12, 3}, -0.6, 0.6, 11))
      .with("u", uniform({12, 3}, -0.6, 0.6, 12))
      .with("b", uniform({12}, -0.6, 0.6, 13))
      .with("k", uniform({3, 3}, -0.6, 0.6, 14));
}

TEST_CASE("GRU cells in a loop: a list, and a tensor filled step by step") {
  check_loop(with_weights(R"(
def forward(self, x):
    h = torch.zeros([x.size(0), 3])
    outs = []
    for t in range(x.size(1)):
        h = torch.gru_cell(x[:, t], h, self.w[:9], self.u[:9], self.b[:9], self.b[:9])
        outs.append(h)
    return torch.stack(outs, 1), h
)"),
             {{"B", "S", "3"}}, {{{"B", 2}, {"S", 4}}, {{"B", 1}, {"S", 1}}, {{"B", 5}, {"S", 9}}});
  check_loop(with_weights(R"(
def forward(self, x):
    h = torch.zeros([2, 3])
    out = torch.zeros([2, x.size(1), 3])
    for t in range(x.size(1)):
        h = torch.gru_cell(x[:, t], h, self.w[:9], self.u[:9])
        out[:, t] = h
    return out
)"),
             {{"2", "S", "3"}});
}

TEST_CASE("LSTM cells with a state of two, in both directions") {
  check_loop(with_weights(R"(
def forward(self, x):
    state = (torch.zeros([2, 3]), torch.zeros([2, 3]))
    ahead = []
    for t in range(x.size(0)):
        state = torch.lstm_cell(x[t], state, self.w, self.u, self.b, self.b)
        ahead.append(state[0])
    back = (torch.zeros([2, 3]), torch.zeros([2, 3]))
    behind = []
    for t in range(x.size(0)):
        back = torch.lstm_cell(x[x.size(0) - 1 - t], back, self.u, self.w, self.b, self.b)
        behind += [back[0]]
    both = torch.cat([torch.stack(ahead), torch.stack(behind[::-1])], 2)
    return both, state[0], state[1], back[1]
)"),
             {{"S", "2", "3"}});
}

TEST_CASE("the custom LSTM of the benchmarks: unbind, len of a list, a cell as a function") {
  check_loop(with_weights(R"(
def cell(self, x, hx: List[Tensor]):
    gates = torch.mm(x, self.w.t()) + self.b + torch.mm(hx[0], self.u.t()) + self.b
    i, f, g, o = gates.chunk(4, 1)
    c = torch.sigmoid(f) * hx[1] + torch.sigmoid(i) * torch.tanh(g)
    h = torch.sigmoid(o) * torch.tanh(c)
    return h, (h, c)

def forward(self, input, h, c):
    inputs = input.unbind(0)
    outputs: List[Tensor] = []
    state = (h, c)
    for i in range(len(inputs)):
        out, state = self.cell(inputs[i], [state[0], state[1]])
        outputs += [out]
    return torch.stack(outputs), state[0], state[1]
)"),
             {{"S", "2", "3"}, {"2", "3"}, {"2", "3"}});
}

TEST_CASE("two layers, where the second runs over the results of the first") {
  check_loop(with_weights(R"(
def forward(self, x):
    h = torch.zeros([2, 3])
    first = []
    for v in x.unbind(1):
        h = torch.tanh(torch.mm(v, self.k) + h)
        first.append(h)
    g = h
    second = []
    for v in first:
        g = torch.relu(torch.mm(g, self.k) + v)
        second.append(g.unsqueeze(1))
    return torch.cat(second, 1), torch.cat([first[0], first[-1]], 1)
)"),
             {{"2", "S", "3"}});
}

TEST_CASE("tensors that grow by one part in each iteration") {
  check_loop(script(R"(
def forward(self, x):
    h = torch.zeros([2, 3])
    ahead = x[:, :1]
    behind = x[:, :1]
    for t in range(x.size(1)):
        h = torch.tanh(h + x[:, t])
        ahead = torch.cat([ahead, h.unsqueeze(1)], 1)
        behind = torch.cat([h.unsqueeze(1) * 2.0, behind], 1)
    return ahead, behind
)"),
             {{"2", "S", "3"}});
}

TEST_CASE("a decoder step with attention") {
  check_loop(with_weights(R"(
def forward(self, x, memory):
    keys = torch.matmul(memory, self.k)
    h = memory.mean(1)
    outs = []
    for t in range(x.size(1)):
        score = torch.matmul(keys, h.unsqueeze(2)).squeeze(2)
        weight = torch.softmax(score, 1)
        context = torch.bmm(weight.unsqueeze(1), memory).squeeze(1)
        h = torch.tanh(torch.linear(torch.cat([x[:, t], context, h], 1), torch.cat([self.w, self.u[:, :3], self.w], 1)[:3]))
        h = torch.where(h > 0.9, h * 0.5, h)
        outs.append(h)
    return torch.stack(outs, 1)
)"),
             {{"2", "T", "3"}, {"2", "S", "3"}},
             {{{"S", 4}, {"T", 5}}, {{"S", 1}, {"T", 1}}, {{"S", 7}, {"T", 3}}});
}

TEST_CASE("sums over time, differences, and what a mask by the iteration leaves") {
  check_loop(script(R"(
def forward(self, x, n):
    total = torch.zeros([2])
    sums = []
    for v in x:
        total = total + v
        sums.append(total)
    steps = [x[0]]
    for t in range(1, x.size(0)):
        steps.append(x[t] - x[t - 1])
    h = torch.zeros([2])
    for t in range(x.size(0)):
        h = torch.where(n > t, h * 0.5 + x[t] * (2 * t + 1), h)
    return torch.stack(sums), torch.stack(steps), h
)"),
             {{"S", "2"}, {"2"}}, {{{"S", 4}}, {{"S", 2}}, {{"S", 7}}});
}

TEST_CASE("a loop that counts, a while, a first iteration of its own") {
  check_loop(script(R"(
def forward(self, x):
    h = x[:, 0]
    count = 0
    for t in range(x.size(1)):
        if t == 0:
            h = x[:, t] * 2.0
        else:
            h = torch.maximum(h, x[:, t]) * 0.5
        count += 1
    g = h
    t = 0
    while t < x.size(1):
        g = g * 0.9 + x[:, t]
        t += 1
    return h * count, g
)"),
             {{"2", "S"}}, {{{"S", 4}}, {{"S", 2}}, {{"S", 7}}});
}

TEST_CASE("complex numbers stay inside of a loop") {
  check_loop(script(R"(
def forward(self, x):
    h = x[:, 0]
    for t in range(x.size(1)):
        z = torch.view_as_complex(h) * torch.view_as_complex(x[:, t])
        h = torch.view_as_real(z).contiguous()
    return h
)"),
             {{"2", "S", "3", "2"}});
  const std::string carried = open_error(looped(script(R"(
def forward(self, x):
    h = torch.complex(x[:, 0], x[:, 0])
    for t in range(x.size(1)):
        h = h * torch.complex(x[:, t], x[:, t])
    return torch.view_as_real(h)
)"),
                                                {{"2", "S"}}, kLengths),
                                         newest_target());
  CHECK_EQ(carried,
           "error[unsupported-op]: 1 operator (1 use) has no translation for tract@0.23.9; nothing "
           "was written\n"
           "   1x t2n::scan of complex tensors   first: the model (Model)\n"
           "      why: a loop carries, reads or collects complex tensors\n"
           "  help: let it do so with torch.view_as_real of them; inside, they may be complex\n");
}

}  // namespace
}  // namespace t2n::test
