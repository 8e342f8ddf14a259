// SPDX-License-Identifier: Apache-2.0
// A line per artefact, by program, test case and place in it.
#include "tests/support/digest.h"

#include <doctest/doctest.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>

#include "nnef_writer/archive.h"
#include "tests/support/temporary.h"

namespace t2n::test {
namespace {

/// FNV-1a of 64 bits: no two artefacts that a mistake tells apart are expected to share it.
uint64_t digest_of(const std::string& bytes) {
  uint64_t hash = 14695981039346656037U;
  for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * 1099511628211U;
  return hash;
}

std::string written(const nnef::Document& document) {
  const TemporaryFolder folder;
  nnef::PendingArtefact artefact = nnef::write_artefact(
      document, {folder.path() / "model.tar", nnef::Destination::Form::tar, 0});
  std::ifstream file(artefact.path(), std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

void note_digest(const nnef::Document& document, const std::string& target) {
  const char* const path = std::getenv("T2NNEF_DIGESTS");
  if (path == nullptr) return;
  static std::map<std::string, int> made;
  const std::string name = doctest::getContextOptions()->currentTest->m_name;
  std::ostringstream line;
  line << program_invocation_short_name << ": " << name << " #" << made[name]++ << " " << target
       << "\t" << std::hex << digest_of(written(document)) << "\n";
  std::ofstream(path, std::ios::app) << line.str();
}

}  // namespace t2n::test
