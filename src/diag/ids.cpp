// SPDX-License-Identifier: Apache-2.0
// The table of diagnostic ids; docs/diagnostics.md has an entry for each (a test compares them).
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "src/diag/diagnostic.h"

namespace t2n {

namespace {

constexpr DiagnosticId kIds[] = {
    {"bias-not-corrected", ExitCode::unsupported},
    {"calibration", ExitCode::unreadable},
    {"cannot-write", ExitCode::cannot_write},
    {"complex-as-pairs", ExitCode::unsupported},
    {"compression-goal", ExitCode::unsupported},
    {"contents-differ", ExitCode::mismatch},
    {"data-dependent-branch", ExitCode::unsupported},
    {"data-dependent-value", ExitCode::unsupported},
    {"denied-operator", ExitCode::unreadable},
    {"dynamic-assumption", ExitCode::unsupported},
    {"dynamic-declaration", ExitCode::unsupported},
    {"dynamic-differs", ExitCode::unsupported},
    {"dynamic-failed", ExitCode::unsupported},
    {"dynamic-loop", ExitCode::unsupported},
    {"dynamic-size", ExitCode::unsupported},
    {"dynamic-suspect", ExitCode::unsupported},
    {"engine-crashed", ExitCode::engine_rejects},
    {"engine-failed", ExitCode::engine_rejects},
    {"engine-not-found", ExitCode::no_engine},
    {"engine-reference", ExitCode::no_engine},
    {"engine-rejects", ExitCode::engine_rejects},
    {"engine-timeout", ExitCode::timeout},
    {"engine-version", ExitCode::no_engine},
    {"forward-failed", ExitCode::unreadable},
    {"fragment-invalid", ExitCode::unreadable},
    {"fragment-signature", ExitCode::unreadable},
    {"fragment-unproven", ExitCode::unsupported},
    {"inconclusive-check", ExitCode::mismatch},
    {"input-missing", ExitCode::usage},
    {"input-shape", ExitCode::unreadable},
    {"input-sizes", ExitCode::unreadable},
    {"input-unknown", ExitCode::usage},
    {"input-unreadable", ExitCode::unreadable},
    {"input-unused", ExitCode::unsupported},
    {"integer-range", ExitCode::unsupported},
    {"internal", ExitCode::bug},
    {"interrupted", ExitCode::interrupted},
    {"ir-invalid", ExitCode::bug},
    {"ir-syntax", ExitCode::unreadable},
    {"lint", ExitCode::unsupported},
    {"memory-limit", ExitCode::unreadable},
    {"model-corrupt", ExitCode::unreadable},
    {"model-format", ExitCode::unreadable},
    {"model-not-found", ExitCode::unreadable},
    {"model-state", ExitCode::unsupported},
    {"model-too-new", ExitCode::unreadable},
    {"model-training", ExitCode::unsupported},
    {"module-folded", ExitCode::unsupported},
    {"nan-at-size", ExitCode::unsupported},
    {"nan-lost", ExitCode::unsupported},
    {"nnef-invalid", ExitCode::unreadable},
    {"nnef-limit", ExitCode::unreadable},
    {"nnef-syntax", ExitCode::unreadable},
    {"nnef-violation", ExitCode::unsupported},
    {"not-confined", ExitCode::unreadable},
    {"not-reducible", ExitCode::usage},
    {"not-streamable", ExitCode::unsupported},
    {"option-overridden", ExitCode::usage},
    {"output-exists", ExitCode::cannot_write},
    {"output-is-input", ExitCode::usage},
    {"output-is-model", ExitCode::usage},
    {"output-mismatch", ExitCode::mismatch},
    {"pass-changed-values", ExitCode::mismatch},
    {"pattern-remainder", ExitCode::unsupported},
    {"plugin-failed", ExitCode::unreadable},
    {"preset-unmet", ExitCode::unsupported},
    {"quantised-weights", ExitCode::unsupported},
    {"range-never-seen", ExitCode::unsupported},
    {"resets-each-run", ExitCode::unsupported},
    {"rounding-not-compensated", ExitCode::unsupported},
    {"short-loop", ExitCode::unsupported},
    {"signature-mismatch", ExitCode::mismatch},
    {"slow-weights", ExitCode::unsupported},
    {"timeout", ExitCode::timeout},
    {"torch-not-found", ExitCode::unreadable},
    {"torch-warning", ExitCode::bug},
    {"trace-differs", ExitCode::bug},
    {"trace-limit", ExitCode::unreadable},
    {"unknown-variable", ExitCode::usage},
    {"unsafe-argument", ExitCode::unreadable},
    {"unsupported-argument", ExitCode::unsupported},
    {"unsupported-dtype", ExitCode::unsupported},
    {"unsupported-inplace", ExitCode::unsupported},
    {"unsupported-op", ExitCode::unsupported},
    {"unsupported-output", ExitCode::unsupported},
    {"usage", ExitCode::usage},
    {"values-drawn", ExitCode::unreadable},
    {"weight-not-compressed", ExitCode::unsupported},
    {"weight-not-packed", ExitCode::unsupported},
    {"weight-not-pruned", ExitCode::unsupported},
    {"weights-missing", ExitCode::unreadable},
};

}  // namespace

std::span<const DiagnosticId> diagnostic_ids() { return kIds; }

ExitCode exit_code(std::string_view id) {
  const std::span<const DiagnosticId> ids = diagnostic_ids();
  const auto found =
      std::lower_bound(ids.begin(), ids.end(), id,
                       [](const DiagnosticId& row, std::string_view key) { return row.id < key; });
  if (found == ids.end() || found->id != id) {
    std::fprintf(stderr, "t2nnef: diagnostic id '%.*s' is not in src/diag/ids.cpp\n",
                 static_cast<int>(id.size()), id.data());
    std::abort();
  }
  return found->code;
}

}  // namespace t2n
