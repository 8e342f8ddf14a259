// SPDX-License-Identifier: Apache-2.0
// Models that remember: what is refused, what `--state` makes of them, and that the engines agree.
#include "tests/cli/program.h"

namespace t2n::test {
namespace {

/// Exports with a check in every engine there is; every output must react to its inputs.
void check_in_engines(const std::string& model, const Arguments& inputs,
                      const std::string& signature) {
  const Sandbox sandbox({model});
  for (const std::string& target : engine_targets()) {
    CAPTURE(model);
    CAPTURE(target);
    Arguments arguments = {"export",   model,     "-t",       target,     "-o",
                           "out.nnef", "--check", "--strict", "--engine", target};
    arguments.insert(arguments.end(), inputs.begin(), inputs.end());
    const Result result = sandbox.run(arguments);
    CHECK_EQ(result.err.substr(0, result.err.find("warning")), result.err);
    CHECK_EQ(result.code, 0);
    if (result.code == 0) CHECK(contains(sandbox.content("out.nnef/graph.nnef"), signature));
  }
}

}  // namespace

TEST_CASE("a state is refused, and what to do is said") {
  check_failure(Sandbox({"Accumulator.pt"}), export_of("Accumulator.pt", {"-i", "x=2,3"}), 4,
                "error[model-state]: forward changes 'h', a part of the model\n"
                "  --> the model (Accumulator), state_models.py:18:9\n"
                "   |  self.h = h\n"
                "   |  ^^^^^^\n"
                "  why:  the next call would run a changed model; an exported file has no "
                "memory\n"
                "  help: --state makes it an input and an output of the file; or pass it in and "
                "return it, or change it in training mode only\n");
}

TEST_CASE("several states are refused at once") {
  check_failure(
      Sandbox({"Writer.pt"}), export_of("Writer.pt", {"-i", "x=2,3"}), 4,
      "error[model-state]: forward changes 5 parts of the model\n"
      "   'rows'          the model (Writer), state_models.py:50:9\n"
      "   'cache.k'       the model (Writer), state_models.py:48:9\n"
      "   'cache.v'       the model (Writer), state_models.py:49:9\n"
      "   'inner.count'   inner (Counter), state_models.py:29:9\n"
      "   'inner.kept'    inner (Counter), state_models.py:31:9\n"
      "  why:  the next call would run a changed model; an exported file has no memory\n"
      "  help: --state makes them inputs and outputs of the file; or pass them in and return "
      "them, or change them in training mode only\n");
}

TEST_CASE("values of the program cannot become inputs") {
  const Sandbox sandbox({"PlainValues.pt", "Growing.pt", "SharedMemory.pt"});
  const std::string buffer =
      "      help: keep it in a tensor: self.register_buffer(name, tensor); if it no longer "
      "changes after the first call, call the model once before saving it\n";
  const std::string plain =
      cat("   'steps'        the model (PlainValues), state_models.py:64:9\n"
          "      why: it is 0 before the call, 1 after: a value of the program, not a tensor\n",
          buffer,
          "   'was_called'   the model (PlainValues), state_models.py:66:13\n"
          "      why: it is False before the call, True after: a value of the program, not a "
          "tensor\n",
          buffer);
  check_failure(
      sandbox, export_of("PlainValues.pt", {"-i", "x=2,3", "--state"}), 4,
      cat("error[model-state]: forward changes 3 parts of the model that cannot become inputs of "
          "the file\n",
          plain,
          "   'first'        the model (PlainValues), state_models.py:70:9\n"
          "      why: it is None before the first call, a tensor of [2,3] after it\n"
          "      help: give it an initial value: --input first=2,3, or call the model once before "
          "saving it\n"));
  check_failure(
      sandbox, export_of("PlainValues.pt", {"-i", "x=2,3", "-i", "first=2,3", "--state"}), 4,
      cat("error[model-state]: forward changes 2 parts of the model that cannot become inputs of "
          "the file\n",
          plain));
  check_failure(
      sandbox, export_of("Growing.pt", {"-i", "x=1,2,3", "--state"}), 4,
      cat("error[model-state]: forward changes 2 parts of the model that cannot become inputs of "
          "the file\n"
          "   'history'   the model (Growing), state_models.py:84:9\n"
          "      why: it holds 1 values before the call, 2 after\n",
          buffer,
          "   'past'      the model (Growing), state_models.py:83:9\n"
          "      why: its shape changes from call to call: [1,1,3] before this one, [1,3,3] after\n"
          "      help: declare the axis along which it grows: --dynamic past:1=P; or give it one "
          "shape for all calls\n"));
  check_failure(sandbox, export_of("SharedMemory.pt", {"-i", "x=2,3", "--state"}), 4,
                "error[model-state]: forward changes 'part', which cannot become an input of the "
                "file\n"
                "  --> the model (SharedMemory), state_models.py:129:9\n"
                "   |  self.part.add_(x)\n"
                "   |  ^^^^^^^^^^^^^^\n"
                "  why:  it shares its memory with 'whole'\n"
                "  help: clone() one of them before the model is saved\n");
}

TEST_CASE("what is written before it is read needs no option") {
  const Sandbox sandbox({"Scratch.pt"});
  const Result result = sandbox.run(export_of("Scratch.pt", {"-i", "x=2,3", "-v"}));
  CHECK_EQ(result.code, 0);
  CHECK(contains(result.err,
                 "note[model-state]: the file does not keep 'history', 'last', which forward "
                 "writes and never reads\n"));
  const Result quiet = sandbox.run(export_of("Scratch.pt", {"-i", "x=2,3", "--state"}));
  CHECK_EQ(quiet.code, 0);
  CHECK(quiet.err.starts_with("1 note hidden; -v shows it\nScratch.pt: "));
  CHECK_FALSE(contains(quiet.err, "state:"));
}

TEST_CASE("a constant of the program is written") {
  const Sandbox sandbox({"WritesConstant.pt"});
  for (const Arguments& more : {Arguments{}, Arguments{"--state"}}) {
    const Result result = sandbox.run(export_of("WritesConstant.pt", more));
    CHECK_EQ(result.code, 4);
    CHECK(result.err.starts_with("error[model-state]: forward changes 'constant', "));
    CHECK(contains(result.err, "\n  --> the model (WritesConstant), state_models.py:"));
  }
}

TEST_CASE("tables made on demand are no state") {
  check_in_engines("MadeOnDemand.pt", {"-i", "x=2,3"}, "graph MadeOnDemand(x) -> (output_0)\n");
  check_in_engines("MadeOnDemand.pt", {"-i", "x=2,3", "--state"},
                   "graph MadeOnDemand(x) -> (output_0)\n");
  const Sandbox sandbox({"KeepsTheFirst.pt"});
  const Result kept = sandbox.run(export_of("KeepsTheFirst.pt", {"-i", "x=2,3", "--state"}));
  CHECK_EQ(kept.code, 4);
  CHECK(
      kept.err.starts_with("error[model-state]: forward changes 2 parts of the model that cannot "
                           "become inputs of the file\n"));
}

TEST_CASE("what two calls leave alone and a third sees is state") {
  const Sandbox sandbox({"WakesUp.pt"});
  const Result result = sandbox.run(export_of("WakesUp.pt", {"-i", "x=2,3"}));
  CHECK_EQ(result.code, 4);
  CHECK(result.err.starts_with("error[model-state]: forward changes 'calls', a part of the model"));
}

TEST_CASE("what is said of states") {
  const Sandbox sandbox({"Accumulator.pt"});
  const Arguments arguments = {"-i", "x=2,3", "--state", "--report", "r.json"};
  const Result result = sandbox.run(export_of("Accumulator.pt", arguments));
  CHECK_EQ(result.code, 0);
  CHECK(contains(result.err, " · x f32[2,3], h f32[2,3] · state: h_next -> h · 3 operations · "));
  const std::string report = sandbox.content("r.json");
  CHECK(contains(report,
                 "      \"role\": \"state\",\n"
                 "      \"path\": \"h\",\n"
                 "      \"from\": \"h_next\"\n"));
  CHECK(contains(report,
                 "      \"role\": \"state\",\n"
                 "      \"path\": \"h\",\n"
                 "      \"feeds\": \"h\"\n"));
  const Result inspect = sandbox.run({"inspect", "Accumulator.pt", "--state", "-i", "x=2,3"});
  CHECK(contains(inspect.out,
                 "outputs:\n"
                 "  output_0 f32[2,3]\n"
                 "  h_next f32[2,3]\n"
                 "state:\n"
                 "  h f32[2,3], fed by h_next\n"));
  CHECK(inspect.out.ends_with("--target tract --check --state -i x=2,3\n"));
  CHECK_EQ(sandbox.run({"ops", "Accumulator.pt", "--state", "-i", "x=2,3"}).code, 0);
}

TEST_CASE("states of every kind in the engines") {
  check_in_engines("Accumulator.pt", {"--state", "-i", "x=2,3"},
                   "graph Accumulator(x, h) -> (output_0, h_next)\n");
  check_in_engines("Writer.pt", {"--state", "-i", "x=2,3"},
                   "(x, rows, cache_k, cache_v, inner_count, inner_kept) -> (output_0, rows_next, "
                   "cache_k_next, cache_v_next, inner_count_next, inner_kept_next)\n");
  check_in_engines("Clash.pt", {"--state", "-i", "h=3"},
                   "graph Clash(h, h_state) -> (h_state_next, h_state_next_out)\n");
  check_in_engines("DelayLine.pt", {"--state", "-i", "x=3"},
                   "graph DelayLine(x, a, b) -> (output_0, a_next, b_next)\n");
  check_in_engines("RunningStatistics.pt", {"--state", "-i", "x=5,3"},
                   "(x, mean, var) -> (output_0, mean_next, var_next)\n");
  check_in_engines("StreamingConv.pt", {"--state", "-i", "x=1,3,8"},
                   "(x, buf, pos) -> (output_0, output_1, buf_next, pos_next)\n");
  check_in_engines("LstmInside.pt", {"--state", "-i", "x=2,7,4"},
                   "(x, hc_0, hc_1) -> (output_0, hc_0_next, hc_1_next)\n");
  check_in_engines("CacheInside.pt", {"--state", "-i", "x=1,2,8", "-i", "position=2,i64:0..6"},
                   "(x, position, k, v) -> (output_0, k_next, v_next)\n");
}

TEST_CASE("states along dynamic axes in the engines") {
  check_in_engines("GrowingCache.pt",
                   {"--state", "-i", "x=1,2,3", "--dynamic", "past:1=P", "--dynamic", "x:1=S"},
                   "graph GrowingCache(x, past) -> (output_0, past_next)\n");
  check_in_engines("GrowingCache.pt",
                   {"--state", "-i", "x=1,2,3", "-i", "past=1,0,3", "--dynamic", "past:1=P",
                    "--dynamic", "x:1=S"},
                   "graph GrowingCache(x, past) -> (output_0, past_next)\n");
  check_in_engines("StreamingConv.pt", {"--state", "-i", "x=1,3,8", "--dynamic", "x:2=T"},
                   "(x, buf, pos) -> (output_0, output_1, buf_next, pos_next)\n");
  check_in_engines("LstmInside.pt",
                   {"--state", "-i", "x=2,7,4", "--dynamic", "x:0=B", "--dynamic", "hc.*:1=B"},
                   "(x, hc_0, hc_1) -> (output_0, hc_0_next, hc_1_next)\n");
}

TEST_CASE("another first value than the model's own") {
  const Sandbox sandbox({"Accumulator.pt"});
  const Result result =
      sandbox.run(export_of("Accumulator.pt", {"--state", "-i", "x=4,2,3", "-i", "h=4,2,3"}));
  CHECK_EQ(result.code, 0);
  CHECK(contains(result.err, " · x f32[4,2,3], h f32[4,2,3] · state: "));
  check_failure(sandbox, export_of("Accumulator.pt", {"-i", "x=2,3", "-i", "h=2,3"}), 2,
                "error[input-unknown]: the model has no input 'h'\n"
                "  why:  its inputs are: x\n");
}

TEST_CASE("state that the model takes and gives itself") {
  check_in_engines("LstmStep.pt", {"-i", "x=2,7,4", "-i", "state.0=2,2,5", "-i", "state.1=2,2,5"},
                   "(x, state_0, state_1) -> (output_0, output_1_0, output_1_1)\n");
  check_in_engines("CacheOfPairs.pt",
                   {"-i", "x=1,2,8", "-i", "past.0.k=1,2,3,4", "-i", "past.0.v=1,2,3,4", "-i",
                    "past.1.k=1,2,3,4", "-i", "past.1.v=1,2,3,4"},
                   "(x, past_0_k, past_0_v, past_1_k, past_1_v) -> (output_0, output_1_0_k, "
                   "output_1_0_v, output_1_1_k, output_1_1_v)\n");
  check_in_engines("CacheAsDictionary.pt",
                   {"-i", "x=1,2,8", "-i", "past.k=1,2,3,4", "-i", "past.v=1,2,3,4"},
                   "(x, past_k, past_v) -> (y, k, v)\n");
}

TEST_CASE("statistics that an operator changes without saying so") {
  const Sandbox sandbox({"TrainingNorm.pt"});
  const Result result = sandbox.run(export_of("TrainingNorm.pt", {"-i", "x=5,3", "--state"}));
  CHECK_EQ(result.code, 4);
  CHECK(contains(result.err, "  why:  it would update the running statistics during inference\n"));
}

TEST_CASE("states are fed back, call after call") {
  const Sandbox sandbox({"Counter.pt"});
  for (const std::string engine : {"tract", "reference"}) {
    CAPTURE(engine);
    const Result result =
        sandbox.run(export_of("Counter.pt", {"-i", "x=2,3", "--state", "--check", "--engine",
                                             engine, "--report", "r.json"}));
    CHECK_EQ(result.code, 0);
    CHECK(contains(result.out, "\nstates: 5 calls, each with the states of the previous call\n"));
    CHECK(contains(sandbox.content("r.json"), "\"states\": {\n      \"calls\": 5,\n"));
  }
}

TEST_CASE("what is right in single calls, and wrong where states have come to, is found") {
  const Sandbox sandbox({"Counter.pt"});
  const auto check = [&](const std::string& most) {
    sandbox.folder().write(
        "m/graph.nnef",
        "version 1.0;\nextension tract_registry tract_core;\n"
        "graph g(x, count, kept) -> (output_0, count_next, kept_next) {\n"
        "x = tract_core_external(shape = [2, 3], datum_type = 'f32');\n"
        "count = tract_core_external(shape = [1], datum_type = 'f32');\n"
        "kept = tract_core_external(shape = [2, 3], datum_type = 'f32');\n"
        "count_next = count + 1.0;\ny = x * unsqueeze(min(count_next, " +
            most + "), axes = [0]);\nkept_next = y + kept;\noutput_0 = copy(kept_next);\n}\n");
    return sandbox.run({"check", "Counter.pt", "m", "-i", "x=2,3", "--state", "--engine", "tract"});
  };
  CHECK_EQ(check("9.5").code, 0);
  const Result result = check("3.5");
  CHECK_EQ(result.code, 5);
  CHECK(result.err.starts_with("error[output-mismatch]: 'output_0'["));
  CHECK(contains(result.err, ", with states fed back, call 4\n"));
}

TEST_CASE("pieces along an open axis, and one call for all of them") {
  const Sandbox sandbox({"ConvInPieces.pt", "RunningLevel.pt"});
  const Arguments inputs = {"-i",      "x=1,3,8", "--dynamic", "x:2=T",
                            "--state", "--check", "--report",  "r.json"};
  const Result conv = sandbox.run(export_of("ConvInPieces.pt", inputs));
  CHECK_EQ(conv.code, 0);
  CHECK(contains(conv.out,
                 "\nstates: 5 calls, each with the states of the previous call; pieces along T "
                 "match a single call\n"));
  CHECK(contains(sandbox.content("r.json"), "\"pieces_as_whole\": [\n        \"T\"\n"));
  const Result level = sandbox.run(export_of("RunningLevel.pt", inputs));
  CHECK_EQ(level.code, 0);
  CHECK(contains(level.out,
                 "\nstates: 5 calls, each with the states of the previous call; pieces along T do "
                 "not match a single call, in torch either\n"));
}

}  // namespace t2n::test
