// SPDX-License-Identifier: Apache-2.0
// Models whose loops are recorded as scans.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "src/model/traced.h"

namespace t2n::test {

using Parameters = std::vector<std::pair<std::string, ir::Tensor>>;

/// Traces with all loops rolled whose iterations follow from sizes, as they come to light.
trace::Traced rolled(const std::string& source, const std::vector<ir::Tensor>& inputs,
                     const Parameters& parameters = {});

/// The text of the rolled graph; fails the test unless it computes what the program did.
std::string rolled_text(const std::string& source, const std::vector<ir::Tensor>& inputs,
                        const Parameters& parameters = {});

}  // namespace t2n::test
