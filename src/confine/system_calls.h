// SPDX-License-Identifier: Apache-2.0
// System calls that no model needs, and that Landlock does not cover.
#pragma once

namespace t2n::confine {

bool can_filter_system_calls();

/// Makes them fail (EPERM) in all threads, and in threads started by these.   Returns 0 or an
/// errno.
int filter_system_calls();

}  // namespace t2n::confine
