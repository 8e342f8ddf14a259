// SPDX-License-Identifier: Apache-2.0
// Drops privileges of this process that are not needed to run an untrusted model.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "src/confine/starter.h"

namespace t2n::confine {

/// Paths that remain accessible; a folder includes its content. The system's libraries, and the
/// kernel files that LibTorch reads about the machine, are always readable.
struct Accessible {
  std::vector<std::filesystem::path> read;
  std::vector<std::filesystem::path> write;  ///< folders in which files may be created and removed
  std::vector<std::filesystem::path> clear = {};  ///< folders in which empty folders may be removed
};

/// The mechanisms that the kernel supports.
struct Support {
  int landlock = 0;      ///< its version; 0: files are not confined
  bool seccomp = false;  ///< false: system calls are not confined
};

/// Queries this kernel, and changes nothing.
Support support();

/// "Landlock 7, seccomp", "no Landlock, seccomp", "off (T2NNEF_CONFINE=off)": for --version.
std::string describe_support();

/// Registers paths that a command needs; enter_if_armed() allows only these. For an output file,
/// register its folder.
void may_read(const std::filesystem::path& path);
void may_write(const std::filesystem::path& folder);
/// The folder, which must exist, and its files may be read, written and removed.
void may_use_up(const std::filesystem::path& folder);

/// Called once by the program; tests load models without it.
void arm();
/// Calls enter(), the first time after arm(), with the paths registered so far, and read access to
/// the folders of loaded libraries.
void enter_if_armed();

/// Confines all threads of this process, and those that they start, for good: no programs, no
/// sockets, no files except `paths`. Does as much as the kernel supports, and nothing if
/// T2NNEF_CONFINE is `off`.   Errors: `memory-limit` if the kernel could, but refuses.
Support enter(const Accessible& paths);

/// A program that may still be started, with exactly these arguments. Call it before enter().
void may_start(CommandLine program);
bool is_entered();
/// Called after enter().   Returns the child's id, or -errno; EPERM if may_start() was not called
/// for it.
pid_t start(const CommandLine& program, const Descriptors& descriptors);

/// Called at the end of the process: start() no longer works.
void leave();

}  // namespace t2n::confine
