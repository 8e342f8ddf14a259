// SPDX-License-Identifier: Apache-2.0
// What an output may replace: never what is no plain file, and never what the command reads.
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>

#include "nnef_writer/archive.h"
#include "nnef_writer/destination.h"
#include "nnef_writer/output.h"
#include "src/diag/error.h"
#include "tests/nnef_writer/support.h"

namespace t2n::nnef {
namespace {

namespace fs = std::filesystem;

/// The id and headline of the refusal, the folder's name as TMP; "" if there is none.
std::string refused(const Scratch& scratch, const Destination& destination) {
  try {
    check_destination(destination);
  } catch (const Error& error) {
    std::string text = error.what();
    const std::string folder = (scratch / "").parent_path().string();
    for (size_t at = text.find(folder); at != std::string::npos; at = text.find(folder, at))
      text.replace(at, folder.size(), "TMP");
    return text.substr(0, text.find('\n'));
  }
  return "";
}

Destination with(Destination destination, const fs::path& taken) {
  destination.taken = {{"the sample", taken}};
  return destination;
}

void write_string(const Destination& destination, const std::string& text) {
  write_file(destination, [&](FileWriter& file) { file.write(std::as_bytes(std::span(text))); });
}

mode_t mode_of(const fs::path& path) {
  struct stat info {};
  REQUIRE_EQ(stat(path.c_str(), &info), 0);
  return info.st_mode & 07777;
}

}  // namespace

TEST_CASE("pipes, links, sockets and folders are refused as files") {
  const Scratch scratch;
  REQUIRE_EQ(mkfifo((scratch / "pipe").c_str(), 0600), 0);
  write_text(scratch / "victim", "mine");
  fs::create_symlink("victim", scratch / "link");
  fs::create_symlink("nowhere", scratch / "dangling");
  fs::create_directory(scratch / "folder");
  fs::create_symlink("folder", scratch / "folder_link");
  for (const bool is_artefact : {false, true}) {
    const auto place = [&](const std::string& name) {
      if (!is_artefact) return file_destination(scratch / name);
      Destination out = parse_destination(scratch / name);
      out.form = Destination::Form::tar;
      return out;
    };
    CHECK_EQ(refused(scratch, place("pipe")), "error[cannot-write]: cannot write 'TMP/pipe'");
    CHECK_EQ(refused(scratch, place("link")), "error[cannot-write]: cannot write 'TMP/link'");
    CHECK_EQ(refused(scratch, place("dangling")),
             "error[cannot-write]: cannot write 'TMP/dangling'");
    CHECK_EQ(refused(scratch, place("folder_link")),
             "error[cannot-write]: cannot write 'TMP/folder_link'");
    CHECK(refused(scratch, place("folder"))
              .starts_with(is_artefact ? "error[output-exists]" : "error[cannot-write]"));
    CHECK_EQ(refused(scratch, place("victim/x")),
             "error[cannot-write]: cannot write 'TMP/victim/x'");
    CHECK_EQ(refused(scratch, place("none/x")), "error[cannot-write]: cannot write 'TMP/none/x'");
    CHECK_EQ(refused(scratch, place("new")), "");
  }
  // A folder's name with a slash is a link all the same.
  CHECK_EQ(refused(scratch, parse_destination(scratch / "folder_link/")),
           "error[cannot-write]: cannot write 'TMP/folder_link/'");
  CHECK_EQ(content(scratch / "victim"), "mine");
}

TEST_CASE("a link that appears after the check is not followed") {
  const Scratch scratch;
  write_text(scratch / "victim", "mine");
  const Destination destination = file_destination(scratch / "out");
  CHECK_THROWS_AS(write_file(destination,
                             [&](FileWriter& file) {
                               file.write(std::as_bytes(std::span("new", 3)));
                               fs::create_symlink("victim", scratch / "out");
                             }),
                  Error);
  CHECK_EQ(content(scratch / "victim"), "mine");
}

TEST_CASE("inputs are not replaced, under any name") {
  const Scratch scratch;
  fs::create_directories(scratch / "in/deep");
  write_text(scratch / "in/x.npz", "values");
  fs::create_hard_link(scratch / "in/x.npz", scratch / "hard.npz");
  fs::create_directory_symlink("in", scratch / "other");
  const fs::path taken = scratch / "in/x.npz";
  for (const std::string name :
       {"in/x.npz", "hard.npz", "other/x.npz", "in/../in/x.npz", "in/deep/../x.npz"}) {
    CAPTURE(name);
    const std::string text = refused(scratch, with(file_destination(scratch / name), taken));
    CHECK_EQ(text,
             cat("error[output-is-input]: the output 'TMP/", name, "' would replace the sample"));
  }
  CHECK_EQ(refused(scratch, with(file_destination(scratch / "in/y.npz"), taken)), "");
  // What does not exist yet is told apart by its place.
  CHECK(refused(scratch, with(file_destination(scratch / "r"), scratch / "in/../r"))
            .starts_with("error[output-is-input]"));
}

TEST_CASE("a folder that is read, and one that holds what is read") {
  const Scratch scratch;
  fs::create_directories(scratch / "model");
  write_text(scratch / "model/graph.nnef", "text");
  write_text(scratch / "model/w.dat", "weights");
  fs::create_hard_link(scratch / "model/w.dat", scratch / "same.npz");
  const fs::path model = scratch / "model";
  for (const std::string name : {"model/graph.nnef", "model/new.npz", "same.npz"}) {
    CAPTURE(name);
    CHECK(refused(scratch, with(file_destination(scratch / name), model))
              .starts_with("error[output-is-input]"));
  }
  CHECK(refused(scratch, with(parse_destination(model), scratch / "model/w.dat"))
            .starts_with("error[output-is-input]"));
  fs::create_directories(scratch / "beside");
  write_text(scratch / "beside/graph.nnef", "text");
  CHECK_EQ(refused(scratch, with(parse_destination(scratch / "beside"), model / "w.dat")), "");
}

TEST_CASE("file modes are kept") {
  const Scratch scratch;
  for (const mode_t mode : {0600U, 0640U, 0755U}) {
    write_text(scratch / "report", "old");
    REQUIRE_EQ(chmod((scratch / "report").c_str(), mode), 0);
    write_string(file_destination(scratch / "report"), "new");
    CHECK_EQ(content(scratch / "report"), "new");
    CHECK_EQ(mode_of(scratch / "report"), mode);
  }
  const mode_t mask = umask(027);
  write_string(file_destination(scratch / "fresh"), "new");
  umask(mask);
  CHECK_EQ(mode_of(scratch / "fresh"), 0640);
}

TEST_CASE("leftovers of a killed run are removed by the next, and nothing else") {
  const Scratch scratch;
  const pid_t child = fork();
  if (child == 0) {
    const Temporary file(scratch / "a.npz", Temporary::Kind::file);
    Temporary folder(scratch / "model", Temporary::Kind::folder);
    std::ofstream(folder.add("deep/w.dat")) << "half";
    kill(getpid(), SIGKILL);
  }
  int status = 0;
  waitpid(child, &status, 0);
  REQUIRE(WIFSIGNALED(status));
  REQUIRE_EQ(scratch.entries().size(), 4);

  const Temporary alive(scratch / "b.npz", Temporary::Kind::file);
  write_text(scratch / "t2nnef-partial-notes.txt", "mine");
  write_text(scratch / "victim", "mine");
  fs::create_symlink("victim", scratch / "t2nnef-partial-1-2-x");
  REQUIRE_EQ(mkfifo((scratch / "t2nnef-partial-1-3-x").c_str(), 0600), 0);
  fs::create_directory(scratch / "t2nnef-partial-1-4-x");
  write_text(scratch / "t2nnef-partial-1-4-x/thesis.txt", "mine");
  check_destination(file_destination(scratch / "c.npz"));
  const std::vector<std::string> left = scratch.entries();
  CHECK_EQ(left, std::vector<std::string>{"t2nnef-partial-1-2-x", "t2nnef-partial-1-3-x",
                                          "t2nnef-partial-1-4-x", "t2nnef-partial-1-4-x/thesis.txt",
                                          alive.path().filename().string(),
                                          "t2nnef-partial-notes.txt", "victim"});
}

TEST_CASE("a single dash is standard output") {
  CHECK(file_destination("-").form == Destination::Form::stream);
  CHECK(parse_destination("-").form == Destination::Form::stream);
  CHECK(file_destination("./-").form == Destination::Form::file);
}

}  // namespace t2n::nnef
