// The parts of the elementwise family, one file each; register_elementwise calls them.
#pragma once

namespace t2n::ops {}  // namespace t2n::ops
