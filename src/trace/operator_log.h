// What torch's dispatcher is asked for on this thread, with a digest of every result.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace t2n::trace {

/// While it lives, `visit` is told of every operator that ended and was called by no other. One at
/// a time.
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
