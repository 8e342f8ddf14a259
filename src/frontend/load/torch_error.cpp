// SPDX-License-Identifier: Apache-2.0
#include "src/frontend/load/torch_error.h"

#include <c10/util/Exception.h>
#include <torch/csrc/jit/frontend/error_report.h>

#include <exception>
#include <new>
#include <string_view>

#include "src/diag/error.h"
#include "src/diag/printable.h"

namespace t2n::trace {

namespace {

/// Shortens "[ok] INTERNAL ASSERT FAILED at "…/ir.cpp":12, please report a bug to PyTorch. Words":
/// the user should not report a bug, as LibTorch fails on the file.
std::string without_assertion(const std::string& text) {
  constexpr std::string_view kAssert = "INTERNAL ASSERT FAILED at ";
  constexpr std::string_view kReport = "please report a bug to PyTorch.";
  const size_t begin = text.find(kAssert);
  if (begin == std::string::npos) return text;
  const size_t location = begin + kAssert.size();
  std::string where = text.substr(location, text.find(',', location) - location);
  std::erase(where, '"');
  where = where.substr(where.rfind('/') + 1);
  const size_t report = text.find(kReport, location);
  std::string rest =
      report == std::string::npos ? "" : first_line(text.substr(report + kReport.size()));
  return cat("LibTorch failed on it (", where, ")", rest.empty() ? "" : ": ", rest);
}

std::string raw_message() {
  try {
    throw;
  } catch (const t2n::Error&) {
    throw;
  } catch (const torch::jit::ErrorReport& error) {
    return error.what();
  } catch (const c10::Error& error) {
    return error.what_without_backtrace();
  } catch (const std::bad_alloc&) {
    return "there is not enough memory";
  } catch (const std::exception& error) {
    return error.what();
  }
}

}  // namespace

std::string current_torch_message() { return without_assertion(raw_message()); }

}  // namespace t2n::trace
