// System calls that no model needs, and that Landlock does not know.
#pragma once

namespace t2n::confine {

bool can_filter_system_calls();

/// From now on this thread, and those that it starts, are refused them (EPERM). False if the kernel
/// has no filters, or knows this processor under another name.
bool filter_system_calls();

}  // namespace t2n::confine
