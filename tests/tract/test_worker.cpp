// SPDX-License-Identifier: Apache-2.0
// The engine worker against real engines: right numbers, refusals, panics, loops, kills.
#include <doctest/doctest.h>
#include <signal.h>

#include <thread>

#include "src/tract/worker.h"
#include "tests/tract/support.h"

namespace t2n::test {
namespace {

using tract::WorkerClient;
using namespace std::chrono_literals;

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// Calls `body` with an engine of each series of kSeries that this machine has.
template <typename Body>
void on_each_engine(const Body& body) {
  for (const int minor : kSeries) {
    const auto found = engine(minor);
    if (!found) continue;
    CAPTURE(minor);
    body(*found);
  }
}

/// A body that panics while loading: there is no axis 7.
constexpr std::string_view kPanic =
    "x = external<scalar>(shape = [2, 3]);\ny = sum_reduce(x, axes = [7]);\n";

TEST_CASE("a linear model gives the right numbers") {
  on_each_engine([](const tract::Engine& engine) {
    const TempFolder folder;
    write_linear(folder);
    WorkerClient worker(engine.library);
    CHECK_EQ(worker.version(), tract::version_str(engine.version));
    const tract::EngineModelInfo info = worker.load(folder.path());
    REQUIRE_EQ(info.inputs.size(), 1);
    REQUIRE_EQ(info.outputs.size(), 1);
    CHECK_EQ(info.inputs[0].name, "x");
    CHECK_EQ(info.inputs[0].fact, engine.version.minor >= 23 ? "2,3,f32" : "2,3,F32");
    const auto outputs = worker.run({iota_2x3()});
    REQUIRE_EQ(outputs.size(), 1);
    CHECK_EQ(outputs[0].dtype, ir::DType::f32);
    CHECK_EQ(outputs[0].shape, ir::Ints{2, 2});
    CHECK_EQ(ir::to_f64(outputs[0]), std::vector<double>{9, 19, 27, 64});
  });
}

TEST_CASE("strided inputs, empty inputs and scalars arrive as they are") {
  on_each_engine([](const tract::Engine& engine) {
    const TempFolder folder;
    folder.write("graph.nnef", graph("x = external<scalar>(shape = [3, 2]);\n"
                                     "s = external<scalar>(shape = []);\ny = mul(x, s);\n",
                                     "x, s"));
    WorkerClient worker(engine.library);
    worker.load(folder.path());
    ir::Tensor transposed = iota_2x3();
    transposed.shape = {3, 2};
    transposed.strides = {1, 3};
    const auto outputs = worker.run({transposed, ir::scalar_tensor(2.0, ir::DType::f32)});
    CHECK_EQ(ir::to_f64(outputs.at(0)), std::vector<double>{0, 6, 2, 8, 4, 10});
  });
}

TEST_CASE("a model without inputs runs") {
  on_each_engine([](const tract::Engine& engine) {
    const TempFolder folder;
    folder.write("graph.nnef",
                 graph("w = variable<scalar>(label = 'w', shape = [2]);\ny = relu(w);\n", ""));
    folder.write("w.dat", dat_file({2}, {-1, 2}));
    WorkerClient worker(engine.library);
    worker.load(folder.path());
    CHECK_EQ(ir::to_f64(worker.run({}).at(0)), std::vector<double>{0, 2});
  });
}

TEST_CASE("dimensions and quantised values come out as plain numbers, or are refused by name") {
  const TempFolder folder;
  folder.write("dims/graph.nnef", graph("x = external<scalar>(shape = [2, 3]);\n"
                                        "y = tract_core_shape_of(x);\n"));
  folder.write("quant/graph.nnef", graph("x = external<scalar>(shape = [2, 3]);\n"
                                         "y = tract_core_cast(x, to = 'u8');\n"));
  folder.write("quant/graph.quant",
               "\"y\": zero_point_linear_quantize(zero_point = 10, scale = 0.5, bits = 8, "
               "signed = false, symmetric = false);\n");
  if (const auto newest = engine(23)) {
    WorkerClient worker(newest->library);
    worker.load(folder.path() + "/dims");
    const auto dims = worker.run({iota_2x3()});
    CHECK_EQ(dims.at(0).dtype, ir::DType::i64);
    CHECK_EQ(ir::to_i64(dims.at(0)), std::vector<int64_t>{2, 3});
    worker.load(folder.path() + "/quant");
    const auto quantised = worker.run({f32({2, 3}, {0, 0.4F, 0.6F, 1, -1, 200})});
    CHECK_EQ(quantised.at(0).dtype, ir::DType::f32);
    CHECK_EQ(ir::to_f64(quantised.at(0)), std::vector<double>{0, 0.5, 0.5, 1, -1, 122.5});
  }
  if (const auto older = engine(21)) {
    WorkerClient worker(older->library);
    worker.load(folder.path() + "/dims");
    CHECK_EQ(error_of([&] { worker.run({iota_2x3()}); }),
             cat("error[engine-failed]: tract ", tract::version_str(older->version),
                 " cannot return 'shape' (2,TDim)\n"
                 "  why:  only plain element types cross its C interface\n"
                 "  help: end the graph with a cast to a plain type\n"));
  }
}

TEST_CASE("an unknown operator is rejected by its name, and the worker lives on") {
  on_each_engine([](const tract::Engine& engine) {
    const TempFolder folder;
    folder.write("bad/graph.nnef", graph("x = external<scalar>(shape = [2]);\ny = wibble(x);\n"));
    folder.write("good/graph.nnef", graph("x = external<scalar>(shape = [2]);\ny = relu(x);\n"));
    const std::string version = tract::version_str(engine.version);
    WorkerClient worker(engine.library);
    CHECK_EQ(error_of([&] { worker.load(folder.path() + "/bad"); }),
             cat("error[engine-rejects]: tract ", version,
                 " refuses the model: No definition for operator 'wibble'\n"
                 "   In ModelBuilder::translate\n"
                 "   Wiring root graph body\n"
                 "   Plugging in assignement for \"y\"\n"
                 "   Resolving invocation 'wibble'\n"
                 "  help: if t2nnef wrote this model for tract@",
                 version, ", please report it as a bug\n"));
    const auto pid = worker.pid();
    worker.load(folder.path() + "/good");
    CHECK_EQ(worker.pid(), pid);
    CHECK_EQ(ir::to_f64(worker.run({f32({2}, {-1, 1})}).at(0)), std::vector<double>{0, 1});
  });
}

TEST_CASE("a refusal to run differs from a refusal to load") {
  on_each_engine([](const tract::Engine& engine) {
    const TempFolder folder;
    write_linear(folder);
    WorkerClient worker(engine.library);
    worker.load(folder.path());
    const std::string wrong_shape = error_of([&] { worker.run({f32({2, 2}, {1, 2, 3, 4})}); });
    CHECK(wrong_shape.starts_with(
        cat("error[engine-failed]: tract ", tract::version_str(engine.version), " failed to run")));
    CHECK(contains(wrong_shape, "check that the inputs fit the model"));
    CHECK_EQ(error_of([&] { worker.run({}); }),
             "error[engine-failed]: the engine expects 1 inputs, got 0\n");
    CHECK_EQ(error_of([&] {
               worker.run({ir::allocate(ir::DType::bf16, {2, 3}).tensor});
             }),
             "error[engine-failed]: tract has no element type 'bf16'\n");
    CHECK_EQ(ir::to_f64(worker.run({iota_2x3()}).at(0)), std::vector<double>{9, 19, 27, 64});
  });
}

TEST_CASE("a panic is quoted, and the next request works") {
  on_each_engine([](const tract::Engine& engine) {
    const TempFolder bad;
    bad.write("graph.nnef", graph(kPanic));
    const TempFolder good;
    write_linear(good);
    WorkerClient worker(engine.library);
    const std::string error = error_of([&] { worker.load(bad.path()); });
    CHECK(error.starts_with(cat("error[engine-crashed]: tract ", tract::version_str(engine.version),
                                " crashed (SIGABRT) while loading the model: index out of bounds: "
                                "the len is 2 but the index is 7\n   at core/src/ops/")));
    CHECK(error.ends_with("help: if t2nnef wrote this model, please report it as a bug\n"));
    CHECK_FALSE(contains(error, "backtrace"));
    CHECK_FALSE(contains(error, "non-unwinding"));
    worker.load(good.path());
    CHECK_EQ(ir::to_f64(worker.run({iota_2x3()}).at(0)), std::vector<double>{9, 19, 27, 64});
  });
}

TEST_CASE("after a crash while running, the model is there again") {
  const auto newest = engine(23);
  if (!newest) return;
  const TempFolder folder;
  folder.write("graph.nnef", graph("x = external<scalar>(shape = [2, 3]);\n"
                                   "i = external<scalar>(shape = [2]);\n"
                                   "j = tract_core_cast(i, to = 'i64');\n"
                                   "y = tract_core_gather(x, j, axis = 0);\n",
                                   "x, i"));
  WorkerClient worker(newest->library);
  worker.load(folder.path());
  const std::string error = error_of([&] { worker.run({iota_2x3(), f32({2}, {0, 9})}); });
  CHECK(contains(error, "crashed (SIGABRT) while running the model: range start index 27"));
  CHECK_FALSE(worker.pid());
  const auto outputs = worker.run({iota_2x3(), f32({2}, {1, 0})});
  CHECK_EQ(ir::to_f64(outputs.at(0)), std::vector<double>{3, 4, 5, 0, 1, 2});
}

TEST_CASE("a load and a run go on in the background, and answers that nobody takes are dropped") {
  on_each_engine([](const tract::Engine& engine) {
    const TempFolder folder, panics;
    write_linear(folder);
    panics.write("graph.nnef", graph(kPanic, "x"));
    WorkerClient worker(engine.library);
    worker.start_load(folder.path());
    CHECK_EQ(worker.load(folder.path()).inputs.size(), 1);
    worker.start_run({iota_2x3()});
    CHECK_EQ(ir::to_f64(worker.finish_run().at(0)), std::vector<double>{9, 19, 27, 64});

    worker.start_run({f32({2, 3}, {0, 0, 0, 0, 0, 0})});
    CHECK_EQ(ir::to_f64(worker.run({iota_2x3()}).at(0)), std::vector<double>{9, 19, 27, 64});
    worker.start_load(panics.path());  // the worker may end over it
    CHECK_EQ(ir::to_f64(worker.run({iota_2x3()}).at(0)), std::vector<double>{9, 19, 27, 64});
    worker.start_load(panics.path());
    CHECK_EQ(worker.load(folder.path()).inputs.size(), 1);
    worker.start_load(panics.path());
    CHECK_THROWS_AS(worker.load(panics.path()), Error);
  });
}

TEST_CASE("an endless loop ends with the time-out") {
  on_each_engine([](const tract::Engine& engine) {
    const TempFolder folder;
    folder.write("graph.nnef", graph("x = external<scalar>(shape = [2, 3]);\n"
                                     "y = transpose(x, axes = [1, 1]);\n"));
    WorkerClient worker(engine.library, {.timeout = 1500ms});
    worker.version();
    const auto pid = worker.pid();
    REQUIRE(pid);
    const auto start = std::chrono::steady_clock::now();
    CHECK_EQ(error_of([&] { worker.load(folder.path()); }),
             cat("error[engine-timeout]: tract ", tract::version_str(engine.version),
                 " did not answer within 1.5 s while loading the model; it was stopped\n"
                 "  why:  some graphs make the engine loop forever, others are slow\n"
                 "  help: raise --timeout if the model is large, otherwise please report the model "
                 "as a bug\n"));
    const auto took = std::chrono::steady_clock::now() - start;
    CHECK_GE(took, 1400ms);
    CHECK_LE(took, 10s);
    CHECK_EQ(kill(*pid, 0), -1);  // it is gone, and reaped
  });
}

TEST_CASE("a worker that somebody kills is reported, then replaced") {
  on_each_engine([](const tract::Engine& engine) {
    const TempFolder folder;
    write_linear(folder);
    WorkerClient worker(engine.library);
    worker.load(folder.path());
    const auto pid = worker.pid();
    REQUIRE(pid);
    REQUIRE_EQ(kill(*pid, SIGKILL), 0);
    CHECK_EQ(error_of([&] { worker.run({iota_2x3()}); }),
             cat("error[engine-crashed]: tract ", tract::version_str(engine.version),
                 " crashed (SIGKILL) while running the model\n"
                 "  why:  another process killed it, often the system when out of memory\n"
                 "  help: try again with more free memory, or use smaller inputs\n"));
    CHECK_EQ(ir::to_f64(worker.run({iota_2x3()}).at(0)), std::vector<double>{9, 19, 27, 64});
    CHECK_NE(worker.pid(), pid);
  });
}

TEST_CASE("the worker ends with its client") {
  const auto newest = engine(23);
  if (!newest) return;
  std::optional<pid_t> pid;
  {
    WorkerClient worker(newest->library);
    worker.version();
    pid = worker.pid();
  }
  REQUIRE(pid);
  CHECK_EQ(kill(*pid, 0), -1);
}

TEST_CASE("large tensors go both ways") {
  const auto newest = engine(23);
  if (!newest) return;
  const TempFolder folder;
  folder.write("graph.nnef", graph("x = external<scalar>(shape = [3000000]);\ny = relu(x);\n"));
  WorkerClient worker(newest->library);
  worker.load(folder.path());
  std::vector<float> values(3000000);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 1000);
  const ir::Tensor input = f32({3000000}, values);
  CHECK(ir::same_values(worker.run({input}).at(0), input));
}

#ifndef __SANITIZE_ADDRESS__  // under which the worker has no memory bound
TEST_CASE("the memory bound is named when it is reached") {
  on_each_engine([](const tract::Engine& engine) {
    const TempFolder folder;
    folder.write("graph.nnef", graph("x = external<scalar>(shape = [2, 3]);\n"
                                     "y = tile(x, repeats = [20000, 20000]);\n"));
    WorkerClient worker(engine.library, {.memory_bytes = int64_t{2} << 30});
    worker.load(folder.path());
    const std::string error = error_of([&] { worker.run({iota_2x3()}); });
    CHECK(contains(error, "crashed (SIGABRT) while running the model: "));
    CHECK(contains(error, "9600000000"));
    CHECK(
        error.ends_with("  why:  the engine may use 2 GiB\n"
                        "  help: give the engine more memory, or use smaller inputs\n"));
  });
}
#endif

TEST_CASE("the profile names the operators that the engine made of the graph") {
  on_each_engine([](const tract::Engine& engine) {
    const TempFolder folder;
    write_linear(folder);
    WorkerClient worker(engine.library);
    worker.load(folder.path());
    CHECK(contains(worker.profile_json(), "\"op_name\":\"OptMatMul"));
  });
}

TEST_CASE("a file that is no library, and a library that is not tract") {
  const TempFolder folder;
  const std::string text = folder.write("tract.so", "not a library");
  WorkerClient broken(text);
  const std::string error = error_of([&] { broken.version(); });
  CHECK(error.starts_with("error[engine-not-found]: cannot load the engine: "));
  CHECK(contains(error, text));
  CHECK_EQ(error_of([&] { broken.version(); }), error);
  WorkerClient other("libc.so.6");
  CHECK_EQ(error_of([&] { other.version(); }),
           "error[engine-not-found]: not a tract library: it lacks 'tract_version'\n");
}

}  // namespace
}  // namespace t2n::test
