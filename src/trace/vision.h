// Operators of torchvision, whose library is no part of LibTorch: computed here as it does.
#pragma once

namespace t2n::trace {

/// Registers `torchvision::nms`, for LibTorch's executor as for ours. Once is enough.
void register_vision();

}  // namespace t2n::trace
