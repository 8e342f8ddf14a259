// Options in a file, beside those of the command line: who wins, and what is said.
#include "src/diag/error.h"
#include "tests/cli/program.h"

namespace t2n::test {
namespace {

/// A model of variable length that keeps its sample.
struct AttentionSandbox : Sandbox {
  AttentionSandbox() { copy_fixture("variable_length/attention.pt", "model.pt"); }
};

void write_config(const Sandbox& sandbox, const std::string& name, const std::string& text) {
  sandbox.folder().write(name, text);
}

TEST_CASE("options in a JSON or TOML file") {
  const AttentionSandbox sandbox;
  write_config(
      sandbox, "a.json",
      R"({"target": "tract", "dynamic": {"ids": {"0": "B", "1": "S"}}, "assert": ["S < 64"],
            "check": true, "output": "no"})");
  write_config(sandbox, "b.toml",
               "target = \"tract\"\ndynamic = [\"ids:0=B\", \"ids:1=S\"]\nassert = \"S < 64\"\n"
               "check = true\n");
  for (const char* file : {"a.json", "b.toml"}) {
    CAPTURE(file);
    const Result result = sandbox.run(
        {"export", "model.pt", "--config", file, "-q", "--output", file + std::string(".tar")});
    CHECK_EQ(result.code, 0);
    CHECK_EQ(result.err, "");
  }
  CHECK_EQ(sandbox.content("a.json.tar"), sandbox.content("b.toml.tar"));
}

TEST_CASE("the command line takes precedence over a file, in any spelling, with a note") {
  const AttentionSandbox sandbox;
  write_config(
      sandbox, "a.json",
      R"({"target": "khronos", "output": "a.tar", "compression": 3, "input": ["ids=2,7,i64:0..9"],
            "verbose": true, "check": true})");
  write_config(sandbox, "b.toml",
               "target = \"khronos\"\noutput = \"a.tar\"\ncompression = 3\n"
               "input = [\"ids=2,7,i64:0..9\"]\nverbose = true\ncheck = true\n");
  const std::vector<Arguments> spellings = {
      {"-t", "tract", "-o", "b.tar", "-z", "5", "-i", "ids=2,5,i64:0..9", "-q"},
      {"-ttract", "-ob.tar", "-z5", "-iids=2,5,i64:0..9", "-q"},
      {"--target", "tract", "--output", "b.tar", "--compression", "5", "--input",
       "ids=2,5,i64:0..9", "--quiet"},
      {"--target=tract", "--output=b.tar", "--compression=5", "--input=ids=2,5,i64:0..9",
       "--quiet"}};
  for (const std::string file : {"a.json", "b.toml"})
    for (const Arguments& spelling : spellings) {
      CAPTURE(file);
      CAPTURE(spelling[0]);
      Arguments words = {"export", "model.pt", "--config=" + file};
      words.insert(words.end(), spelling.begin(), spelling.end());
      const Result quiet = sandbox.run(words);
      CHECK_EQ(quiet.code, 0);
      CHECK_EQ(quiet.err, "");
      words.back() = "--check=super";  // not quiet, but with another level
      const Result loud = sandbox.run(words);
      CHECK_EQ(loud.code, 0);
      const std::string as_in = cat(" as in '", file, "'\n");
      CHECK(loud.err.starts_with(cat(
          "note[option-overridden]: the command line overrides options of a file\n"
          "   --target is 'tract', not 'khronos'",
          as_in, "   --output is 'b.tar', not 'a.tar'", as_in, "   --compression is '5', not '3'",
          as_in, "   --input is 'ids=2,5,i64:0..9', not 'ids=2,7,i64:0..9'", as_in,
          "   --check is 'super', not 'true'", as_in,
          "  why:  the command line takes precedence\n")));
      CHECK(contains(sandbox.content("b.tar"), "[2, 5]"));
    }
}

TEST_CASE("repeated options add up unless they have the same subject") {
  const AttentionSandbox sandbox;
  write_config(sandbox, "a.toml",
               "target = \"tract\"\ndynamic = [\"ids:0=B\", \"ids:1=S\"]\nquiet = true\n");
  const Result adds =
      sandbox.run({"export", "model.pt", "--config", "a.toml", "--assert", "S<64", "-o", "a.tar"});
  CHECK_EQ(adds.code, 0);
  CHECK_EQ(adds.err, "");
  const Result wins = sandbox.run(
      {"export", "model.pt", "--config", "a.toml", "--dynamic", "ids:0=N", "-v", "-o", "b.tar"});
  CHECK_EQ(wins.code, 0);
  CHECK(
      wins.err.starts_with("note[option-overridden]: the command line overrides options of a file\n"
                           "   --dynamic is 'ids:0=N', not 'ids:0=B' as in 'a.toml'\n"
                           "   --verbose replaces --quiet as in 'a.toml'\n"
                           "  why:  the command line takes precedence\n"));
  CHECK(contains(sandbox.content("b.tar"), "tract_symbol N"));
  CHECK_FALSE(contains(sandbox.content("b.tar"), "tract_symbol B"));
}

