// SPDX-License-Identifier: Apache-2.0
// Artefacts on disk: complete or absent, reproducible, never at the cost of somebody's files.
#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <cstring>

#include "nnef_writer/archive.h"
#include "nnef_writer/print.h"
#include "src/diag/error.h"
#include "tests/nnef_writer/support.h"

namespace t2n::nnef {
namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

const std::string kLongLabel = "encoder." + std::string(150, 'x') + ".weight";

Document example(float value = 1.0F) {
  return document_of({{"b.weight", value}, {"sub/a.weight", value}, {kLongLabel, value}});
}

Document quantised() {
  Document out = example();
  out.quant = {{"y", invocation("linear_quantize", {{"bits", integer(8)}})}};
  return out;
}

void write(const Document& document, const fs::path& path, int threads = 2) {
  write_artefact(document, parse_destination(path), threads).commit();
}

/// The diagnostic with the scratch folder's path replaced by "TMP".
std::string refusal(const Scratch& scratch, const fs::path& path,
                    const Document& document = example()) {
  try {
    write(document, path);
  } catch (const Error& error) {
    std::string text = error.what();
    const std::string folder = (scratch / "").string();
    for (size_t at; (at = text.find(folder)) != std::string::npos;)
      text.replace(at, folder.size(), "TMP/");
    for (size_t at; (at = text.find(folder.substr(0, folder.size() - 1))) != std::string::npos;)
      text.replace(at, folder.size() - 1, "TMP");
    return text;
  }
  return "written";
}

TEST_CASE("the suffix chooses the form") {
  CHECK(parse_destination("a/m.nnef.tgz").form == Destination::Form::tgz);
  CHECK(parse_destination("m.tar.gz").form == Destination::Form::tgz);
  CHECK(parse_destination("m.nnef.tar").form == Destination::Form::tar);
  CHECK(parse_destination("m.tar").form == Destination::Form::tar);
  CHECK(parse_destination("m.nnef").form == Destination::Form::folder);
  CHECK(parse_destination("m.tgz/").form == Destination::Form::folder);
}

TEST_CASE("a tar holds the members in order, without traces of the machine") {
  const Scratch scratch;
  for (const char* name : {"m.nnef.tar", "m.nnef.tgz"}) {
    CAPTURE(name);
    write(quantised(), scratch / name);
    const std::string file = "'" + (scratch / name).string() + "'";
    CHECK(output_of("tar tf " + file) ==
          "graph.nnef\ngraph.quant\nb.weight.dat\nsub/a.weight.dat\n" + kLongLabel + ".dat\n");
    CHECK(output_of("tar xOf " + file + " graph.nnef") == print(quantised()));
    const std::string listing =
        output_of("TZ=UTC tar tvf " + file + " --full-time sub/a.weight.dat");
    CHECK(listing.starts_with("-rw-r--r-- 0/0 "));
    CHECK(listing.find(" 136 1970-01-01 00:00:00 sub/a.weight.dat") != std::string::npos);
  }
  CHECK(scratch.entries() == Names{"m.nnef.tar", "m.nnef.tgz"});
}

TEST_CASE("a folder holds the same files") {
  const Scratch scratch;
  write(example(), scratch / "out");
  CHECK(scratch.entries() == Names{"out", "out/b.weight.dat", "out/" + kLongLabel + ".dat",
                                   "out/graph.nnef", "out/sub", "out/sub/a.weight.dat"});
  CHECK(content(scratch / "out/graph.nnef") == print(example()));
  CHECK(content(scratch / "out/b.weight.dat").size() == 136);
}

TEST_CASE("two writes give the same bytes, whatever the threads and the time") {
  const Scratch scratch;
  for (const std::string suffix : {".nnef.tgz", ".nnef.tar"}) {
    write(quantised(), scratch / ("a" + suffix), 1);
    write(quantised(), scratch / ("b" + suffix), 5);
    CHECK((content(scratch / ("a" + suffix)) == content(scratch / ("b" + suffix))));
  }
}

TEST_CASE("nothing is in place before commit, nothing is left without it") {
  const Scratch scratch;
  for (const char* name : {"m.nnef.tgz", "out"}) {
    CAPTURE(name);
    {
      const PendingArtefact pending = write_artefact(example(), parse_destination(scratch / name));
      CHECK_FALSE(fs::exists(scratch / name));
      CHECK(fs::exists(pending.path()));
      CHECK(pending.path().parent_path() == (scratch / name).parent_path());
      CHECK(pending.path().string().ends_with(name));
    }
    CHECK(scratch.entries().empty());
  }
}

TEST_CASE("commit moves once, and path() follows") {
  const Scratch scratch;
  PendingArtefact pending = write_artefact(example(), parse_destination(scratch / "m.tgz"));
  pending.commit();
  CHECK(pending.path() == scratch / "m.tgz");
  write_text(scratch / "m.tgz", "changed");
  pending.commit();
  CHECK(content(scratch / "m.tgz") == "changed");
}

TEST_CASE("files and model folders are replaced") {
  const Scratch scratch;
  write_text(scratch / "m.tgz", "old");
  write(example(), scratch / "m.tgz");
  CHECK(content(scratch / "m.tgz").size() > 100);
  fs::create_directories(scratch / "out/old_folder");
  write_text(scratch / "out/graph.nnef", "old");
  write_text(scratch / "out/old_folder/old.dat", "old");
  write(example(), scratch / "out/");
  CHECK(content(scratch / "out/graph.nnef") == print(example()));
  CHECK_FALSE(fs::exists(scratch / "out/old_folder"));
  fs::create_directory(scratch / "empty");
  write(example(), scratch / "empty");
  CHECK(fs::exists(scratch / "empty/graph.nnef"));
  for (const std::string& entry : scratch.entries())
    CHECK(entry.find("partial") == std::string::npos);
}

TEST_CASE("a link and its target stay") {
  const Scratch scratch;
  fs::create_directory(scratch / "real");
  write(example(1.0F), scratch / "real/m.tgz");
  const std::string before = content(scratch / "real/m.tgz");
  fs::create_symlink("real/m.tgz", scratch / "link.tgz");
  CHECK(refusal(scratch, scratch / "link.tgz") ==
        "error[cannot-write]: cannot write 'TMP/link.tgz'\n"
        "  why:  it is a link to 'real/m.tgz'\n"
        "  help: links are never replaced: give the path of the file itself\n");
  CHECK(fs::is_symlink(scratch / "link.tgz"));
  CHECK((content(scratch / "real/m.tgz") == before));
}

TEST_CASE("a folder with anything else in it is left alone") {
  const Scratch scratch;
  fs::create_directories(scratch / "out/sub");
  write_text(scratch / "out/graph.nnef", "old");
  write_text(scratch / "out/sub/notes.txt", "mine");
  const std::string text =
      R"(error[output-exists]: the folder 'TMP/out' holds 'sub/notes.txt', which is not an NNEF file
  why:  a folder is replaced only if it contains nothing but a model
  help: name another folder, or remove this one yourself
)";
  CHECK(refusal(scratch, scratch / "out") == text);
  fs::remove(scratch / "out/sub/notes.txt");
  fs::create_symlink("/etc/hostname", scratch / "out/sub/a.dat");
  CHECK(refusal(scratch, scratch / "out").find("holds 'sub/a.dat', which is not an NNEF file") !=
        std::string::npos);
  fs::create_directory(scratch / "data");
  write_text(scratch / "data/measured.dat", "mine");
  CHECK(refusal(scratch, scratch / "data")
            .starts_with("error[output-exists]: the folder 'TMP/data' holds no graph.nnef\n"));
  CHECK(content(scratch / "data/measured.dat") == "mine");
}

