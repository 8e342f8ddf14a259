// SPDX-License-Identifier: Apache-2.0
// Files that are no models, models that cannot be exported: one message, one code, nothing left.
#include "tests/cli/program.h"

namespace t2n::test {
namespace {

constexpr const char* kHowToSave =
    "save a TorchScript file: torch.jit.trace(model.eval(), example_inputs).save('model.pt')\n";

/// Exports a bad file as it is.
void check_file(const std::string& name, int code, const std::string& text) {
  check_failure(Sandbox({name}), {"export", name, "-t", "tract"}, code, text);
}

}  // namespace

TEST_CASE("a missing file") {
  check_failure(Sandbox(), {"export", "nope.pt", "-t", "tract"}, 3,
                "error[model-not-found]: cannot open the model 'nope.pt'\n"
                "  why:  No such file or directory\n");
}

TEST_CASE("files that are not TorchScript") {
  check_file("empty.pt", 3,
             "error[model-format]: 'empty.pt' is empty\n"
             "  why:  it has 0 bytes\n"
             "  help: was it saved or downloaded completely?\n");
  check_file("OfOneLibrary.pt", 3,
             "error[model-format]: the model was prepared for one CPU's library, by "
             "torch.jit.optimize_for_inference or torch.utils.mkldnn.to_mkldnn\n"
             "  why:  it contains operators of that library (aten::to_mkldnn)\n"
             "  help: save it before that step\n");
  check_file("text.pt", 3,
             cat("error[model-format]: 'text.pt' is a text file, not a TorchScript file\n",
                 "  help: ", kHowToSave));
  check_file("lfs_pointer.pt", 3,
             "error[model-format]: 'lfs_pointer.pt' is a Git LFS pointer, not the model itself\n"
             "  why:  only the pointer was checked out\n"
             "  help: run `git lfs pull` and try again\n");
  check_file(
      "state_dict.pt", 3,
      cat("error[model-format]: 'state_dict.pt' is a state_dict: weights without a program\n"
          "  why:  it was written by torch.save(model.state_dict(), …)\n"
          "  help: `t2nnef tensors` writes the weights alone; or load them into the model in "
          "Python, then ",
          kHowToSave));
  check_file("pickled_module.pt", 3,
             cat("error[model-format]: 'pickled_module.pt' is a pickled module, which needs its "
                 "Python source\n"
                 "  why:  it was written by torch.save(model, …)\n"
                 "  help: load it in Python with torch.load, then ",
                 kHowToSave));
  check_file("legacy_pickle.pt", 3,
             cat("error[model-format]: 'legacy_pickle.pt' is a Python pickle of torch.save's old "
                 "format\n"
                 "  why:  it contains Python objects, not a program; t2nnef does not run Python\n"
                 "  help: ",
                 kHowToSave));
  check_file("exported_old.pt2", 3,
             "error[model-corrupt]: the record 'serialized_exported_program.json' of the model "
             "cannot be read\n"
             "  why:  it is not an object\n"
             "  help: was it saved or downloaded completely?\n");
}

TEST_CASE("archives and bytes of other kinds are told apart") {
  const Sandbox sandbox;
  std::string bytes(600, '\1');
  const auto said = [&] {
    sandbox.folder().write("other.pt", bytes);
    return sandbox.run({"export", "other.pt", "-t", "tract"}).err;
  };
  CHECK(said().starts_with("error[model-format]: 'other.pt' is not a TorchScript file\n"));
  bytes.replace(257, 5, "ustar");
  CHECK(said().starts_with(
      "error[model-format]: 'other.pt' is a tar archive, not a TorchScript file\n"));
}

TEST_CASE("damaged and too new files") {
  const Sandbox sandbox({"truncated.pt"});
  const Result result = sandbox.run({"export", "truncated.pt", "-t", "tract"});
  CHECK_EQ(result.code, 3);
  CHECK(result.err.starts_with(
      "error[model-corrupt]: 'truncated.pt' is damaged or not complete\n  why:  "));
  CHECK(
      result.err.ends_with("  help: was it saved or downloaded completely? compare its size with "
                           "the original\n"));
  check_file("version99.pt", 3,
             "error[model-too-new]: 'version99.pt' is of format version 99; this t2nnef reads up "
             "to 10\n"
             "  why:  it was saved by a newer PyTorch\n"
             "  help: use a newer t2nnef, or save with an older PyTorch\n");
}

TEST_CASE("models that write files are stopped before they do") {
  const std::string advice =
      "  why:  operators that reach files, processes or other machines are never executed\n"
      "  help: remove the call from the model and save it again\n";
  check_file("setstate_save.pt", 3,
             "error[denied-operator]: the model calls 'aten::save' while it is loaded "
             "(__setstate__)\n" +
                 advice);
  const Sandbox sandbox({"forward_save.pt"});
  check_failure(sandbox, {"export", "forward_save.pt", "-t", "tract", "-i", "x=2,3"}, 3,
                "error[denied-operator]: the model calls 'aten::save' in forward\n"
                "  --> the model (SavesWhenRun), make_bad_files.py:61:9\n"
                "   |  torch.save(x, \"written_by_forward\")\n"
                "   |  ^^^^^^^^^^\n" +
                    advice);
}

TEST_CASE("parameters packed in a class that this LibTorch does not have") {
  const std::string text =
      "error[denied-operator]: the model holds an object of "
      "'__torch__.torch.classes.quantized.LinearTiledParamsBase_'\n"
      "  why:  it is implemented in C++, and LibTorch has no such class: a library that the model "
      "was saved with, or another PyTorch, defines it\n"
      "  help: replace the layer by one of torch.ao.nn.quantized, or keep it in floats, and save "
      "the model again\n";
  check_file("unknown_class.pt", 3, text);
  const Result result = Sandbox({"unknown_class.pt"}).run({"inspect", "unknown_class.pt"});
  CHECK_EQ(result.code, 3);
  CHECK_EQ(result.err, text);
  CHECK(contains(result.out, "  1x  quantized::linear"));
}

TEST_CASE("inputs that do not fit") {
  Sandbox sandbox({"data_branch.pt"});
  sandbox.copy_fixture("digits_cnn/model.pt", "digits.pt");
  const Arguments digits = {"export", "digits.pt", "-t", "tract", "-i"};
  const auto with = [&](const std::string& spec) {
    Arguments out = digits;
    out.push_back(spec);
    return out;
  };
  check_failure(sandbox, with("y=4,1,8,8"), 2,
                "error[input-unknown]: the model has no input 'y'\n"
                "  why:  its inputs are: x\n");
  check_failure(sandbox, {"export", "data_branch.pt", "-t", "tract", "-i", "y=3"}, 2,
                "error[input-unknown]: the model has no input 'y'\n"
                "  why:  its inputs are: x\n");
  check_failure(sandbox, with("x=int:3"), 3,
                "error[input-shape]: the sample of the input 'x' does not fit its type 'Tensor'\n"
                "  help: give a value of this type: --input x=1,16,f32\n");
  check_failure(sandbox, with("x=@nope.npy"), 3,
                "error[input-unreadable]: cannot read the inputs 'nope.npy'\n"
                "  why:  No such file or directory\n");
  check_failure(sandbox, {"export", "data_branch.pt", "-t", "tract"}, 2,
                "error[input-missing]: the input 'x' (Tensor) has no sample\n"
                "  why:  the file does not contain its shape\n"
                "  help: give its shape, such as --input x=1,16,f32, or its values: "
                "--input x=@file.npy\n");

  const auto before = sandbox.listing();
  const Result shape = sandbox.run(with("x=1,3,8,8"));
  CHECK_EQ(shape.code, 3);
  CHECK(shape.err.starts_with("error[forward-failed]: aten::_convolution failed: Given groups=1"));
  CHECK(shape.err.ends_with(
      "\n  --> features.0.0 (Conv2d), make.py:31\n"
      "  help: do the sample inputs fit the model? `t2nnef inspect` shows its arguments\n"));
  CHECK(sandbox.listing() == before);
}

TEST_CASE("unsupported operators are reported all at once") {
  const std::string callers = "make_bad_files.py:126 < make_bad_files.py:159\n";
  check_file(
      "unsupported.pt", 4,
      cat("error[unsupported-op]: 2 operators (3 uses) have no translation for tract@0.23.9; "
          "nothing was written\n"
          "   2x aten::special_airy_ai   first: the model (UsesUnsupportedOperators), "
          "make_bad_files.py:95 < ",
          callers,
          "   1x aten::igamma            first: gamma (Gamma), make_bad_files.py:86 < "
          "make_bad_files.py:95 < make_bad_files.py:126\n"
          "      why: its number of steps depends on the data\n"
          "      help: compute it outside the model\n"));
}

TEST_CASE("fake quantisation that was never calibrated is refused, unless somebody set its scale") {
  for (const std::string model : {"not_calibrated.pt", "not_calibrated_scripted.pt"}) {
    const Sandbox sandbox({model});
    const Result result = sandbox.run({"export", model, "-t", "tract", "-i", "x=2,3,f32"});
    CHECK(result.code == 4);
    CHECK(contains(result.err, "the fake quantisation 'quantiser' was never calibrated"));
    CHECK(contains(result.err, "its observer never saw data, and its scale is still 1"));
  }
  for (const std::string model : {"scale_by_hand.pt", "calibrated_to_one.pt"})
    CHECK(Sandbox({model}).run({"export", model, "-t", "tract"}).code == 0);
}

TEST_CASE("quantised inputs are refused; norms of quantised tensors take open axes") {
  const Sandbox sandbox({"takes_quantised.pt", "norms_quantised.pt"});
  const Result refused = sandbox.run({"export", "takes_quantised.pt", "-t", "tract"});
  CHECK_EQ(refused.code, 4);
  CHECK(contains(refused.err,
                 "error[unsupported-dtype]: the input 'q' must be a quantised tensor, "
                 "because quantized::add reads it\n"));
  CHECK(contains(refused.err, "call torch.quantize_per_tensor in its forward"));
  const Result open = sandbox.run({"export", "norms_quantised.pt", "-t", "tract", "--dynamic",
                                   "x:0=B", "--dynamic", "x:1=T", "--check"});
  CHECK_EQ(open.code, 0);
  CHECK(contains(open.out, "of 0.03): of "));
}

TEST_CASE("an operator of another library") {
  const Sandbox sandbox({"unknown_op.pt"});
  check_failure(sandbox,
                {"export", "unknown_op.pt", "-t", "tract", "-i", "boxes=5,4", "-i", "scores=5"}, 4,
                "error[unsupported-op]: the operator 'rotated::nms' is not known to this LibTorch\n"
                "  --> the model (UsesUnknownOperator), make_bad_files.py:74:22\n"
                "   |  return boxes[torch.ops.rotated.nms(boxes, scores, 0.5)]\n"
                "   |               ^^^^^^^^^^^^^^^^^^^^^\n"
                "  why:  it belongs to a library that is not part of PyTorch\n"
                "  help: define it with --fragment FILE.nnef, or export the part of the model before it\n");
}

TEST_CASE("a branch on data, refused and then accepted") {
  const Sandbox sandbox({"data_branch.pt"});
  const Arguments arguments = {"export", "data_branch.pt", "-t", "tract", "-i", "x=2,3"};
  check_failure(
      sandbox, arguments, 4,
      "error[data-dependent-branch]: a branch depends on the values of a tensor\n"
      "  --> the model (BranchesOnData), make_bad_files.py:67:9\n"
      "   |  if x.sum() > 0:\n"
      "   |  ^^^^^^^^^^^^^^^\n"
      "  why:  its condition comes from aten::Bool (make_bad_files.py:67); it cannot become a "
      "select: its branches give tensors of shapes [1, 3] and [2, 3]\n"
      "  help: compute both branches and choose with torch.where, or decide outside of the model; "
      "to "
      "keep this run's direction, pass --accept-guard make_bad_files.py:67\n");
  Arguments accepting = arguments;
  accepting.insert(accepting.end(), {"--accept-guard", "make_bad_files.py:67"});
  const Result result = sandbox.run(accepting);
  CHECK_EQ(result.code, 0);
  CHECK(result.err.starts_with(
      "warning[data-dependent-branch]: the branch at "
      "make_bad_files.py:67 is fixed in the direction that this run took\n"));
  CHECK(sandbox.listing().contains("data_branch.nnef.tgz"));
}

}  // namespace t2n::test
