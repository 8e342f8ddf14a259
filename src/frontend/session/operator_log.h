// SPDX-License-Identifier: Apache-2.0
// The operators that torch's dispatcher runs on this thread, with a digest of every result.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace t2n::trace {

/// While an object lives, `visit` is called for every operator that ends and was not called by
/// another one. Only one object may exist at a time.
class OperatorLog {
 public:
  using Visit = std::function<void(const std::string& op, uint64_t digest)>;
  explicit OperatorLog(Visit visit);
  ~OperatorLog();
  OperatorLog(const OperatorLog&) = delete;
  OperatorLog& operator=(const OperatorLog&) = delete;

 private:
  uint64_t handle_ = 0;
};

}  // namespace t2n::trace
