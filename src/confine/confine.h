// Takes rights from this process that are not needed to run a stranger's model.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "src/confine/starter.h"

namespace t2n::confine {

/// What remains accessible; a folder includes everything in it. The system's libraries, and what
/// LibTorch asks the kernel about the machine, may always be read.
struct Accessible {
  std::vector<std::filesystem::path> read;
  std::vector<std::filesystem::path> write;  ///< folders in which files are created and removed
  std::vector<std::filesystem::path> clear = {};  ///< folders of which empty folders are removed
};

/// What the kernel supports.
struct Support {
  int landlock = 0;      ///< its version; 0: files are not confined
  bool seccomp = false;  ///< false: system calls are not confined
};

/// Asks this kernel, and changes nothing.
Support support();

/// "Landlock 7, seccomp", "no Landlock, seccomp", "off (T2NNEF_CONFINE=off)": part of the version's
/// text.
std::string describe_support();

/// A command's needs, registered where they are known; enter_if_armed() confines to them. For a
/// file that is written, register its folder.
void may_read(const std::filesystem::path& path);
void may_write(const std::filesystem::path& folder);
/// The files in it, and the folder itself, which is made before.
void may_use_up(const std::filesystem::path& folder);

/// Called once by the program; tests load models without it.
void arm();
/// Calls enter(), the first time after arm(), with the places registered so far, and read access to
/// the folders of loaded libraries.
void enter_if_armed();

/// Confines all threads of this process, and those that they start, for good: no programs, no
/// sockets, no files except `places`. Does as much as the kernel supports, and nothing if
/// T2NNEF_CONFINE is `off`.   Errors: `memory-limit` if the kernel could, but refuses.
Support enter(const Accessible& places);

/// A program that may still be started, with exactly these words. Call it before enter().
void may_start(CommandLine program);
bool is_entered();
/// Called after enter().   Returns the child's id, or -errno; EPERM if may_start() was not told.
pid_t start(const CommandLine& program, const Descriptors& descriptors);

/// Called at the end of the process: start() no longer works.
void leave();

}  // namespace t2n::confine
