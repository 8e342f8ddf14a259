// SPDX-License-Identifier: Apache-2.0
// All refusals of a model in one report, without those that follow from others.
#include <regex>

#include "tests/cli/program.h"

namespace t2n::test {
namespace {

/// "error[unsupported-op]" for each message, in order.
std::vector<std::string> headlines(const std::string& err) {
  std::vector<std::string> out;
  const std::regex form(R"((^|\n)((error|warning)\[[a-z-]+\]))");
  for (std::sregex_iterator at(err.begin(), err.end(), form), end; at != end; ++at)
    out.push_back((*at)[2]);
  return out;
}

using Headlines = std::vector<std::string>;

/// The export must fail with code 4 and leave nothing.
std::string refusals(const std::string& model, const Arguments& more) {
  const Sandbox sandbox({model});
  const auto before = sandbox.listing();
  Arguments arguments = {"export", model, "-t", "tract"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const Result result = sandbox.run(arguments);
  CAPTURE(result.err);
  CHECK_EQ(result.code, 4);
  CHECK_EQ(result.out, "");
  CHECK(sandbox.listing() == before);
  return result.err;
}

size_t occurrences(const std::string& text, const std::string& part) {
  size_t out = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++out;
  return out;
}

}  // namespace

TEST_CASE("operators, branches and state are refused together") {
  const std::string err = refusals("ManyReasons.pt", {"-i", "x=3"});
  CAPTURE(err);
  // Three conditions; two branches have one of them.
  CHECK_EQ(occurrences(err, "error[data-dependent-branch]"), 4);
  CHECK_EQ(occurrences(err, "error[model-state]: forward changes 'h'"), 1);
  CHECK_EQ(occurrences(err, "error[unsupported-op]: 2 operators (2 uses)"), 1);
  CHECK(contains(err, "1x aten::igamma            first: the model (ManyReasons), "));
  CHECK(contains(err, "1x aten::special_airy_ai   first: the model (ManyReasons), "));
  // The loop runs the third branch four times.
  CHECK_EQ(occurrences(err, "|  if bool(y.max() > 3):"), 1);
}

TEST_CASE("what only follows from a refusal is left out") {
  const std::string err = refusals("Followed.pt", {"-i", "x=3"});
  CHECK_EQ(headlines(err).size(), 1);
}

TEST_CASE("a loop without end is left after some iterations") {
  const std::string err = refusals("NeverEnds.pt", {"-i", "x=3"});
  CAPTURE(err);
  CHECK_EQ(headlines(err), Headlines{"error[unsupported-output]", "error[unsupported-op]",
                                     "error[data-dependent-branch]"});
  CHECK(contains(err, "error[unsupported-output]: the model returns 2 values that are no tensors"));
}

TEST_CASE("operators of a library do not hide others") {
  const std::string err = refusals("CallsLibrary.pt", {"-i", "x=3"});
  CHECK_EQ(headlines(err), Headlines{"error[unsupported-op]", "error[unsupported-op]"});
  CHECK(contains(err, "error[unsupported-op]: 2 operators (2 uses) have no translation"));
  CHECK(contains(err, "error[unsupported-op]: the operator 'lab::swish' is not known to this "));
  CHECK(contains(err, "|  y = torch.ops.lab.swish(x)\n"));
  CHECK(contains(err, "|  return torch.special.airy_ai(torch.ops.lab.swish(y))\n"));
}

TEST_CASE("after a result that cannot be known, the rest of the code is read") {
  const std::string err = refusals("CallsPool.pt", {"-i", "x=2,28"});
  CHECK_EQ(headlines(err), Headlines{"warning[unsupported-op]", "error[unsupported-op]"});
  CHECK(contains(err, "warning[unsupported-op]: the code that did not run calls 1 operator "));
  CHECK(contains(err, "1x aten::igamma   first: refused_models.py:"));
  CHECK_FALSE(contains(err, "aten::reshape"));
}

TEST_CASE("code that cannot be compiled is read") {
  const std::string err = refusals("CallsPairs.pt", {"-i", "x=3"});
  CHECK_EQ(headlines(err), Headlines{"warning[unsupported-op]", "error[unsupported-op]"});
  CHECK(contains(err, "error[unsupported-op]: 2 operators are not known to this LibTorch\n"));
  CHECK(contains(err, "1x lab::count   first: refused_models.py:"));
  CHECK(contains(err, "1x lab::pair    first: refused_models.py:"));
  CHECK(contains(err, "1x aten::igamma   first: refused_models.py:"));
}

TEST_CASE("inspect and ops show what they can of refused models") {
  const Sandbox sandbox({"CallsPairs.pt", "CallsLibrary.pt", "forward_save.pt"});
  Result result = sandbox.run({"inspect", "CallsPairs.pt"});
  CHECK_EQ(result.code, 4);
  CHECK(contains(result.out, "CallsPairs.pt: TorchScript, format version "));
  CHECK(contains(result.out, "  1x  lab::pair     not known to this LibTorch\n"));
  CHECK(contains(result.err, "error[unsupported-op]: 2 operators are not known to this LibTorch"));
  result = sandbox.run({"inspect", "CallsLibrary.pt", "-i", "x=3"});
  CHECK_EQ(result.code, 4);
  CHECK(contains(result.out, "class CallsLibrary\n"));
  CHECK(contains(result.out, "  1x  aten::igamma\n"));
  CHECK(contains(result.err, "'lab::swish' is not known"));
  result = sandbox.run({"ops", "CallsLibrary.pt", "-i", "x=3"});
  CHECK_EQ(result.code, 4);
  CHECK(contains(result.out, "aten::igamma"));
  CHECK(contains(result.err, "'lab::swish' is not known"));
  result = sandbox.run({"inspect", "forward_save.pt"});
  CHECK_EQ(result.code, 3);
  CHECK(contains(result.out, "aten::save"));
  CHECK(contains(result.err, "error[denied-operator]: the model calls 'aten::save' in forward"));
  result = sandbox.run({"ops", "CallsLibrary.pt", "--missing"});
  CHECK_EQ(result.code, 4);
  CHECK(contains(result.out, "lab::swish"));
  CHECK(contains(result.out, "these are the operators in its code"));
}

TEST_CASE("all inputs without samples are listed") {
  const Sandbox sandbox({"TakesMuch.pt"});
  check_failure(
      sandbox, {"export", "TakesMuch.pt", "-t", "tract"}, 2,
      "error[input-missing]: 3 inputs have no samples\n"
      "   'x' (Tensor)\n"
      "   'n' (int)\n"
      "   'pair_0' (Tensor)\n"
      "  why:  the file contains neither their shapes nor their values\n"
      "  help: give shapes and values, such as --input x=1,16,f32 --input n=int:3 --input "
      "pair_0=1,16,f32; `t2nnef inspect` shows the arguments\n");
  check_failure(sandbox, {"export", "TakesMuch.pt", "-t", "tract", "-i", "x=3", "-i", "n=int:2"}, 2,
                "error[input-missing]: the input 'pair_0' (Tensor) has no sample\n"
                "  why:  the file does not contain its shape\n"
                "  help: give its shape, such as --input pair_0=1,16,f32, or its values: --input "
                "pair_0=@file.npy\n");
}

TEST_CASE("a model traced in training mode is told to call eval() first") {
  const std::string err = refusals("Trained.pt", {});
  CHECK(contains(err,
                 "  why:  the model was traced in training mode, where batch norm counts its "
                 "calls\n  help: call model.eval() before tracing, and save the model again"));
}

TEST_CASE("an option that names no loop says so") {
  const Sandbox sandbox({"LoopsOnData.pt"});
  const auto with = [](const std::string& option, const std::string& value) {
    return Arguments{"export", "LoopsOnData.pt", "-t", "tract", "-i", "x=3", option, value};
  };
  const Result result = sandbox.run(with("--max-iterations", "refused_models.py:1=8"));
  CHECK_EQ(result.code, 2);
  const std::regex form(
      "error\\[usage\\]: the model has no loop at refused_models\\.py:1, which --max-iterations "
      "names\n  why:  there are some at refused_models\\.py:\\d+\n(.*\n)*");
  CAPTURE(result.err);
  CHECK(std::regex_match(result.err, form));
  CHECK(contains(sandbox.run(with("--accept-guard", "refused_models.py:2")).err,
                 "the model has no loop or branch at refused_models.py:2, which --accept-guard"));
}

TEST_CASE("every size that no expression gives is named, and nothing that follows") {
  const std::string err = refusals("OpenSizes.pt", {"-i", "x=16,3", "--dynamic", "x:0=N"});
  CAPTURE(err);
  CHECK_EQ(headlines(err), Headlines{"error[dynamic-assumption]"});
  CHECK(contains(err, "|  a = x[: int(n ** 0.5)]\n"));
  CHECK(contains(err, "|  b = x[: int(n * 1.4) - n]\n"));
}

TEST_CASE("refusals of sizes are reported together, whatever their class") {
  const Arguments axes = {"-i",        "x=16,3", "-i",        "z=9,4",
                          "--dynamic", "x:0=N",  "--dynamic", "z:0=M"};
  std::string err = refusals("OpenKinds.pt", axes);
  CAPTURE(err);
  CHECK_EQ(occurrences(err, "error[dynamic-differs]: a branch depends on a size: it takes "), 2);
  CHECK(contains(err, "|  if n % 2 == 0:\n"));
  CHECK(contains(err, "|  if m % 4 == 1:\n"));
  CHECK_EQ(occurrences(err, "error[dynamic-assumption]: the number 4 is computed from sizes"), 1);
  CHECK(contains(err, "|  a = x[: int(n ** 0.5)]\n"));
  CHECK_EQ(headlines(err).size(), 3);
  err = refusals("OpenNeeds.pt", axes);
  CAPTURE(err);
  CHECK_EQ(headlines(err), Headlines{"error[dynamic-assumption]", "error[dynamic-assumption]"});
  CHECK(contains(err, "|  if int(z.size(0) ** 0.7) > 3:\n"));
  CHECK(contains(err, "the model requires N to be a multiple of 4\n"));
}

TEST_CASE("refusals of sizes are found after numbers read from data") {
  const std::string err = refusals("OpenAfterNumber.pt", {"-i", "x=16,3", "--dynamic", "x:0=N"});
  CAPTURE(err);
  CHECK_EQ(headlines(err), Headlines{"error[dynamic-differs]", "error[dynamic-assumption]",
                                     "error[data-dependent-value]"});
  CHECK(contains(err, "|  x = nn.functional.layer_norm(x, [3], eps=float(x.abs().max()))\n"));
  CHECK(contains(err, "|  a = x[: int(x.size(0) ** 0.5)]\n"));
  CHECK(contains(err, "|  if x.size(0) % 3 == 1:\n"));
}

TEST_CASE("refusals of sizes are found after branches on data and unknown sizes") {
  std::string err = refusals("OpenAfterData.pt", {"-i", "x=16,3", "--dynamic", "x:0=N"});
  CAPTURE(err);
  CHECK_EQ(headlines(err), Headlines{"error[dynamic-differs]", "error[dynamic-assumption]",
                                     "error[data-dependent-branch]"});
  CHECK(contains(err, "|  if float(x.sum()) > 0.5:\n"));
  CHECK(contains(err, "|  a = x[: int(x.size(0) ** 0.5)]\n"));
  CHECK(contains(err, "|  if x.size(0) % 3 == 1:\n"));
  err = refusals("OpenAfterOperator.pt", {"-i", "x=16,3", "--dynamic", "x:0=N"});
  CAPTURE(err);
  CHECK_EQ(headlines(err), Headlines{"error[dynamic-assumption]", "error[unsupported-op]"});
  CHECK(contains(err, "the model requires N to be a multiple of 4\n"));
  CHECK(contains(err, "error[unsupported-op]: aten::linalg_eigvalsh has no translation for "));
}

TEST_CASE("check and opt list the operators of code that cannot be compiled") {
  const Sandbox sandbox({"CallsPairs.pt"});
  sandbox.folder().write("m/graph.nnef",
                         "version 1.0;\ngraph net(x) -> (y) {\nx = external(shape = [3]);\n"
                         "y = relu(x);\n}\n");
  for (const Arguments& arguments : {Arguments{"check", "CallsPairs.pt", "m"},
                                     Arguments{"opt", "CallsPairs.pt", "-o", "x.ir"}}) {
    CAPTURE(arguments[0]);
    const Result result = sandbox.run(arguments);
    CHECK_EQ(result.code, 4);
    CHECK_EQ(headlines(result.err), Headlines{"warning[unsupported-op]", "error[unsupported-op]"});
    CHECK(contains(result.err, "1x aten::igamma   first: refused_models.py:"));
  }
}

TEST_CASE("check, opt and lint report all refusals, as export does") {
  const Sandbox sandbox({"ManyReasons.pt"});
  sandbox.folder().write("m/graph.nnef",
                         "version 1.0;\ngraph net(x) -> (y) {\nx = external(shape = [3]);\n"
                         "y = relu(x);\n}\n");
  const auto refused = [&](Arguments arguments, size_t of_translation) {
    arguments.insert(arguments.end(), {"-i", "x=3"});
    const Result result = sandbox.run(arguments);
    CAPTURE(result.err);
    CHECK_EQ(result.code, 4);
    CHECK_EQ(occurrences(result.err, "error[data-dependent-branch]"), 4);
    CHECK_EQ(occurrences(result.err, "error[model-state]: forward changes 'h'"), 1);
    CHECK_EQ(occurrences(result.err, "error[unsupported-op]"), of_translation);
    CHECK_EQ(headlines(result.err).size(), 5 + of_translation);
  };
  refused({"check", "ManyReasons.pt", "m"}, 0);
  refused({"lint", "ManyReasons.pt"}, 0);
  refused({"opt", "ManyReasons.pt", "-o", "x.ir"}, 0);
  refused({"opt", "ManyReasons.pt", "-o", "x.nnef"}, 1);
}

TEST_CASE("functions of torch's own files show the user's line") {
  const std::string err = refusals("Transforms.pt", {"-i", "x=64"});
  CAPTURE(err);
  CHECK_FALSE(contains(err, "functional.py"));
  CHECK(contains(err, "refused_models.py:"));
}

TEST_CASE("states that are inputs do not start anew") {
  const Sandbox sandbox({"CarriesState.pt", "ForgetsState.pt"});
  Result result = sandbox.run(export_of("CarriesState.pt", {"-i", "x=1,5,4", "-i", "h=1,1,5", "-i",
                                                            "c=1,1,5", "--dynamic", "x:1=S"}));
  CHECK_EQ(result.code, 0);
  CHECK_FALSE(contains(result.err, "resets-each-run"));
  result = sandbox.run({"export", "ForgetsState.pt", "-t", "tract", "-o", "forgets.nnef", "-i",
                        "x=1,5,4", "--dynamic", "x:1=S"});
  CHECK_EQ(result.code, 0);
  CHECK(contains(result.err, "warning[resets-each-run]"));
  CHECK(contains(result.err, "export with --stream S, or pass the states in and return them"));
  // Following the help works.
  CHECK_EQ(sandbox
               .run({"export", "ForgetsState.pt", "-t", "tract", "-o", "stream.nnef", "-i",
                     "x=1,5,4", "--dynamic", "x:1=S", "--stream", "S"})
               .code,
           0);
}

TEST_CASE("reports hold the locations as data") {
  const Sandbox sandbox({"ManyReasons.pt"});
  const Result result = sandbox.run({"export", "ManyReasons.pt", "-t", "tract", "-i", "x=3",
                                     "--report", "report.json", "--report", "report.md"});
  CHECK_EQ(result.code, 4);
  CHECK(contains(sandbox.content("report.md"), "- at the model (ManyReasons), refused"));
  const std::string report = sandbox.content("report.json");
  CAPTURE(report);
  CHECK(contains(report, "\"exit_code\": 4"));
  CHECK_FALSE(contains(report, "\"where\": []"));
  CHECK_EQ(occurrences(report, "\"uses\": ["), 1);
  CHECK_EQ(occurrences(report, "\"what\": \"aten::"), 2);
  CHECK_EQ(occurrences(report, "\"severity\": \"error\""), headlines(result.err).size());
}

TEST_CASE("every fault of a damaged artefact is found") {
  const Sandbox sandbox;
  const auto write = [&](const std::string& body) {
    sandbox.folder().write("model/graph.nnef",
                           cat("version 1.0;\nextension tract_registry tract_core;\n"
                               "graph net(x) -> (y) {\n"
                               "x = tract_core_external(shape = [2, 4], datum_type = 'f32');\n",
                               body, "}\n"));
  };
  write(
      "a = squeez(x, axes = [0]);\nb = concat([x, a], axis = 0);\n"
      "c = matmul(x, x);\nd = relu(c);\ny = reshape(x, shape = [3, 3]);\n");
  Result result = sandbox.run({"inspect", "model", "--lint"});
  CHECK_EQ(result.code, 4);
  CHECK_EQ(headlines(result.err).size(), 3);
  CHECK(contains(result.err, "'squeez'"));
  CHECK(contains(result.err, "'c': 'matmul'"));
  CHECK(contains(result.err, "'y': 'reshape'"));
  if (!engine_targets().empty()) {
    result = sandbox.run({"run", "model", "-i", "x=2,4"});
    CHECK_EQ(result.code, 6);
    CHECK_EQ(headlines(result.err).size(), 4);
  }
  write("a = relu(x;\nb = relu(x);\nc = [1, = 3;\ny = relu(b);\n");
  result = sandbox.run({"inspect", "model"});
  CHECK_EQ(result.code, 3);
  CHECK_EQ(headlines(result.err), Headlines{"error[nnef-syntax]", "error[nnef-syntax]"});
  write(
      "a = variable(label = 'a', shape = [4]);\nb = variable(label = 'b', shape = [4]);\n"
      "c = variable(label = 'a', shape = [4]);\ny = add(a, b);\n");
  result = sandbox.run({"inspect", "model"});
  CHECK_EQ(result.code, 3);
  CHECK_EQ(headlines(result.err), Headlines{"error[nnef-invalid]", "error[nnef-invalid]"});
}

}  // namespace t2n::test
