// SPDX-License-Identifier: Apache-2.0
// tensors: what is read of state dictionaries, checkpoints and models, what is written, and what is
// refused without running anything.
#include <filesystem>

#include "nnef_writer/npz.h"
#include "src/nnef/dat.h"
#include "src/nnef/npz.h"
#include "tests/cli/program.h"

namespace t2n::test {
namespace {

namespace fs = std::filesystem;

std::map<std::string, ir::Tensor> arrays(const Sandbox& sandbox, const std::string& file) {
  std::map<std::string, ir::Tensor> out;
  for (nnef::NamedTensor& array : nnef::read_npz(fs::path(sandbox.path(file))))
    out.emplace(array.name, std::move(array.value));
  return out;
}

ir::Tensor dat(const Sandbox& sandbox, const std::string& file) {
  const std::string bytes = sandbox.content(file);
  return nnef::read_dat(std::as_bytes(std::span(bytes)), file);
}

}  // namespace

TEST_CASE("a checkpoint's tensors are listed by name") {
  const Sandbox sandbox({"saved_checkpoint.pt"});
  const Result result = sandbox.run({"tensors", "saved_checkpoint.pt"});
  CHECK_EQ(result.err, "");
  CHECK_EQ(result.code, 0);
  CHECK_EQ(result.out,
           "  model.weight               f32[2,3]\n"
           "  model.turned               f32[3,2]\n"
           "  model.tied                 f32[2,3]  the same as model.weight\n"
           "  model.row                  f32[3]\n"
           "  model.half                 bf16[2]\n"
           "  model.count                i64[]\n"
           "  model.mask                 bool[2]\n"
           "  model.empty                f32[0,3]\n"
           "  model.grown                f64[3,2]\n"
           "  optimizer.state.0.exp_avg  f32[2]\n"
           "10 tensors, 28 values, 1 shared\n");
}

TEST_CASE("tensors become arrays with the values of the file") {
  const Sandbox sandbox({"saved_checkpoint.pt"});
  const Result result = sandbox.run({"tensors", "saved_checkpoint.pt", "-o", "w.npz"});
  CHECK_EQ(result.err, "");
  CHECK(contains(result.out, "model.half                 bf16[2]   written as f32\n"));
  const auto written = arrays(sandbox, "w.npz");
  CHECK_EQ(written.size(), 9);
  CHECK_FALSE(written.contains("model.tied"));
  CHECK(ir::same_values(written.at("model.weight"), f32({2, 3}, {0, 1, 2, 3, 4, 5})));
  CHECK(ir::same_values(written.at("model.turned"), f32({3, 2}, {0, 3, 1, 4, 2, 5})));
  CHECK(ir::same_values(written.at("model.row"), f32({3}, {3, 4, 5})));
  CHECK(ir::same_values(written.at("model.half"), f32({2}, {0.5, 1.5})));
  CHECK_EQ(written.at("model.count").dtype, ir::DType::i64);
  CHECK_EQ(ir::to_i64(written.at("model.count")), std::vector<int64_t>{7});
  CHECK_EQ(ir::to_i64(written.at("model.mask")), std::vector<int64_t>{1, 0});
  CHECK_EQ(written.at("model.empty").shape, ir::Ints{0, 3});
  CHECK_EQ(ir::to_f64(written.at("model.grown")), std::vector<double>(6, 2.0));
  CHECK_EQ(sandbox.run({"tensors", "saved_checkpoint.pt", "-o", "b.npz"}).code, 0);
  CHECK(sandbox.content("w.npz") == sandbox.content("b.npz"));
  const Result all = sandbox.run({"tensors", "saved_checkpoint.pt", "--all-names", "-o", "w.npz"});
  CHECK_EQ(all.code, 0);
  CHECK(
      ir::same_values(arrays(sandbox, "w.npz").at("model.tied"), f32({2, 3}, {0, 1, 2, 3, 4, 5})));
}

TEST_CASE("tensors become NNEF tensor files") {
  const Sandbox sandbox({"saved_checkpoint.pt", "saved_names.pt"});
  CHECK_EQ(sandbox.run({"tensors", "saved_checkpoint.pt", "-o", "w"}).code, 0);
  CHECK(ir::same_values(dat(sandbox, "w/model.turned.dat"), f32({3, 2}, {0, 3, 1, 4, 2, 5})));
  CHECK_FALSE(fs::exists(sandbox.path("w/graph.nnef")));
  CHECK_EQ(sandbox.run({"tensors", "saved_checkpoint.pt", "-o", "w.tgz"}).code, 0);
  CHECK_EQ(sandbox.run({"tensors", "saved_checkpoint.pt", "-o", "again.tgz"}).code, 0);
  CHECK(sandbox.content("w.tgz") == sandbox.content("again.tgz"));
  // Names that are no files, or the same file on some systems.
  const Result names = sandbox.run({"tensors", "saved_names.pt", "-o", "n"});
  CHECK_EQ(names.code, 0);
  CHECK(ir::same_values(dat(sandbox, "n/A.dat"), f32({1}, {0})));
  CHECK(ir::same_values(dat(sandbox, "n/a_1.dat"), f32({1}, {1})));
  CHECK_FALSE(fs::exists(sandbox.folder().path() + "/x y.dat"));
  CHECK(contains(names.out, "  a       f32[1]  as a_1\n"));
}

TEST_CASE("a selection by globs") {
  const Sandbox sandbox({"saved_checkpoint.pt"});
  const Result result = sandbox.run({"tensors", "saved_checkpoint.pt", "--select", "model.t*",
                                     "--select", "optimizer.*", "-o", "w.npz"});
  CHECK_EQ(result.err, "");
  // The first name of the shared tensor is not selected.
  CHECK_FALSE(contains(result.out, "the same as"));
  const auto written = arrays(sandbox, "w.npz");
  CHECK_EQ(written.size(), 3);
  CHECK(written.contains("model.tied"));
  check_failure(sandbox,
                {"tensors", "saved_checkpoint.pt", "--select", "model.wieght", "-o", "v.npz"}, 2,
                "error[usage]: no tensor is called 'model.wieght'\n"
                "  why:  the file has 10 tensors\n"
                "  help: did you mean 'model.weight'?\n");
}

TEST_CASE("a TorchScript model's parameters and buffers") {
  const Sandbox sandbox({"Counter.pt"});
  CHECK_EQ(sandbox.run({"tensors", "Counter.pt", "-o", "w.npz"}).code, 0);
  const auto written = arrays(sandbox, "w.npz");
  CHECK(ir::same_values(written.at("count"), f32({1}, {0})));
  CHECK(ir::same_values(written.at("kept"), f32({2, 3}, {1, 1, 1, 1, 1, 1})));
}

TEST_CASE("dtypes that the output cannot hold") {
  const Sandbox sandbox(
      {"saved_complex.pt", "saved_float8.pt", "saved_quantised.pt", "saved_negated.pt"});
  CHECK_EQ(sandbox.run({"tensors", "saved_complex.pt", "-o", "w.npz"}).code, 0);
  const Result complex = sandbox.run({"tensors", "saved_complex.pt", "-o", "w"});
  CHECK_EQ(complex.code, 4);
  CHECK(contains(complex.err, "error[unsupported-dtype]"));
  CHECK_FALSE(fs::exists(sandbox.path("w")));
  const std::string help =
      "  why:  NNEF and .npz files hold plain numbers\n"
      "  help: convert it in Python, or select other tensors with --select\n";
  check_failure(sandbox, {"tensors", "saved_float8.pt", "-o", "v.npz"}, 4,
                cat("error[unsupported-dtype]: the tensor 'e' is float8_e4m3fn; nothing was "
                    "written\n",
                    help));
  check_failure(
      sandbox, {"tensors", "saved_quantised.pt", "-o", "v.npz"}, 4,
      cat("error[unsupported-dtype]: the tensor 'q' is quantised; nothing was written\n", help));
  CHECK_EQ(sandbox.run({"tensors", "saved_quantised.pt", "--select", "w", "-o", "v.npz"}).code, 0);
  const Result negated = sandbox.run({"tensors", "saved_negated.pt", "-o", "n.npz"});
  CHECK_EQ(negated.code, 4);
  CHECK(contains(negated.err, "the tensor 'n' is negated or conjugated; nothing was written\n"));
  CHECK(contains(sandbox.run({"tensors", "saved_quantised.pt"}).out, "q  quantised[2,3]\n"));
}

TEST_CASE("nothing in a file is run") {
  const Sandbox sandbox({"saved_harmful.pt", "saved_namespace.pt", "pickled_module.pt",
                         "legacy_pickle.pt", "saved_protocol4.pt"});
  check_failure(
      sandbox, {"tensors", "saved_harmful.pt", "-o", "w.npz"}, 3,
      "error[model-format]: 'saved_harmful.pt' holds more than tensors: it needs the Python code "
      "of "
      "'posix.system'\n"
      "  why:  such a file runs code when Python loads it; t2nnef runs none\n"
      "  help: load it in Python if you trust it, and save torch.save(model.state_dict(), …)\n");
  CHECK_FALSE(fs::exists(sandbox.path("marker_harmful")));
  for (const std::string file :
       {"saved_namespace.pt", "pickled_module.pt", "legacy_pickle.pt", "saved_protocol4.pt"}) {
    CAPTURE(file);
    const Result result = sandbox.run({"tensors", file, "-o", "w.npz"});
    CHECK_EQ(result.code, 3);
    CHECK(result.err.starts_with("error[model-format]: "));
    CHECK_FALSE(fs::exists(sandbox.path("w.npz")));
  }
}

TEST_CASE("damaged and misleading files") {
  const Sandbox sandbox({"saved_cut.pt", "saved_twice.pt", "saved_expanded.pt",
                         "saved_no_tensors.pt", "text.pt", "state_dict.pt"});
  check_failure(sandbox, {"tensors", "saved_cut.pt"}, 3,
                "error[model-corrupt]: the tensors of the model cannot be read\n"
                "  why:  the tensor 'w' reaches beyond its storage\n"
                "  help: was it saved or downloaded completely?\n");
  CHECK_EQ(sandbox.run({"tensors", "saved_expanded.pt", "-o", "w.npz"}).code, 3);
  CHECK_EQ(sandbox.run({"tensors", "saved_twice.pt", "-o", "w.npz"}).code, 4);
  CHECK_EQ(sandbox.run({"tensors", "saved_no_tensors.pt", "-o", "w.npz"}).code, 2);
  CHECK_EQ(sandbox.run({"tensors", "text.pt", "-o", "w.npz"}).code, 3);
  CHECK_EQ(sandbox.run({"tensors", "missing.pt"}).code, 3);
  CHECK_FALSE(fs::exists(sandbox.path("w.npz")));
  // Never over the model.
  const std::string before = sandbox.content("state_dict.pt");
  CHECK_NE(sandbox.run({"tensors", "state_dict.pt", "-o", "state_dict.pt"}).code, 0);
  CHECK(sandbox.content("state_dict.pt") == before);
}

}  // namespace t2n::test
