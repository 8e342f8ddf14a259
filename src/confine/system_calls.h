// System calls that no model needs, and that Landlock does not know.
#pragma once

namespace t2n::confine {

bool can_filter_system_calls();

/// From now on all threads, and those that they start, are refused them (EPERM).   Returns 0 or an
/// errno.
int filter_system_calls();

}  // namespace t2n::confine
