#include "src/trace/torch_error.h"

#include <c10/util/Exception.h>
#include <torch/csrc/jit/frontend/error_report.h>

#include <exception>
#include <new>

#include "src/diag/error.h"

namespace t2n::trace {

namespace {

/// LibTorch's own assertions speak of its source, and ask to be reported to PyTorch.
std::string plain_text(std::string text) {
  if (text.find("INTERNAL ASSERT FAILED") == std::string::npos) return text;
  return "a value is not what the operation takes it for, or LibTorch has a bug";
}

}  // namespace

std::string current_torch_message() {
  try {
    throw;
  } catch (const t2n::Error&) {
    throw;
  } catch (const torch::jit::ErrorReport& error) {
    return error.what();
  } catch (const c10::Error& error) {
    return plain_text(error.what_without_backtrace());
  } catch (const std::bad_alloc&) {
    return "there is not enough memory";
  } catch (const std::exception& error) {
    return plain_text(error.what());
  }
}

std::string first_line(const std::string& text, size_t limit) {
  const size_t begin = text.find_first_not_of(" \n\t");
  if (begin == std::string::npos) return {};
  std::string line = text.substr(begin, text.find('\n', begin) - begin);
  if (line.size() > limit) line = line.substr(0, limit) + "…";
  return line;
}

}  // namespace t2n::trace
