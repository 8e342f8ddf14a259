// SPDX-License-Identifier: Apache-2.0
#include "src/loops/passes.h"

namespace t2n::loops {

std::vector<passes::PassInfo> pass_rows() {
  using passes::Effect;
  return {{"roll-loops", "turns recorded loops into scans", roll_loops, Effect::preserves, "",
           "loops that the trace records with --passes roll-loops"},
          {"unroll-scans", "unrolls scans for targets without loops", unroll_scans}};
}

}  // namespace t2n::loops
