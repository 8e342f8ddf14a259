// SPDX-License-Identifier: Apache-2.0
// What forward changes of the model: followed, made explicit or refused.
#include <doctest/doctest.h>

#include "ir/evaluator.h"
#include "src/check/compare.h"
#include "src/diag/error.h"
#include "src/model/torch_module.h"
#include "tests/support/script.h"

namespace t2n::test {
namespace {

using Buffers = std::vector<std::pair<std::string, ir::Tensor>>;

/// A model in memory, called on `x`.
class Model {
 public:
  Model(const std::string& source, const Buffers& buffers)
      : session_(torch_module().compile({source, buffers})) {
    options_.explicit_states = true;
  }
  trace::TraceOptions& options() { return options_; }
  Model& give(const std::string& name, ir::Tensor value, bool is_state = true) {
    inputs_.push_back({{name}, std::move(value), is_state});
    return *this;
  }
  trace::Traced trace() const { return torch_module().trace(*session_, inputs_, options_); }
  std::vector<ir::Tensor> run() const { return torch_module().run(*session_, inputs_); }
  /// Rendered; "" without.
  std::string error() const {
    try {
      trace();
    } catch (const Error& error) {
      return render_text(error.diagnostic());
    }
    return {};
  }

 private:
  std::shared_ptr<trace::Session> session_;
  std::vector<trace::SampleInput> inputs_;
  trace::TraceOptions options_;
};

const ir::Tensor kX = randn({2, 3}, 1);

Model model(const std::string& source, const Buffers& buffers) {
  Model out(source, buffers);
  out.give("x", kX, false);
  return out;
}

std::string texts(const trace::Traced& traced) {
  std::string out;
  for (const trace::State& state : traced.states)
    out += cat(out.empty() ? "" : " ", state.path, ":", state.name, ":", state.input, "->",
               traced.graph.output_names[state.output]);
  return out;
}

std::string exact_differences(const std::vector<ir::Tensor>& a, const std::vector<ir::Tensor>& b) {
  if (a.size() != b.size()) return cat(a.size(), " and ", b.size(), " outputs");
  std::string out;
  for (size_t i = 0; i < a.size(); ++i) {
    const auto comparison = check::compare(a[i], b[i], {check::Level::exact, {}});
    if (comparison.verdict != check::Verdict::ok)
      out += check::mismatch_text(cat("output ", i), comparison) + "\n";
  }
  return out;
}

/// The graph computes what the program did, for the model's own state and for another.
void check_states(const std::string& source, const Buffers& buffers, const std::string& expected) {
  CAPTURE(source);
  Model own = model(source, buffers);
  const trace::Traced traced = own.trace();
  ir::verify(traced.graph, "trace");
  CHECK_EQ(texts(traced), expected);
  std::vector<ir::Tensor> inputs = {kX};
  for (const trace::State& state : traced.states) inputs.push_back(state.initial);
  CHECK_EQ(traced.graph.inputs.size(), inputs.size());
  CHECK_EQ(exact_differences(traced.outputs,
                             ir::run_graph(traced.graph, inputs, torch_module().evaluator())),
           "");
  CHECK_EQ(exact_differences(traced.outputs, own.run()), "");
  CHECK_EQ(exact_differences(traced.outputs, own.run()), "");  // a run leaves the model as it was

  for (size_t i = 0; i < traced.states.size(); ++i) {
    inputs[i + 1] = randn(traced.states[i].initial.shape, 7 + i, traced.states[i].initial.dtype);
    own.give(traced.states[i].name, inputs[i + 1]);
  }
  CHECK_EQ(
      exact_differences(own.run(), ir::run_graph(traced.graph, inputs, torch_module().evaluator())),
      "");
  CHECK_EQ(exact_differences(own.trace().outputs, own.run()), "");
}

const Buffers kH = {{"h", randn({2, 3}, 2)}};
const Buffers kTwo = {{"a", randn({2, 3}, 3)}, {"b", randn({2, 3}, 4)}};

TEST_CASE("state becomes inputs and outputs") {
  check_states("def forward(self, x):\n  self.h = self.h + x\n  return self.h * 2\n", kH,
               "h:h:1->h_next");
  check_states("def forward(self, x):\n  self.h.add_(x)\n  return self.h * 2\n", kH,
               "h:h:1->h_next");
  check_states("def forward(self, x):\n  self.h[:, 1:] = x[:, :2]\n  return self.h.sum()\n", kH,
               "h:h:1->h_next");
  check_states("def forward(self, x):\n  v = self.h.t()\n  v[0].mul_(2)\n  return v + 1, x\n", kH,
               "h:h:1->h_next");
  check_states("def forward(self, x):\n  self.h[torch.tensor([0])] = x[1]\n  return self.h * 2\n",
               kH, "h:h:1->h_next");
  check_states("def forward(self, x):\n  y = self.h * 1\n  self.h.copy_(x)\n  return y\n", kH,
               "h:h:1->h_next");
  check_states("def forward(self, x):\n  self.h.add_(1)\n  return x * 2\n", kH, "h:h:1->h_next");
}

TEST_CASE("states in the order of the model") {
  check_states("def forward(self, x):\n  self.b = self.b + x\n  self.a.mul_(2)\n  return self.a\n",
               kTwo, "a:a:1->a_next b:b:2->b_next");
  check_states("def forward(self, x):\n  y = self.b\n  self.b = self.a\n  self.a = x\n  return y\n",
               kTwo, "a:a:1->a_next b:b:2->b_next");
  check_states(
      "def forward(self, x):\n  y = self.a\n  self.a = self.b\n  self.b = y\n  return x + y\n",
      kTwo, "a:a:1->a_next b:b:2->b_next");
}

TEST_CASE("names of states that are taken") {
  Model clash("def forward(self, h):\n  self.h = self.h + h\n  return {'h_state_next': self.h}\n",
              kH);
  CHECK_EQ(texts(clash.give("h", kX, false).trace()), "h:h_state:1->h_state_next_out");
}

/// The graph's inputs, and which of them is the state, for samples called as `names`.
std::string inputs_of(const std::string& arguments, const std::string& result,
                      const std::string& state, const std::vector<std::string>& names) {
  Model each(cat("def forward(self, ", arguments, "):\n  self.", state, " = self.", state,
                 " + 1\n  return self.", state, " + ", result, "\n"),
             {{state, kX}});
  for (const std::string& name : names) each.give(name, kX, false);
  if (const std::string error = each.error(); !error.empty()) return error;
  const trace::Traced traced = each.trace();
  CHECK_EQ(each.run().size(), 2);
  std::string out;
  for (const ir::ValueId id : traced.graph.inputs)
    out += traced.graph.values[static_cast<size_t>(id)].name + " ";
  return cat(out, "| ", texts(traced));
}

TEST_CASE("a state whose name begins like an argument's is a state") {
  CHECK_EQ(inputs_of("h", "h", "h_prev", {"h", "h_prev"}),
           "h h_prev | h_prev:h_prev:1->h_prev_next");
  CHECK_EQ(
      inputs_of("past: List[Dict[str, Tensor]]", "past[0]['k']", "past_0", {"past_0_k", "past_0"}),
      "past_0_k past_0 | past_0:past_0:1->past_0_next");
  CHECK_EQ(inputs_of("pair: Tuple[Tensor, Tensor]", "pair[0] + pair[1]", "pair_2",
                     {"pair_0", "pair_1", "pair_2"}),
           "pair_0 pair_1 pair_2 | pair_2:pair_2:2->pair_2_next");
  CHECK_EQ(inputs_of("h: Optional[Tensor], x", "x", "h_prev", {"x", "h_prev"}),
           "x h_prev | h_prev:h_prev:1->h_prev_next");
  CHECK_EQ(inputs_of("x", "x", "input_scale", {"x", "input_scale"}),
           "x input_scale | input_scale:input_scale:1->input_scale_next");
}

TEST_CASE("a name that the signature has is an argument's") {
  // Here the state takes another, by which it can be given.
  CHECK_EQ(inputs_of("past: List[Tensor]", "past[0]", "past_0", {"past_0"}),
           "past_0 past_0_state | past_0:past_0_state:1->past_0_state_next");
  CHECK_EQ(inputs_of("past: List[Tensor]", "past[0]", "past_0", {"past_0", "past_0_state"}),
           "past_0 past_0_state | past_0:past_0_state:1->past_0_state_next");
  CHECK_EQ(inputs_of("x", "x", "input_0", {"input_0", "input_0_state"}),
           "x input_0_state | input_0:input_0_state:1->input_0_state_next");
  CHECK_EQ(inputs_of("d: Dict[str, Tensor]", "d['prev']", "d_prev", {"d_prev"}),
           "error[input-unknown]: 'd_prev' may be a key of the argument 'd' or a state of the "
           "model\n"
           "  why:  a dictionary accepts any name as a key\n"
           "  help: write d.prev=… for the key, d_prev_state=… for the state\n");
  CHECK_EQ(inputs_of("d: Dict[str, Tensor]", "d['k']", "d_prev", {"d_k", "d_prev_state"}),
           "d_k d_prev | d_prev:d_prev:1->d_prev_next");
  CHECK_EQ(inputs_of("x", "x", "h", {"x", "h", "h_state"}),
           "error[usage]: the state 'h' is given twice\n");
}

TEST_CASE("a part that is no state has neither a name nor an input") {
  Model scratch = model(
      "def forward(self, x):\n  self.a = x\n  self.b = self.b + self.a\n  return {'a': self.b}\n",
      kTwo);
  const trace::Traced traced = scratch.trace();
  CHECK_EQ(texts(traced), "b:b:1->b_next");
  CHECK_EQ(traced.graph.output_names, std::vector<std::string>{"a", "b_next"});
  CHECK_EQ(traced.ranges.size(), 2);
}

TEST_CASE("a change that no later call sees is not state, with or without --state") {
  const std::string sources[] = {
      "def forward(self, x):\n  self.h = x * 2\n  return self.h + 1\n",
      "def forward(self, x):\n  self.h = x\n  return x + 1\n",
      "def forward(self, x):\n  self.h.copy_(x)\n  self.h.mul_(2)\n  return self.h + x\n",
      "def forward(self, x):\n  self.h.zero_()\n  self.h += x\n  return self.h + x\n",
      "def forward(self, x):\n  self.h.fill_(3.)\n  return self.h + x\n",
      "def forward(self, x):\n  self.h = torch.zeros_like(self.h) + x\n  return self.h\n",
      "def forward(self, x):\n  self.h = self.h\n  return self.h + x\n",
  };
  check_states("def forward(self, x):\n  self.h[0] = 0.\n  return self.h + x\n",
               {{"h", values({2, 3}, {0, 0, 0, 1, 2, 3})}}, "");
  check_states("def forward(self, x):\n  self.h[0] = x[0] * 0\n  return self.h + x\n",
               {{"h", values({2, 3}, {0, 0, 0, 1, 2, 3})}}, "h:h:1->h_next");
  for (const std::string& source : sources) {
    CAPTURE(source);
    check_states(source, kH, "");
    Model plain = model(source, kH);
    plain.options().explicit_states = false;
    CHECK_EQ(plain.error(), "");
    CHECK(plain.trace().states.empty());
  }
}

TEST_CASE("a part that is written and never read is noted") {
  std::vector<std::string> notes;
  Model last = model("def forward(self, x):\n  self.h = x\n  return x + 1\n", kH);
  last.options().report = [&](const Diagnostic& note) { notes.push_back(note.message); };
  last.trace();
  CHECK_EQ(notes, std::vector<std::string>{
                      "the file does not keep 'h', which forward writes and never reads"});
  notes.clear();
  Model scratch = model("def forward(self, x):\n  self.h = x\n  return self.h + 1\n", kH);
  scratch.options().report = last.options().report;
  scratch.trace();
  CHECK(notes.empty());
}

TEST_CASE("without --state all states are refused in one error") {
  Model one = model("def forward(self, x):\n  self.h.add_(x)\n  return self.h\n", kH);
  one.options().explicit_states = false;
  CHECK_EQ(one.error(),
           "error[model-state]: forward changes 'h', a part of the model\n"
           "  --> the model (Model)\n"
           "  why:  the next call would run a changed model; an exported file has no memory\n"
           "  help: --state makes it an input and an output of the file; or pass it in and return "
           "it, or change it in training mode only\n");
  Model two = model(
      "def forward(self, x):\n  self.b = self.b + x\n  self.a[0] = x[0]\n  return self.a\n", kTwo);
  two.options().explicit_states = false;
  CHECK_EQ(two.error(),
           "error[model-state]: forward changes 2 parts of the model\n"
           "   'a'   the model (Model)\n"
           "   'b'   the model (Model)\n"
           "  why:  the next call would run a changed model; an exported file has no memory\n"
           "  help: --state makes them inputs and outputs of the file; or pass them in and return "
           "them, or change them in training mode only\n");
  Model training = model(
      "def forward(self, x):\n  self.num_batches_tracked.add_(1)\n"
      "  return x * self.num_batches_tracked\n",
      {{"num_batches_tracked", values({1}, {1}, ir::DType::i64)}});
  training.options().explicit_states = false;
  CHECK(training.error().ends_with(
      "  help: call model.eval() before tracing, and save the model again\n"));
  // That the state is no constant is what makes this one fail: the state is what is told.
  Model index =
      model("def forward(self, x):\n  i = int(self.i)\n  self.i.add_(1)\n  return x[:, i]\n",
            {{"i", values({1}, {1}, ir::DType::i64)}});
  CHECK(index.error().starts_with("error[data-dependent-value]: "));
  index.options().explicit_states = false;
  CHECK(
      index.error().starts_with("error[model-state]: forward changes 'i', a part of the model\n"));
}

TEST_CASE("shapes and types that change from call to call") {
  const std::string growing =
      "def forward(self, x):\n  self.h = torch.cat([self.h, x], 0)\n  return self.h.sum(0)\n";
  Model fixed = model(growing, kH);
  CHECK_EQ(fixed.error(),
           "error[model-state]: forward changes 'h', which cannot become an input of the file\n"
           "  --> the model (Model)\n"
           "  why:  its shape changes from call to call: [2,3] before this one, [4,3] after\n"
           "  help: declare the axis along which it grows: --dynamic h:0=P; or give it one shape "
           "for all calls\n");
  for (const int64_t axis : {0, -2}) {
    Model free = model(growing, kH);
    free.options().free_axes = {{"h", axis}};
    CHECK_EQ(texts(free.trace()), "h:h:1->h_next");
  }
  fixed.options().free_axes = {{"h", 1}, {"g", 0}};
  CHECK_NE(fixed.error(), "");
  Model typed = model("def forward(self, x):\n  self.h = (self.h + x).double()\n  return x\n", kH);
  CHECK_EQ(typed.error(),
           "error[model-state]: forward changes 'h', which cannot become an input of the file\n"
           "  --> the model (Model)\n"
           "  why:  its type changes from f32 to f64 with the first call\n"
           "  help: convert it to one type before it is kept\n");
}

TEST_CASE("samples for states") {
  const std::string source = "def forward(self, x):\n  self.h = self.h + x\n  return self.h\n";
  Model other = model(source, {{"h", randn({1, 3}, 2)}});
  CHECK_NE(other.error(), "");  // [1,3] + [2,3] grows
  const ir::Tensor first = randn({2, 3}, 9);
  for (const bool marked : {false, true}) {
    Model given = model(source, {{"h", randn({1, 3}, 2)}});
    const trace::Traced traced = given.give("h", first, marked).trace();
    CHECK_EQ(texts(traced), "h:h:1->h_next");
    CHECK_EQ(exact_differences({traced.states[0].initial}, {first}), "");
  }
  Model weight = model("def forward(self, x):\n  return x + self.h\n", kH);
  CHECK_EQ(weight.give("h", first, false).error(),
           "error[input-unknown]: the model has no input 'h'\n"
           "  why:  no call of forward reads what an earlier call stored in 'h'\n");
  Model nothing = model("def forward(self, x):\n  return x + self.h\n", kH);
  CHECK(nothing.give("g", first, false)
            .error()
            .starts_with("error[input-unknown]: the model has no input 'g'\n"));
}

}  // namespace
}  // namespace t2n::test
