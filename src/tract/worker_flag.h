// SPDX-License-Identifier: Apache-2.0
// The hidden first argument that makes a program an engine worker; library and memory bound follow.
#pragma once

#include <string_view>

namespace t2n::tract {

constexpr std::string_view kWorkerFlag = "--t2nnef-engine-worker";

}  // namespace t2n::tract
