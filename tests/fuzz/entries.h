// SPDX-License-Identifier: Apache-2.0
// What is fuzzed: each function reads bytes that anybody could have written, and either understands
// them or throws one of the errors that a reader may throw. Anything else ends the program.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace t2n::nnef {

using Entry = void (*)(std::span<const std::byte>);

struct EntryRow {
  const char* name;  ///< of the folder under tests/fuzz/corpus
  Entry run;
};

/// A graph.nnef, read, printed, read again: the same.
void fuzz_graph(std::span<const std::byte> bytes);
/// A graph.quant, likewise.
void fuzz_quant(std::span<const std::byte> bytes);
/// A tensor file.
void fuzz_dat(std::span<const std::byte> bytes);
/// A tar or a gzipped tar with all that is in it.
void fuzz_artefact(std::span<const std::byte> bytes);
/// A table of a .pt2 file: a program, or a list of tensors.
void fuzz_program(std::span<const std::byte> bytes);

inline constexpr EntryRow kEntries[] = {{"graph", fuzz_graph},
                                        {"quant", fuzz_quant},
                                        {"dat", fuzz_dat},
                                        {"artefact", fuzz_artefact},
                                        {"program", fuzz_program}};

/// Writes the right checksum into each header of a tar, without which nothing behind it is read.
void mend_checksums(std::span<std::byte> tar);

}  // namespace t2n::nnef
