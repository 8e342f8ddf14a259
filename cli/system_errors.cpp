#include "cli/system_errors.h"

#include "src/limits/limits.h"

namespace t2n::cli {

Error out_of_memory() {
  return {"memory-limit", "out of memory",
          cat("t2nnef may use ", limits::bytes_text(limits::max_memory()),
              ", and `ulimit -v` may allow less"),
          "raise the limit, or use smaller inputs"};
}

Error system_error(const std::system_error& error) {
  return {"memory-limit",
          cat("the system reports: ", error.what()),
          {},
          "raise the limits that `ulimit -a` shows"};
}

Error path_error(const std::filesystem::filesystem_error& error) {
  return {"cannot-write", cat("cannot use ", quoted(error.path1().string())),
          error.code().message(), "choose another path"};
}

}  // namespace t2n::cli
