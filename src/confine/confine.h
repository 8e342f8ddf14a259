// Takes away from this process what running a stranger's model does not need.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "src/confine/starter.h"

namespace t2n::confine {

/// What may still be reached afterwards, folders with all that is in them. The system's libraries,
/// and what LibTorch asks the kernel about the machine, may always be read.
struct Places {
  std::vector<std::filesystem::path> read;
  std::vector<std::filesystem::path> write;  ///< folders in which files come and go
};

/// What the kernel lets us do.
struct Support {
  int landlock = 0;      ///< its version; 0: files are not confined
  bool seccomp = false;  ///< system calls are not confined without it
};

/// Of this kernel; asks, and changes nothing.
Support support();

/// "Landlock 7, seccomp", "no Landlock, seccomp", "off (T2NNEF_CONFINE=off)": for the version's
/// text.
std::string describe_support();

/// What a command will need, said wherever it is known: enter_if_armed() confines to it. Of a file
/// that is written, the folder.
void may_read(const std::filesystem::path& path);
void may_write(const std::filesystem::path& folder);

/// Said once by the program; tests load models without it.
void arm();
/// enter(), at the first call after arm(), with the places said so far, and the folders of the
/// libraries that are loaded for reading.
void enter_if_armed();

/// Confines all threads of this process, and those that they start, for good: no programs, no
/// sockets, no files but `places`. Does what the kernel allows, and nothing if T2NNEF_CONFINE is
/// `off`.   Errors: `memory-limit` if the kernel could, and refuses.
Support enter(const Places& places);

/// What is started all the same, word by word; said before enter().
void may_start(CommandLine program);
bool is_entered();
/// Once entered.   Returns the id of the child, or -errno; EPERM if may_start() did not hear of it.
pid_t start(const CommandLine& program, const Descriptors& descriptors);

/// At the end of the process: start() is over.
void leave();

}  // namespace t2n::confine
