// SPDX-License-Identifier: Apache-2.0
// The switch of the planted faults, in the copy of the sources only.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

struct MutantSwitch {
  int chosen = 0;  // 0: none
  /// A byte per fault, in a file that all processes of a test share: a process that gave up its
  /// rights can still write to it.
  unsigned char* reached = nullptr;
  long count = 0;
};

inline MutantSwitch read_mutant_switch() {
  MutantSwitch out;
  if (const char* number = std::getenv("T2N_MUTANT")) out.chosen = std::atoi(number);
  const char* const path = std::getenv("T2N_MUTANT_TRACE");
  const int file = path == nullptr ? -1 : ::open(path, O_RDWR | O_CLOEXEC);
  struct stat info = {};
  if (file < 0 || ::fstat(file, &info) != 0) return out;
  void* const bytes = ::mmap(nullptr, static_cast<size_t>(info.st_size), PROT_READ | PROT_WRITE,
                             MAP_SHARED, file, 0);
  ::close(file);
  if (bytes == MAP_FAILED) return out;
  out.reached = static_cast<unsigned char*>(bytes);
  out.count = info.st_size;
  return out;
}

inline const MutantSwitch& mutant_switch() {
  static const MutantSwitch kSwitch = read_mutant_switch();
  return kSwitch;
}

/// Read as the library is loaded: later the file may be out of reach.
inline const bool kMutantSwitchRead = mutant_switch().count > 0;

inline bool t2n_mutant(int number) {
  const MutantSwitch& s = mutant_switch();
  if (number < s.count) s.reached[number] = 1;
  return s.chosen == number;
}