TEST_CASE("files that appear while the artefact is built are not lost") {
  const Scratch scratch;
  PendingArtefact pending = write_artefact(example(), parse_destination(scratch / "out"));
  fs::create_directory(scratch / "out");
  write_text(scratch / "out/notes.txt", "mine");
  CHECK_THROWS_AS(pending.commit(), Error);
  CHECK(content(scratch / "out/notes.txt") == "mine");
}

TEST_CASE("refusals name the reason") {
  const Scratch scratch;
  write_text(scratch / "file", "mine");
  fs::create_directory(scratch / "folder.tgz");
  CHECK(refusal(scratch, scratch / "no/such/m.tgz") ==
        "error[cannot-write]: cannot write 'TMP/no/such/m.tgz'\n"
        "  why:  the folder 'TMP/no/such' does not exist\n"
        "  help: create it: mkdir -p 'TMP/no/such'\n");
  CHECK(refusal(scratch, scratch / "file/m.tgz") ==
        "error[cannot-write]: cannot write 'TMP/file/m.tgz'\n"
        "  why:  'TMP/file' is not a folder\n");
  CHECK(refusal(scratch, scratch / "file") ==
        "error[output-exists]: 'TMP/file' is a file, a folder cannot replace it\n"
        "  why:  a name without .tgz or .tar means a folder\n"
        "  help: write 'TMP/file.nnef.tgz' for an archive\n");
  CHECK(refusal(scratch, scratch / "folder.tgz") ==
        "error[output-exists]: 'TMP/folder.tgz' is a folder, an archive cannot replace it\n"
        "  help: name a file, or remove the folder yourself\n");
  CHECK(refusal(scratch, ".") ==
        "error[cannot-write]: cannot write '.'\n"
        "  why:  it names no new file or folder\n"
        "  help: name one, such as 'model.nnef.tgz'\n");
  CHECK(refusal(scratch, "/dev/null") ==
        "error[cannot-write]: cannot write '/dev/null'\n"
        "  why:  it is neither a file nor a folder\n"
        "  help: name a new file or folder\n");
  CHECK(refusal(scratch, scratch / (std::string(300, 'n') + ".tgz"))
            .find("  why:  File name too long\n") != std::string::npos);
  CHECK(refusal(scratch, "/proc/m.tgz")
            .starts_with("error[cannot-write]: cannot write '/proc/m.tgz'\n  why:  "));
  CHECK(scratch.entries() == Names{"file", "folder.tgz"});
}

