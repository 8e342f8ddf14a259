// SPDX-License-Identifier: Apache-2.0
#include "cli/options/stream_options.h"

#include <CLI/CLI.hpp>
#include <charconv>

#include "src/diag/error.h"

namespace t2n::cli {

void add_stream_option(CLI::App& command, std::string& option) {
  command
      .add_option("--stream", option,
                  "Process the --dynamic axis S in pieces\n"
                  "States are kept between runs. With S=8, the pieces have 8 entries.")
      ->type_name("S[=PULSE]");
}

target::Stream stream_of(const std::string& option) {
  if (option.empty()) return {};
  const size_t equals = option.find('=');
  target::Stream out{option.substr(0, equals), 0};
  if (equals == std::string::npos) return out;
  const char* const end = option.data() + option.size();
  const auto [rest, error] = std::from_chars(option.data() + equals + 1, end, out.pulse);
  if (error != std::errc() || rest != end || out.pulse < 1)
    throw Error("usage", cat("cannot read --stream ", quoted(option)),
                "a pulse is an integer, 1 or more", "write it as in --stream S=8");
  return out;
}

}  // namespace t2n::cli
