// SPDX-License-Identifier: Apache-2.0
// What an installation has, in a report.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "src/report/command_report.h"

namespace t2n::report {

struct Environment {
  struct Engine {
    std::string name, version, library, origin;
  };
  std::string version;         ///< of t2nnef
  std::string torch_built;     ///< "" if built without LibTorch
  std::string torch_found;     ///< "" if it cannot be loaded
  std::string torch_folder;    ///< "" for the system's
  std::string torch_origin;    ///< "T2NNEF_TORCH"
  std::string default_target;  ///< "tract@0.23.9"
  std::vector<Engine> engines;
  std::vector<std::string> processor;  ///< features that choose kernels: "avx2"
  std::string sandbox;
  std::vector<std::pair<std::string, std::string>> variables;  ///< of the environment, if set
  std::vector<std::string> problems;
};

/// Adds the field "environment".
void add_environment(CommandReport& report, const Environment& environment);

}  // namespace t2n::report
