// SPDX-License-Identifier: Apache-2.0
// Checks the size of a pickle's values before LibTorch builds them.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace t2n::model_file {

/// Refuses pickles whose values contain themselves, are nested deeper than check_nesting allows, or
/// are shared so often that visiting all paths never ends. Calls `on_string`, if given, for each
/// string. Errors: `id`, with `what` as its subject.
void check_pickle(std::span<const char> bytes, const std::string& id, const std::string& what,
                  const std::function<void(std::string_view)>& on_string = {});

}  // namespace t2n::model_file
