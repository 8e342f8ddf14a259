// SPDX-License-Identifier: Apache-2.0
// Loops of TorchScript over open axes, traced at several sizes and rolled, in every engine.
#include <doctest/doctest.h>

#include "src/diag/error.h"
#include "src/export/dynamic_model.h"
#include "src/model/torch_module.h"
#include "tests/support/dynamic.h"
#include "tests/support/named.h"
#include "tests/support/script.h"

namespace t2n::test::scan_script_tests {
namespace {

const std::vector<Sizes> kLengths = {{{"S", 4}}, {{"S", 1}}, {{"S", 7}}, {{"S", 2}}};

ir::Ints shape_at(const std::vector<std::string>& shape, const Sizes& sizes) {
  ir::Ints out;
  for (const std::string& size : shape) out.push_back(ir::evaluate(ir::parse_dim(size), sizes));
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

TEST_CASE("a loop over parts of an axis, but the first") {
  check_loop(script(R"(
def forward(self, x):
    h = x[:, 0]
    for v in x.unbind(1)[1:]:
        h = torch.tanh(v + h)
    return h
)"),
             {{"2", "3"}});
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

TEST_CASE("sums over time, differences, and masks by the iteration's number") {
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

TEST_CASE("a counting loop, a while loop, a special first iteration") {
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
           "  help: pass torch.view_as_real of them; inside the loop they may be complex\n");
}

TEST_CASE("a loop over the rest of a list, and loops that end before the tensor does") {
  check_loop(script(R"(
def forward(self, x):
    rest = x.unbind(0)[1:]
    h = torch.zeros([2])
    for t in range(len(rest)):
        h = h * 0.5 + rest[t]
    g = torch.zeros([2])
    means = []
    for t in range(x.size(0) - 1):
        g = g * 0.5 + x[t]
        means.append(g * x[t + 1])
    return h, g, torch.stack(means)
)"),
             {{"S", "2"}}, {{{"S", 4}}, {{"S", 2}}, {{"S", 7}}});
}

}  // namespace
}  // namespace t2n::test::scan_script_tests