TEST_CASE("a file applies to every command that accepts it, and to no other") {
  const AttentionSandbox sandbox;
  write_config(sandbox, "a.toml", "target = \"khronos\"\n");
  const Result ops = sandbox.run({"ops", "--config", "a.toml", "-ttract@0.21.19"});
  CHECK_EQ(ops.code, 0);
  CHECK_EQ(ops.err,
           "note[option-overridden]: --target is 'tract@0.21.19', not 'khronos' as in 'a.toml'\n"
           "  why:  the command line takes precedence\n");
  CHECK(ops.out.ends_with(" operators for tract@0.21.19\n"));
  CHECK(sandbox.run({"ops", "--config", "a.toml"}).out.ends_with(" operators for khronos@1.0.5\n"));
  check_failure(sandbox, {"inspect", "model.pt", "--config", "a.toml"}, 2,
                "error[usage]: t2nnef inspect has no option '--target', set in 'a.toml'\n"
                "  help: `t2nnef inspect --help` lists them\n");
  check_failure(sandbox, {"diff", "a", "b", "--config", "a.toml"}, 2,
                "error[usage]: t2nnef diff has no option '--config'\n"
                "  help: `t2nnef diff --help` lists them\n");
}

TEST_CASE("several files add up, and may repeat settings") {
  const AttentionSandbox sandbox;
  write_config(sandbox, "a.json",
               R"({"target": "tract", "quiet": true, "dynamic": {"ids": {"0": "B"}}})");
  write_config(sandbox, "b.toml", "target = \"tract\"\ndynamic = [\"ids:0=B\", \"ids:1=S\"]\n");
  const Result result =
      sandbox.run({"export", "model.pt", "--config", "a.json", "--config=b.toml", "-o", "out.tar"});
  CHECK_EQ(result.err, "");
  CHECK(contains(sandbox.content("out.tar"), "[B, S]"));
}

TEST_CASE("files that contradict themselves or each other are refused") {
  const AttentionSandbox sandbox;
  write_config(sandbox, "twice.json", R"({"target": "tract", "target": "khronos"})");
  write_config(sandbox, "list.json", R"({"target": ["tract", "khronos"]})");
  write_config(sandbox, "axis.json", R"({"dynamic": ["ids:0=B", "ids:0=S"]})");
  write_config(sandbox, "a.json", R"({"target": "tract", "check": true})");
  write_config(sandbox, "b.toml", "target = \"khronos\"\ncheck = true\n");
  const auto fails = [&](Arguments words, const std::string& text) {
    words.insert(words.begin(), {"export", "model.pt"});
    check_failure(sandbox, words, 2, text);
  };
  fails({"--config", "twice.json"},
        "error[usage]: cannot read the options in 'twice.json'\n"
        "  why:  'target' is given twice\n"
        "  help: see `t2nnef export --help` for the names of options\n");
  fails({"--config", "list.json"},
        "error[usage]: 'list.json' gives --target as 'tract' and as 'khronos'\n"
        "  help: give it once\n");
  fails({"--config", "axis.json"},
        "error[usage]: 'axis.json' gives --dynamic as 'ids:0=B' and as 'ids:0=S'\n"
        "  help: give it once\n");
  fails({"--config", "a.json", "--config", "b.toml"},
        "error[usage]: 'a.json' and 'b.toml' give --target as 'tract' and as 'khronos'\n"
        "  help: give it once\n");
  fails({"-t", "tract", "-q", "-v"},
        "error[usage]: --quiet excludes --verbose\n"
        "  help: `t2nnef COMMAND --help` shows what each option takes\n");
}

TEST_CASE("files of options that cannot be read") {
  const AttentionSandbox sandbox;
  write_config(sandbox, "bad.json", R"({"target": )");
  write_config(sandbox, "list.json", "[1]");
  write_config(sandbox, "unknown.json", R"({"dynamics": "x:0=B"})");
  write_config(sandbox, "deep.json", R"({"dynamic": [["x"]]})");
  write_config(sandbox, "open.toml", "target = \"tract\"\ncheck = [1\n");
  write_config(sandbox, "closed_later.toml", "dynamic = [\"ids:0=B\"  # ]\nassert = [\"B>=1]\"]\n");
  const auto fails = [&](const std::string& file, const std::string& text) {
    check_failure(sandbox, {"export", "model.pt", "--config", file}, 2, text);
  };
  fails("none.json",
        "error[usage]: cannot read the options in 'none.json'\n"
        "  why:  there is no such file\n");
  fails("bad.json",
        "error[usage]: cannot read the options in 'bad.json'\n"
        "  why:  invalid JSON at byte 12\n"
        "  help: see `t2nnef export --help` for the names of options\n");
  fails("list.json",
        "error[usage]: cannot read the options in 'list.json'\n"
        "  why:  it is not an object; write, for example, { \"option\": value }\n"
        "  help: see `t2nnef export --help` for the names of options\n");
  fails("deep.json",
        "error[usage]: cannot read the options in 'deep.json'\n"
        "  why:  'dynamic' is neither text, number, truth value nor a list of them\n"
        "  help: see `t2nnef export --help` for the names of options\n");
  fails("open.toml",
        "error[usage]: cannot read the options in 'open.toml'\n"
        "  why:  the [ in line 2 is not closed\n");
  fails("closed_later.toml",
        "error[usage]: cannot read the options in 'closed_later.toml'\n"
        "  why:  the [ in line 1 is not closed\n");
  fails("unknown.json",
        "error[usage]: t2nnef export has no option '--dynamics', set in 'unknown.json'\n"
        "  help: did you mean '--dynamic'?\n");
}

}  // namespace
}  // namespace t2n::test
