// SPDX-License-Identifier: Apache-2.0
// The families of operators of this folder: signal processing. Each function adds one to the table.
#pragma once

namespace t2n::ops {

class Registry;

void register_complex(Registry& registry);
void register_fft(Registry& registry);
void register_stft(Registry& registry);
void register_windows(Registry& registry);

}  // namespace t2n::ops
