// SPDX-License-Identifier: Apache-2.0
// The real program in a folder of its own: what it prints, its exit code, and what it leaves
// behind.
#pragma once

#include <doctest/doctest.h>
#include <sys/types.h>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/tract/support.h"

namespace t2n::test {

struct Result {
  int code = -1;  ///< minus the signal that ended it
  std::string out;
  std::string err;
};

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

using Arguments = std::vector<std::string>;
/// An export for tract to out.nnef.
inline Arguments export_of(const std::string& model, const Arguments& more) {
  Arguments out = {"export", model, "-t", "tract", "-o", "out.nnef"};
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

/// Variables that differ from this process's; nothing: not set.
using Variables = std::vector<std::pair<std::string, std::optional<std::string>>>;

/// A program that runs. Its output is complete once it was waited for.
class Running {
 public:
  Running(const Arguments& arguments, const std::string& folder, const Variables& variables);
  ~Running();
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  pid_t pid() const { return pid_; }
  /// The engine worker that the program started; waits until there is one, or the program ends.
  std::optional<pid_t> worker() const;
  Result wait();

 private:
  bool has_ended() const;
  pid_t pid_ = -1;
  int out_ = -1;
  int err_ = -1;
};

/// A temporary folder that the program runs in.
class Sandbox {
 public:
  /// With copies of files: of those that make_bad_files.py made, or "fixtures/…" as `as`.
  explicit Sandbox(const std::vector<std::string>& bad_files = {});
  void copy_fixture(const std::string& name, const std::string& as);

  const TempFolder& folder() const { return folder_; }
  std::string path(const std::string& name) const { return folder_.path() + "/" + name; }
  std::string content(const std::string& name) const;
  Result run(const Arguments& arguments, const Variables& variables = {},
             const std::string& subfolder = ".") const;
  /// Every file with its content, every folder, every link.
  std::map<std::string, std::string> listing() const;

 private:
  TempFolder folder_;
};

/// The program must fail with this text alone and leave everything as it was.
void check_failure(const Sandbox& sandbox, const Arguments& arguments, int code,
                   const std::string& text, const Variables& variables = {});

/// The newest target, the last and the first of the oldest series, as far as there are engines of
/// just these versions; a required engine that is missing fails the test.
std::vector<std::string> engine_targets();

/// The variables that hide every engine.
Variables no_engine();

}  // namespace t2n::test
