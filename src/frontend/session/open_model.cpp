// SPDX-License-Identifier: Apache-2.0
#include "src/frontend/session/open_model.h"

#include "src/frontend/load/allocation.h"
#include "src/frontend/load/code.h"
#include "src/frontend/load/warning_relay.h"
#include "src/frontend/pt2/load_exported.h"
#include "src/frontend/run/setstate.h"

namespace t2n::trace {

Loaded open_model(const std::string& path, const std::string& method) {
  prepare_process();
  const Report none;  // hides LibTorch's warnings about old types while it reads the file
  WarningRelay relay(none);
  const c10::WarningUtils::WarningHandlerGuard warnings(&relay);
  const auto archive = Archive::open(path);
  limit_allocations(archive->mapping()->size(), 0);
  return is_exported(*archive) ? load_exported(archive, method)
                               : load_model(archive, make_by_setstate);
}

ModelCode read_model_code(const std::string& path) {
  prepare_process();
  const auto archive = Archive::open(path);
  return is_exported(*archive) ? code_of_exported(*archive) : read_code(*archive);
}

}  // namespace t2n::trace
