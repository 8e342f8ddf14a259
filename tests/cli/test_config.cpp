// SPDX-License-Identifier: Apache-2.0
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
          "note[option-overridden]: options of a file are overridden\n"
          "   --target is 'tract', not 'khronos'",
          as_in, "   --output is 'b.tar', not 'a.tar'", as_in, "   --compression is '5', not '3'",
          as_in, "   --input is 'ids=2,5,i64:0..9', not 'ids=2,7,i64:0..9'", as_in,
          "   --check is 'super', not 'true'", as_in,
          "  why:  the command line takes precedence, then variables\n")));
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
      wins.err.starts_with("note[option-overridden]: options of a file are overridden\n"
                           "   --dynamic is 'ids:0=N', not 'ids:0=B' as in 'a.toml'\n"
                           "   --verbose replaces --quiet as in 'a.toml'\n"
                           "  why:  the command line takes precedence, then variables\n"));
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
           "  why:  the command line takes precedence, then variables\n");
  CHECK(ops.out.ends_with(" operators for tract@0.21.19\n"));
  CHECK(sandbox.run({"ops", "--config", "a.toml"}).out.ends_with(" operators for khronos@1.0.5\n"));
  check_failure(sandbox, {"inspect", "model.pt", "--config", "a.toml"}, 2,
                "error[usage]: t2nnef inspect has no option '--target', set in 'a.toml:1'\n"
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
        "  help: use one of them\n");
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
        "error[usage]: t2nnef export has no option '--dynamics', set in 'unknown.json:1'\n"
        "  help: did you mean '--dynamic'?\n");
}

TEST_CASE("a table of a command is for that command only, and overrides what is at top level") {
  const AttentionSandbox sandbox;
  write_config(sandbox, "a.toml",
               "timeout = 100\n[export]\ntarget = \"tract\"\nquiet = true\noutput = \"a.tar\"\n"
               "[export.dynamic.ids]\n0 = \"B\"\n1 = \"S\"\n[ops]\ntarget = \"khronos\"\n");
  write_config(sandbox, "b.json",
               R"({"target": "khronos", "export": {"target": "tract", "output": "b.tar",
                  "dynamic": {"ids": {"0": "B", "1": "S"}}, "quiet": true}, "check": {"seeds": 3}})");
  for (const std::string file : {"a.toml", "b.json"}) {
    CAPTURE(file);
    const Result result = sandbox.run({"export", "model.pt", "--config", file});
    CHECK_EQ(result.code, 0);
    CHECK_EQ(result.err, "");
  }
  CHECK((sandbox.content("a.tar") == sandbox.content("b.tar")));
  CHECK(contains(sandbox.content("a.tar"), "[B, S]"));
  CHECK(sandbox.run({"ops", "--config", "a.toml"}).out.ends_with(" operators for khronos@1.0.5\n"));
}

TEST_CASE("a list may take several lines, with comments and a comma at its end") {
  const AttentionSandbox sandbox;
  write_config(sandbox, "a.toml",
               "; of [a model\ndynamic = [\n  \"ids:0=B\",  # the batch, [0]\n  'ids:1=S',\n]\n"
               "assert = [\"B >= 1\",\n  \"S <= 60\"]\ntarget = \"tract\"\nquiet = true\n");
  const Result result = sandbox.run({"export", "model.pt", "--config", "a.toml", "-o", "a.tar"});
  CHECK_EQ(result.err, "");
  CHECK_EQ(result.code, 0);
  CHECK(contains(sandbox.content("a.tar"), "[B, S]"));
  CHECK(contains(sandbox.content("a.tar"), "S <= 60"));
}