TEST_CASE("a folder without permission") {
  if (geteuid() == 0) return;  // root may write anywhere
  const Scratch scratch;
  fs::create_directory(scratch / "locked");
  fs::permissions(scratch / "locked", fs::perms::owner_read | fs::perms::owner_exec);
  CHECK(refusal(scratch, scratch / "locked/m.tgz") ==
        "error[cannot-write]: cannot write 'TMP/locked/m.tgz'\n"
        "  why:  Permission denied\n"
        "  help: choose another path\n");
}

/// Lets no file grow beyond `bytes`, as a full disk would.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    std::signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() { setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_{};
};

TEST_CASE("a write that fails leaves nothing, whatever the form") {
  const Scratch scratch;
  Document large = example();
  const ir::Tensor tensor = ir::allocate(ir::DType::u8, {8 << 20}).tensor;
  large.blobs.push_back(
      {.label = "large", .dtype = ir::DType::u8, .shape = tensor.shape, .parts = {tensor}});
  for (const char* name : {"m.tar", "m.tgz", "out"}) {
    CAPTURE(name);
    std::string text;
    {
      const FileSizeLimit limit(std::string_view(name) == "m.tgz" ? 600 : 1 << 20);
      text = refusal(scratch, scratch / name, large);
    }
    CHECK(text == "error[cannot-write]: cannot write 'TMP/" + std::string(name) +
                      "'\n  why:  File too large\n  help: choose another path\n");
    CHECK(scratch.entries().empty());
  }
}

TEST_CASE("a failure keeps the previous artefact") {
  const Scratch scratch;
  write(example(), scratch / "m.tgz");
  const std::string before = content(scratch / "m.tgz");
  Document document = example();
  document.blobs[0].dtype = ir::DType::bf16;
  CHECK(refusal(scratch, scratch / "m.tgz", document).starts_with("error[unsupported-dtype]"));
  CHECK((content(scratch / "m.tgz") == before));
  document.blobs[0] = document.blobs[1];
  CHECK(refusal(scratch, scratch / "m.tgz", document).starts_with("internal error"));
  document.blobs[0].label = "../../escape";
  CHECK(refusal(scratch, scratch / "m.tgz", document).starts_with("internal error"));
  CHECK(scratch.entries() == Names{"m.tgz"});
}

TEST_CASE("a signal handler removes what is under construction") {
  const Scratch scratch;
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGINT, [](int) {
      remove_temporaries();
      _exit(130);
    });
    const PendingArtefact folder = write_artefact(example(), parse_destination(scratch / "out"));
    const PendingArtefact file = write_artefact(example(), parse_destination(scratch / "m.tgz"));
    write(example(), scratch / "done");
    if (fs::exists(folder.path()) && fs::exists(file.path())) raise(SIGINT);
    _exit(1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 130);
  for (const std::string& entry : scratch.entries()) CHECK(entry.starts_with("done"));
  CHECK(fs::exists(scratch / "done/graph.nnef"));
}

}  // namespace
}  // namespace t2n::nnef
