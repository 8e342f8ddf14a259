// SPDX-License-Identifier: Apache-2.0
#include "src/report/environment.h"

#include <nlohmann/json.hpp>

namespace t2n::report {

void add_environment(CommandReport& report, const Environment& environment) {
  using Json = nlohmann::ordered_json;
  Json engines = Json::array();
  for (const Environment::Engine& engine : environment.engines)
    engines.push_back({{"name", engine.name},
                       {"version", engine.version},
                       {"library", engine.library},
                       {"origin", engine.origin}});
  Json variables = Json::object();
  for (const auto& [name, value] : environment.variables) variables[name] = value;
  const auto text_or_null = [](const std::string& text) {
    return text.empty() ? Json(nullptr) : Json(text);
  };
  report["environment"] = {{"version", environment.version},
                           {"libtorch_built", text_or_null(environment.torch_built)},
                           {"libtorch_found", text_or_null(environment.torch_found)},
                           {"libtorch_folder", text_or_null(environment.torch_folder)},
                           {"libtorch_origin", text_or_null(environment.torch_origin)},
                           {"default_target", environment.default_target},
                           {"engines", engines},
                           {"processor", environment.processor},
                           {"sandbox", environment.sandbox},
                           {"variables", variables},
                           {"problems", environment.problems}};
}

}  // namespace t2n::report
