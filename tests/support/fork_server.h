// SPDX-License-Identifier: Apache-2.0
// Starts t2nnef in a fork of a process that has loaded LibTorch; see tests/fork_server.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace t2n::test {

struct Start {
  std::vector<std::string> arguments;
  std::vector<std::string> environment;  ///< NAME=value
  std::string folder;                    ///< to work in
  int out;                               ///< descriptors of this process
  int err;
};

/// A child of this process, which waits for it; none where ctest names no server.
std::optional<pid_t> start_by_server(const std::string& program, const Start& start);

}  // namespace t2n::test
