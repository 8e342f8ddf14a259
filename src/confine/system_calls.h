// System calls that no model needs, and that Landlock does not cover.
#pragma once

namespace t2n::confine {

bool can_filter_system_calls();

/// From now on they fail (EPERM) in all threads, and in those that these start.   Returns 0 or an
/// errno.
int filter_system_calls();

}  // namespace t2n::confine
