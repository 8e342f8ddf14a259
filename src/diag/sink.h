// Warnings and notes while work continues: they are collected, and each caller decides what to
// show.
#pragma once

#include <functional>
#include <vector>

#include "src/diag/diagnostic.h"

namespace t2n {

/// Receives warnings and notes in the order they arise. An empty function drops them.
using Report = std::function<void(const Diagnostic&)>;

/// A Report that keeps what it gets, dropping exact repetitions.
struct DiagnosticList {
  std::vector<Diagnostic> items;
  Report report();
};

}  // namespace t2n