TEST_CASE("keys that no command has are errors with file and line") {
  const AttentionSandbox sandbox;
  write_config(sandbox, "a.toml", "# options\n[export]\ntarget = \"tract\"\nchek = true\n");
  write_config(sandbox, "other.toml", "[export]\ntarget = \"tract\"\n\n[inspect]\ngrap = true\n");
  write_config(sandbox, "list.toml", "assert = [\n  \"S = 1\",\n]\n[export.dynamics]\nx = \"S\"\n");
  write_config(sandbox, "a.json",
               "{\n \"export\": {\n  \"target\": \"a\\\"b\",\n  \"chek\": 1\n }\n}");
  const auto fails = [&](const std::string& file, const std::string& text) {
    check_failure(sandbox, {"export", "model.pt", "--config", file}, 2, text);
  };
  fails("a.toml",
        "error[usage]: t2nnef export has no option '--chek', set in 'a.toml:4'\n"
        "  help: did you mean '--check'?\n");
  fails("other.toml",
        "error[usage]: t2nnef inspect has no option '--grap', set in 'other.toml:5'\n"
        "  help: did you mean '--graph'?\n");
  fails("list.toml",
        "error[usage]: t2nnef export has no option '--dynamics', set in 'list.toml:5'\n"
        "  help: did you mean '--dynamic'?\n");
  fails("a.json",
        "error[usage]: t2nnef export has no option '--chek', set in 'a.json:4'\n"
        "  help: did you mean '--check'?\n");
  write_config(sandbox, "table.toml", "[exprot]\ntarget = \"tract\"\n");
  fails("table.toml",
        "error[usage]: there is no command 'exprot', which a table in 'table.toml:2' names\n"
        "  help: did you mean 'export'?\n");
}

TEST_CASE("variables are below the command line and above files") {
  const AttentionSandbox sandbox;
  write_config(sandbox, "a.toml", "target = \"khronos\"\noutput = \"file.tar\"\n");
  const Variables variables = {{"T2NNEF_TARGET", "tract"},
                               {"T2NNEF_OUTPUT", "variable.tar"},
                               {"T2NNEF_DYNAMIC", "ids:0=B\nids:1=S\n"},
                               {"T2NNEF_QUIET", "1"},
                               {"T2NNEF_CHECK", ""}};
  Result result = sandbox.run({"export", "model.pt", "-o", "line.tar"}, variables);
  CHECK_EQ(result.err, "");
  CHECK_EQ(result.code, 0);
  CHECK(contains(sandbox.content("line.tar"), "[B, S]"));
  result = sandbox.run({"export", "model.pt", "--dynamic", "ids:0=N", "--report", "r.json"},
                       {{"T2NNEF_TARGET", "tract"},
                        {"T2NNEF_CONFIG", "a.toml"},
                        {"T2NNEF_DYNAMIC", "ids:0=B\nids:1=S\n"}});
  CHECK_EQ(result.code, 0);
  CHECK(contains(sandbox.content("file.tar"), "[N, S]"));
  CHECK(contains(result.err,
                 "note[option-overridden]: --target is 'tract', not 'khronos' as in 'a.toml'\n"
                 "  why:  the command line takes precedence, then variables\n"));
  CHECK(contains(sandbox.content("r.json"), "\"id\": \"option-overridden\",\n"));
}

TEST_CASE("an engine in a variable needs no check; a wrong value names its variable") {
  const AttentionSandbox sandbox;
  const Result result =
      sandbox.run({"export", "model.pt", "-t", "tract", "-q"}, {{"T2NNEF_ENGINE", "reference"}});
  CHECK_EQ(result.err, "");
  CHECK_EQ(result.code, 0);
  const Result checked = sandbox.run({"export", "model.pt", "-t", "tract", "--check"},
                                     {{"T2NNEF_ENGINE", "reference"}});
  CHECK(contains(checked.out, "reference"));
  const Result wrong = sandbox.run({"export", "model.pt"}, {{"T2NNEF_TARGET", "trakt"}});
  CHECK_EQ(wrong.code, 2);
  CHECK(contains(wrong.err, "   T2NNEF_TARGET sets --target to 'trakt'\n"));
  const Result number = sandbox.run({"ops"}, {{"T2NNEF_TIMEOUT", "soon"}});
  CHECK_EQ(number.code, 2);
  CHECK(contains(number.err, "   T2NNEF_TIMEOUT sets --timeout to 'soon'\n"));
  const Result misspelt = sandbox.run({"ops"}, {{"T2NNEF_TARGTE", "tract"}});
  CHECK_EQ(misspelt.code, 0);
  CHECK(contains(misspelt.err, "warning[unknown-variable]"));
  CHECK(contains(misspelt.err, "T2NNEF_TARGTE: did you mean T2NNEF_TARGET?"));
}

}  // namespace
}  // namespace t2n::test
