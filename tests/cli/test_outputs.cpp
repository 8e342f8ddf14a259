// SPDX-License-Identifier: Apache-2.0
// Every option that names an output, on everything that an output must not replace.
#include <signal.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "nnef_writer/npz.h"
#include "src/nnef/npz.h"
#include "tests/cli/program.h"

namespace t2n::test {
namespace {

namespace fs = std::filesystem;

/// A model, an artefact with a sample, options, and things that nobody may replace.
class Location : public Sandbox {
 public:
  Location() {
    copy_fixture("digits_cnn/model.pt", "digits.pt");
    folder().write("m/graph.nnef", graph("x = external(shape = [2, 3]);\ny = neg(x);\n"));
    nnef::write_npz(std::vector<nnef::NamedTensor>{{"x", iota_2x3()}}, path("in.npz"));
    nnef::write_npz(
        std::vector<nnef::NamedTensor>{
            {"input_0", ir::allocate(ir::DType::f32, {4, 1, 8, 8}).tensor}},
        path("digits.npz"));
    folder().write("options.toml", "compression = 1\n");
    folder().write("victim.npz", "mine");
    fs::create_symlink("victim.npz", path("link.npz"));
    fs::create_symlink("nothing.npz", path("dangling.npz"));
    fs::create_directory(path("folder.npz"));
    for (const std::string name : {"digits.pt", "digits.npz", "options.toml", "in.npz"})
      fs::create_hard_link(path(name), path("hard_" + name + ".npz"));
    fs::create_hard_link(path("m/graph.nnef"), path("hard_graph.npz"));
    REQUIRE_EQ(mkfifo((pipes_.path() + "/pipe.npz").c_str(), 0600), 0);
  }

  std::string pipe() const { return pipes_.path() + "/pipe.npz"; }

  /// The command fails with one of the codes for outputs, and changes nothing.
  void refuses(Arguments arguments, const std::string& option, const std::string& output) const {
    arguments.push_back(option);
    arguments.push_back(output);
    CAPTURE(option);
    CAPTURE(output);
    const auto before = listing();
    const Result result = run(arguments, no_engine());
    CAPTURE(result.err);
    CHECK((result.code == 2 || result.code == 8));
    CHECK(result.err.starts_with("error["));
    CHECK_EQ(result.out, "");
    CHECK(listing() == before);
    CHECK(fs::is_fifo(pipe()));
  }

