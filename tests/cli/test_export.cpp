// SPDX-License-Identifier: Apache-2.0
// Exports that succeed, what they say and write, and destinations that are refused.
#include <clocale>
#include <filesystem>

#include "tests/cli/program.h"

namespace t2n::test {
namespace {

namespace fs = std::filesystem;

size_t lines_of(const std::string& text) {
  return static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
}

Arguments digits_export(const Arguments& more) {
  Arguments out = {"export", "digits.pt", "-t", "tract"};
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

/// The first of these that the system has.
std::string some_locale() {
  for (const char* name : {"tr_TR.UTF-8", "de_DE.UTF-8", "C.UTF-8"}) {
    const bool known = std::setlocale(LC_ALL, name) != nullptr;
    std::setlocale(LC_ALL, "C");
    if (known) return name;
  }
  return "C";
}

}  // namespace

TEST_CASE("an export says what it wrote") {
  Sandbox sandbox;
  sandbox.copy_fixture("digits_cnn/model.pt", "digits.pt");
  const Result result = sandbox.run(digits_export({}));
  CHECK_EQ(result.code, 0);
  CHECK(result.err.starts_with("digits.pt: traced, format 3 · x f32[4,1,8,8] (from trace) · "));
  CHECK(result.err.ends_with(" operations · 6.2 k parameters\n"));
  CHECK_EQ(lines_of(result.err), 1);
  CHECK(result.out.starts_with("wrote digits.nnef.tgz  2"));
  CHECK(result.out.ends_with(" kB · needs tract_core\n"));
  CHECK_EQ(lines_of(result.out), 1);
  CHECK_EQ(sandbox.listing().size(), 2);

  const Result quiet = sandbox.run(digits_export({"-q", "-o", "again.nnef.tgz"}));
  CHECK_EQ(quiet.code, 0);
  CHECK_EQ(quiet.out + quiet.err, "");
  CHECK_EQ(sandbox.content("again.nnef.tgz"), sandbox.content("digits.nnef.tgz"));
}

TEST_CASE("a checked export in every form") {
  if (!engine(23)) return;
  Sandbox sandbox;
  sandbox.copy_fixture("digits_cnn/model.pt", "digits.pt");
  for (const std::string output : {"digits.nnef.tgz", "digits.tar", "folder"}) {
    CAPTURE(output);
    const Result result = sandbox.run(digits_export({"--check", "-o", output}));
    CHECK_EQ(result.code, 0);
    CHECK(result.out.starts_with("check: tract 0.23."));
    CHECK(contains(result.out, " · approximate (atol 0.0001, rtol 0.0005) · 8 input sets\n"));
    CHECK(contains(result.out, "\n  output    shape  max|Δ|"));
    CHECK(contains(result.out, "\n  output_0  4,10   "));
    CHECK(contains(result.out, cat(", bit for bit\nwrote ", output, "  ")));
    CHECK_LE(lines_of(result.out + result.err), 12);
    CHECK(fs::exists(sandbox.path(output)));
  }
  CHECK(fs::is_directory(sandbox.path("folder")));
  CHECK(fs::exists(sandbox.path("folder/graph.nnef")));
  CHECK_EQ(sandbox.run(digits_export({"--check", "-o", "folder"})).code, 0);
}

TEST_CASE("--check does not swallow the model") {
  if (!engine(23)) return;
  Sandbox sandbox;
  sandbox.copy_fixture("digits_cnn/model.pt", "digits.pt");
  const Result result = sandbox.run({"export", "--check", "digits.pt", "--target", "tract"});
  CHECK_EQ(result.code, 0);
  CHECK(contains(result.out, "approximate"));
  const Result level = sandbox.run(digits_export({"--check=very"}));
  CHECK(contains(level.out, "very (atol 0.05, rtol 0.01)"));
  const Result own = sandbox.run(digits_export({"--check", "--tolerance", "0.1,0.2,0.3"}));
  CHECK(contains(own.out, "custom (atol 0.1, rtol 0.2, outliers 0.3)"));
}

TEST_CASE("inputs from a file, by name and by position") {
  if (!engine(23)) return;
  Sandbox sandbox;
  sandbox.copy_fixture("digits_cnn/model.pt", "digits.pt");
  sandbox.copy_fixture("digits_cnn/input.npz", "in.npz");
  for (const std::string spec : {"@in.npz", "x=@in.npz", "input_0=@in.npz", "x=4,1,8,8"}) {
    CAPTURE(spec);
    const Result result = sandbox.run(digits_export({"--check", "-i", spec}));
    CHECK_EQ(result.code, 0);
    CHECK(contains(result.err, " · x f32[4,1,8,8] · "));
  }
}

TEST_CASE("values that differ leave nothing, and keep what was there") {
  if (!engine(23)) return;
  Sandbox sandbox;
  sandbox.copy_fixture("digits_cnn/model.pt", "digits.pt");
  sandbox.copy_fixture("digits_cnn/test.npz", "in.npz");
  sandbox.folder().write("digits.nnef.tgz", "an older export");
  const auto before = sandbox.listing();
  const Result result = sandbox.run(digits_export({"--check=exact", "-i", "x=@in.npz"}));
  CHECK_EQ(result.code, 5);
  CHECK(result.err.starts_with("error[output-mismatch]: 'output_0'["));
  // In the output, or on other processors before it.
  CHECK(
      (contains(result.err, "rounding explains the differences of all 40 elements; the largest") ||
       contains(result.err, " of 368640 elements differ, most in [")));
  CHECK(contains(result.err, " computes other values than the model; nothing was written\n"));
  CHECK(contains(result.err, "  help: `t2nnef reduce` with the same options writes the smallest"));
  CHECK(sandbox.listing() == before);
}

TEST_CASE("the same bytes from elsewhere, in another language and time zone") {
  Sandbox sandbox;
  sandbox.copy_fixture("digits_cnn/model.pt", "digits.pt");
  fs::create_directory(sandbox.path("elsewhere"));
  for (const std::string suffix : {".nnef.tgz", ".nnef.tar"}) {
    CAPTURE(suffix);
    REQUIRE_EQ(sandbox.run(digits_export({"-o", "a" + suffix})).code, 0);
    const Result other = sandbox.run(
        {"export", "../digits.pt", "-t", "tract", "-o", "b" + suffix},
        {{"LC_ALL", some_locale()}, {"TZ", "Asia/Tokyo"}, {"USER", "somebody"}}, "elsewhere");
    REQUIRE_EQ(other.code, 0);
    CHECK(sandbox.content("a" + suffix) == sandbox.content("elsewhere/b" + suffix));
  }
}

TEST_CASE("a report") {
  Sandbox sandbox({"unsupported.pt"});
  sandbox.copy_fixture("digits_cnn/model.pt", "digits.pt");
  CHECK_EQ(sandbox.run(digits_export({"--report", "good.json"})).code, 0);
  const std::string good = sandbox.content("good.json");
  CHECK(
      good.starts_with("{\n  \"format\": \"t2nnef.report/1\",\n  \"command\": \"export\",\n"
                       "  \"status\": \"ok\",\n"));
  CHECK(contains(good, "\"path\": \"digits.nnef.tgz\""));

  CHECK_EQ(sandbox.run({"export", "unsupported.pt", "-t", "tract", "--report", "bad.json"}).code,
           4);
  const std::string bad = sandbox.content("bad.json");
  CHECK(contains(bad, "\"status\": \"failed\",\n  \"exit_code\": 4,"));
  CHECK(contains(bad, "\"id\": \"unsupported-op\""));
  check_failure(sandbox, digits_export({"--report", "nowhere/r.json"}), 8,
                "error[cannot-write]: cannot write 'nowhere/r.json'\n"
                "  why:  No such file or directory\n"
                "  help: choose another path\n");
}

TEST_CASE("graphs between passes") {
  Sandbox sandbox;
  sandbox.copy_fixture("digits_cnn/model.pt", "digits.pt");
  const Result all = sandbox.run(digits_export({"--print-after", "all"}));
  CHECK_EQ(all.code, 0);
  CHECK(all.err.starts_with("# after "));
  CHECK(contains(all.err, "\ngraph DigitsCnn("));
  const Result none =
      sandbox.run(digits_export({"--print-after", "all", "--disable-pass", "dead-code"}));
  CHECK_EQ(none.code, 0);
  CHECK_FALSE(contains(none.err, "# after dead-code"));
}

TEST_CASE("destinations that would destroy something") {
  Sandbox sandbox;
  sandbox.copy_fixture("digits_cnn/model.pt", "digits.pt");
  fs::create_symlink("digits.pt", sandbox.path("link.nnef.tgz"));
  fs::create_hard_link(sandbox.path("digits.pt"), sandbox.path("hard.nnef.tgz"));
  for (const std::string output : {"digits.pt", "./digits.pt", "link.nnef.tgz", "hard.nnef.tgz"})
    check_failure(sandbox, digits_export({"-o", output}), 2,
                  cat("error[output-is-model]: the output '", output,
                      "' is the model itself\n  help: give another path with -o\n"));
  sandbox.folder().write("folder/readme.txt", "mine");
  check_failure(sandbox, {"export", "folder", "-t", "tract", "-o", "folder/out.tgz"}, 3,
                "error[model-format]: 'folder' is a folder, not a model\n"
                "  help: give the .pt file that torch.jit.save wrote\n");
  check_failure(
      sandbox, digits_export({"-o", "folder"}), 8,
      "error[output-exists]: the folder 'folder' holds 'readme.txt', which is not an NNEF file\n"
      "  why:  a folder is replaced only if it contains nothing but a model\n"
      "  help: name another folder, or remove this one yourself\n");
  check_failure(sandbox, digits_export({"-o", "nowhere/out.tgz"}), 8,
                "error[cannot-write]: cannot write 'nowhere/out.tgz'\n"
                "  why:  the folder 'nowhere' does not exist\n"
                "  help: create it: mkdir -p 'nowhere'\n");
}

TEST_CASE("unusual but valid files") {
  const Sandbox sandbox({"deflated.pt", "train_mode.pt"});
  CHECK_EQ(sandbox.run({"export", "deflated.pt", "-t", "tract"}).code, 0);
  CHECK_EQ(sandbox.run({"export", "train_mode.pt", "-t", "tract", "-i", "input=3,4"}).code, 0);
}

}  // namespace t2n::test
