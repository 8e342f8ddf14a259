// SPDX-License-Identifier: Apache-2.0
#include "cli/system_errors.h"

#include <filesystem>
#include <new>
#include <stdexcept>
#include <system_error>

#include "src/limits/limits.h"

namespace t2n::cli {
namespace {

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

/// For a path that changed while it was examined, or is not valid text.
Error path_error(const std::filesystem::filesystem_error& error) {
  return {"cannot-write", cat("cannot use ", quoted(error.path1().string())),
          error.code().message(), "choose another path"};
}

}  // namespace

Error current_error() {
  try {
    throw;
  } catch (const Error& error) {
    return error;
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  } catch (const std::length_error&) {
    return out_of_memory();
  } catch (const std::filesystem::filesystem_error& error) {
    return path_error(error);
  } catch (const std::system_error& error) {
    return system_error(error);
  } catch (const std::exception& error) {
    return {"internal", error.what(), "this is a bug in t2nnef, not in your model",
            "please report it with the command you ran"};
  }
}

}  // namespace t2n::cli
