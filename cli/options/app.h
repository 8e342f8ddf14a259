// SPDX-License-Identifier: Apache-2.0
// CLI11's command, for headers: its own are long.
#pragma once

namespace CLI {  // NOLINT(readability-identifier-naming): not ours
class App;
}
