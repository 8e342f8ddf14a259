// SPDX-License-Identifier: Apache-2.0
// A copy of this process, made before it was confined, that starts the few permitted programs.
#pragma once

#include <sys/types.h>

#include <array>
#include <string>
#include <vector>

namespace t2n::confine {

using CommandLine = std::vector<std::string>;  ///< with the program's path first

/// Descriptors 1, 2 and 3 of the program; -1: /dev/null, or none for the third.
using Descriptors = std::array<int, 3>;

/// Starts the copy. It can start `programs`, with exactly these arguments, and nothing else.
/// Returns false, with errno, if the system has no process or descriptor left.
bool fork_starter(const std::vector<CommandLine>& programs);

/// Starts a program as a child of the process that called fork_starter(). Returns its id, or
/// -errno: EPERM for a program that is not in the list. Only one thread may call it at a time.
pid_t start_in_copy(size_t program, const Descriptors& descriptors);

/// Ends the copy and waits for it.
void end_starter();

}  // namespace t2n::confine
