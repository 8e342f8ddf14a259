// SPDX-License-Identifier: Apache-2.0
// Reports of a process that ends early: by a limit, a signal or a crash.
#pragma once

#include <sys/types.h>

#include <functional>

#include "src/diag/error.h"

namespace t2n::cli {

/// A copy of this process, made before a model confines it, that waits for an early end. At most
/// one exists.
class EarlyEnd {
 public:
  /// If the process ends early, the copy calls `write`, and the process waits for it.
  explicit EarlyEnd(const std::function<void(const Error& error)>& write);
  /// Ends the copy: the process can write its reports itself.
  ~EarlyEnd();
  EarlyEnd(const EarlyEnd&) = delete;
  EarlyEnd& operator=(const EarlyEnd&) = delete;

 private:
  pid_t copy_ = -1;
};

}  // namespace t2n::cli
