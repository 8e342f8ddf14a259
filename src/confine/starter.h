// A copy of this process from before it was confined, which starts the few programs that it may.
#pragma once

#include <sys/types.h>

#include <array>
#include <string>
#include <vector>

namespace t2n::confine {

using CommandLine = std::vector<std::string>;  ///< with the program's path first

/// What becomes 1, 2 and 3 of the program; -1: /dev/null, and nothing for the last.
using Descriptors = std::array<int, 3>;

/// Starts it; from now on it starts `programs`, word by word as they are now, and nothing else.
/// False, and errno, if the system has no process or descriptor left.
bool fork_starter(const std::vector<CommandLine>& programs);

/// The program is a child of the process that called fork_starter(). Returns its id, or -errno:
/// EPERM for one that was not named. One thread at a time.
pid_t start_there(size_t program, const Descriptors& descriptors);

/// Ends it, and takes note of its end.
void end_starter();

}  // namespace t2n::confine
