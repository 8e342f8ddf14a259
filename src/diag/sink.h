// SPDX-License-Identifier: Apache-2.0
// Warnings and notes during the work: collected, so that each caller decides what to show.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "src/diag/diagnostic.h"

namespace t2n {

/// Receives warnings and notes in order of occurrence. An empty function drops them.
using Report = std::function<void(const Diagnostic&)>;

/// Reports a warning about the things that `details` lists; nothing if it is empty.
void warn_of(const Report& report, std::string id, std::vector<std::string> details,
             std::string message, std::string help, std::string why = {});

/// A Report that collects diagnostics, without exact duplicates.
struct DiagnosticList {
  std::vector<Diagnostic> items;
  Report report();
};

}  // namespace t2n