 private:
  TempFolder pipes_;
};

const Arguments kExport = {"export", "digits.pt",   "-t",       "tract",
                           "-i",     "@digits.npz", "--config", "options.toml"};
const Arguments kRunSaved = {"run", "m", "-i", "in.npz", "--engine", "reference"};

Arguments with(Arguments arguments, const Arguments& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

mode_t mode_of(const std::string& path) {
  struct stat info {};
  REQUIRE_EQ(stat(path.c_str(), &info), 0);
  return info.st_mode & 07777;
}

}  // namespace

TEST_CASE("outputs replace neither devices, pipes, links, folders nor what is read") {
  const Location place;
  const std::vector<std::string> never = {
      place.pipe(),       "link.npz",      "dangling.npz",           "folder.npz",
      "victim.npz/x.npz", "nowhere/x.npz", "digits.npz/../in/x.npz", ""};
  for (const std::string& output : never) {
    place.refuses(with(kExport, {"-o", "fresh.nnef.tgz"}), "--report", output);
    place.refuses(kRunSaved, "-o", output);
    if (output != "folder.npz") place.refuses(kExport, "-o", output);
  }
  for (const std::string read : {"digits.pt", "digits.npz", "options.toml"})
    for (const std::string& name : {read, "./" + read, "hard_" + read + ".npz"}) {
      place.refuses(with(kExport, {"-o", "fresh.nnef.tgz"}), "--report", name);
      place.refuses(kExport, "-o", name);
    }
  for (const std::string name : {"in.npz", "m/../in.npz", "hard_in.npz.npz", "hard_graph.npz",
                                 "m/graph.nnef", "m/new.npz", "m"})
    place.refuses(kRunSaved, "-o", name);
}

TEST_CASE("two outputs of one command do not replace each other") {
  const Location place;
  place.refuses(with(kExport, {"-o", "a.nnef.tgz"}), "--report", "a.nnef.tgz");
  place.refuses(with(kExport, {"-o", "a.nnef.tgz"}), "--report", "./m/../a.nnef.tgz");
  place.refuses(kExport, "--report", "digits.nnef.tgz");  // which is where the artefact goes
  fs::create_directory(place.path("out"));
  place.refuses(with(kExport, {"-o", "out"}), "--report", "out/r.json");
  place.refuses(with(kExport, {"-o", "-"}), "--report", "-");
}

TEST_CASE("standard output takes an artefact, a report or arrays, and nothing beside them") {
  const Location place;
  const Result tar = place.run({"export", "digits.pt", "-t", "tract", "-o", "-"}, no_engine());
  CHECK_EQ(tar.code, 0);
  CHECK_EQ(tar.out.substr(0, 10), "graph.nnef");
  CHECK_EQ(tar.out.substr(257, 5), "ustar");
  CHECK(contains(tar.err, "wrote standard output  "));
  REQUIRE_EQ(
      place.run({"export", "digits.pt", "-t", "tract", "-o", "d.nnef.tar"}, no_engine()).code, 0);
  CHECK((place.content("d.nnef.tar") == tar.out));

  const Result report =
      place.run({"export", "digits.pt", "-t", "tract", "--report", "-"}, no_engine());
  CHECK_EQ(report.code, 0);
  CHECK(report.out.starts_with("{\n"));
  CHECK(report.out.ends_with("}\n"));
  const Result failed = place.run(
      {"export", "digits.pt", "-t", "tract", "--report", "-", "-i", "x=1,3,f32"}, no_engine());
  CHECK_NE(failed.code, 0);
  CHECK(failed.out.starts_with("{\n"));

  const Result arrays = place.run(with(kRunSaved, {"-o", "-"}), no_engine());
  CHECK_EQ(arrays.code, 0);
  const auto read = nnef::read_npz(std::as_bytes(std::span(arrays.out)), "stdout");
  REQUIRE_EQ(read.size(), 1);
  CHECK(ir::same_values(read[0].value, f32({2, 3}, {-0.0F, -1, -2, -3, -4, -5})));
}

TEST_CASE("what is replaced keeps its mode") {
  const Location place;
  for (const std::string name : {"r.json", "a.nnef.tgz", "out.npz"}) {
    place.folder().write(name, "old");
    REQUIRE_EQ(chmod(place.path(name).c_str(), 0640), 0);
  }
  CHECK_EQ(
      place
          .run({"export", "digits.pt", "-t", "tract", "-o", "a.nnef.tgz", "--report", "r.json"},
               no_engine())
          .code,
      0);
  CHECK_EQ(place.run(with(kRunSaved, {"-o", "out.npz"}), no_engine()).code, 0);
  for (const std::string name : {"r.json", "a.nnef.tgz", "out.npz"}) {
    CHECK_NE(place.content(name), "old");
    CHECK_EQ(mode_of(place.path(name)), 0640);
  }
}

TEST_CASE("inputs that are pipes or devices end every command at once") {
  const Location place;
  const std::string pipe = place.pipe();
  const std::vector<Arguments> all = {
      {"inspect", pipe},
      {"inspect", "/dev/zero"},
      {"ops", pipe},
      {"export", pipe, "-t", "tract"},
      {"export", "/dev/zero", "-t", "tract"},
      {"export", "digits.pt", "-t", "tract", "--config", pipe},
      {"export", "digits.pt", "-t", "tract", "--config", "/dev/zero"},
      {"export", "digits.pt", "-t", "tract", "-i", "@" + pipe},
      {"export", "digits.pt", "-t", "tract", "-i", "x=@" + pipe},
      {"check", pipe, "m"},
      {"check", "digits.pt", pipe},
      {"run", pipe},
      {"run", "m", "-i", pipe},
      {"diff", pipe, "m"},
      {"diff", "m", pipe},
      {"diff", "m", "/dev/zero"}};
  const auto before = place.listing();
  for (const Arguments& arguments : all) {
    std::string line;
    for (const std::string& argument : arguments) line += argument + " ";
    CAPTURE(line);
    const auto begin = std::chrono::steady_clock::now();
    const Result result = place.run(arguments, no_engine());
    CAPTURE(result.err);
    CHECK((result.code == 2 || result.code == 3));
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(10));
  }
  CHECK(place.listing() == before);
}

TEST_CASE("a run that was killed leaves nothing that stays") {
  const Location place;
  for (int attempt = 0; attempt < 10; ++attempt) {
    Running program({"export", "digits.pt", "-t", "tract", "-o", "k.nnef.tgz", "--check"},
                    place.folder().path(), {});
    std::this_thread::sleep_for(std::chrono::milliseconds(60 * attempt));
    kill(program.pid(), SIGKILL);
    program.wait();
  }
  CHECK_EQ(place.run({"export", "digits.pt", "-t", "tract", "-o", "k.nnef.tgz"}, no_engine()).code,
           0);
  for (const auto& [name, content] : place.listing()) CHECK_FALSE(contains(name, "partial"));
}

TEST_CASE("unknown words on the command line, and words that are not text") {
  const Location place;
  const auto refused = [&](const Arguments& arguments, int code, const std::string& headline) {
    std::string line;
    for (const std::string& argument : arguments) line += argument + " ";
    CAPTURE(line);
    const Result result = place.run(arguments, no_engine());
    CHECK_EQ(result.code, code);
    CHECK_EQ(result.err.substr(0, result.err.find('\n')), headline);
  };
  refused({"export", "digits.pt", "-t", "tract", "-o", ""}, 2,
          "error[usage]: --output has an empty value");
  refused({"run", "m", "-o", ""}, 2, "error[usage]: --output has an empty value");
  refused({"inspect", ""}, 2, "error[usage]: FILE has an empty value");
  refused({"inspect", "--", "-x.pt"}, 3, "error[model-not-found]: cannot open the model './-x.pt'");
  refused({"inspect", "\xff\xfe.pt"}, 3,
          "error[model-not-found]: cannot open the model '\\xff\\xfe.pt'");
  refused({"inspect", "\x1b[31m.pt"}, 3,
          "error[model-not-found]: cannot open the model '\\x1b[31m.pt'");
  // Paths need no encoding.
  fs::copy_file(place.path("digits.pt"), place.path("d\xff.pt"));
  const Result odd = place.run(
      {"export", "d\xff.pt", "-t", "tract", "-o", "o\xff.nnef.tgz", "--report", "r\xff.json"},
      no_engine());
  CHECK_EQ(odd.err,
           "d\\xff.pt: traced, format 3 · x f32[4,1,8,8] (from trace) · 10 operations · "
           "6.2 k parameters\n");
  CHECK_EQ(odd.code, 0);
  CHECK(fs::exists(place.path("o\xff.nnef.tgz")));
  CHECK(contains(place.content("r\xff.json"), "\"exit_code\": 0"));
}

}  // namespace t2n::test
