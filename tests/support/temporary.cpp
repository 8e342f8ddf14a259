// SPDX-License-Identifier: Apache-2.0
#include "tests/support/temporary.h"

#include <unistd.h>

#include "src/diag/error.h"

namespace t2n::test {

namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (fs::temp_directory_path() / "t2nnef-test-XXXXXX").string();
  T2N_ASSERT(::mkdtemp(pattern.data()) != nullptr, "cannot make a temporary folder");
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace t2n::test
