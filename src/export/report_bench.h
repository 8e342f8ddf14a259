// tract's profiles, and the JSON of `bench`: `t2nnef.bench/1`.
#pragma once

#include <string>

#include "src/export/bench.h"

namespace t2n {

/// The operations in a profile, the slowest first. Errors: `engine-failed` if it cannot be read.
std::vector<BenchedOperation> operations_in(const std::string& profile);

std::string bench_json(const BenchResult& result);

}  // namespace t2n
