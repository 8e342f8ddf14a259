// What a pickle would build, counted before LibTorch builds it.
#pragma once

#include <span>
#include <string>

namespace t2n::trace {

/// Refuses pickles whose values contain themselves, are nested deeper than check_nesting allows, or
/// are shared so often that whoever walks over them never ends. Errors: `id`, with `what` as its
/// subject.
void check_pickle(std::span<const char> bytes, const std::string& id, const std::string& what);

}  // namespace t2n::trace
