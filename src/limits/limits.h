// SPDX-License-Identifier: Apache-2.0
// Resource limits of a command, so that a small file cannot use up the machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace t2n::limits {

// Seconds for default stages, if --timeout is not given.
constexpr double kReadSeconds = 60;        ///< for reading an artefact, or loading a model
constexpr double kBytesPerSecond = 20e6;   ///< additional bytes per additional second
constexpr double kReferenceSeconds = 600;  ///< for one run of the reference interpreter

/// For a file of `bytes`.
double read_seconds(int64_t bytes);

// Artefacts.
constexpr int64_t kDrawnElements = int64_t{1}
                                   << 26;  ///< of an input whose size only the artefact defines
constexpr int64_t kFewBytes = int64_t{1}
                              << 29;  ///< for the tensors of a run, even for a small model
constexpr int64_t kGrowth = 1024;     ///< or this multiple of the largest input or weight
constexpr int64_t kMostBytes = int64_t{1} << 46;
constexpr int64_t kSteps = 20'000'000;              ///< values created or copied in one run
constexpr int64_t kItems = 1'000'000;               ///< of an array or a text
constexpr int64_t kExpandedStatements = 1'000'000;  ///< after all fragments are expanded

// Memory.
/// "800M", "1.5G", "2GiB", "1000000": bytes, in powers of 1000 (M) or 1024 (Mi).   Errors: `usage`,
/// naming `option`.
int64_t parse_bytes(std::string_view text, std::string_view option);
/// "1.5 GB"
std::string bytes_text(int64_t bytes);

/// The memory of the machine, or of this process's control group, minus a margin.
int64_t default_memory();

/// The value of --max-memory, else default_memory().
int64_t max_memory();
int64_t chosen_max_memory();  ///< the value of --max-memory; 0 if it was not given
void set_max_memory(int64_t bytes);

/// Memory of this process that is not backed by a file. 0 if unknown.
int64_t memory_in_use();

/// Called before allocations whose size comes from a file.   Errors: `memory-limit` if `bytes` more
/// do not fit; `what` begins the message: "the input 'x'".
void require_bytes(int64_t bytes, std::string_view what);

}  // namespace t2n::limits
