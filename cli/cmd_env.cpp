// SPDX-License-Identifier: Apache-2.0
// t2nnef env: what this installation has, for bug reports and CI logs.
#include <CLI/CLI.hpp>
#include <cstdlib>
#include <memory>

#include "cli/commands.h"
#include "cli/environment.h"
#include "cli/options/variables.h"
#include "cli/screen/console.h"
#include "cli/screen/text.h"
#include "src/confine/confine.h"
#include "src/diag/error.h"
#include "src/model/torch_module.h"
#include "src/report/environment.h"
#include "src/target/target.h"
#include "src/tract/find.h"

namespace t2n::cli {
namespace {

constexpr const char* kEnvExamples =
    "examples:\n"
    "  t2nnef env\n"
    "  t2nnef env --json\n";

const char* origin_text(tract::Origin origin) {
  switch (origin) {
    case tract::Origin::option: return "--engine";
    case tract::Origin::environment: return "T2NNEF_TRACT_LIB";
    case tract::Origin::python: return "Python package";
  }
  internal_error(__FILE__, __LINE__, "no such origin");
}

/// Features of the processor that choose kernels, of int8 above all.
std::vector<std::string> processor_features() {
  std::vector<std::string> out;
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") != 0) out.emplace_back("avx2");
  if (__builtin_cpu_supports("avx512f") != 0) out.emplace_back("avx512f");
  if (__builtin_cpu_supports("avx512vnni") != 0) out.emplace_back("avx512vnni");
#endif
  return out;
}

report::Environment environment() {
  report::Environment out;
  out.version = T2NNEF_VERSION;
  out.torch_built = T2NNEF_LIBTORCH_VERSION;
  try {
    out.torch_found = torch_module().torch_version;
    out.torch_folder = loaded_torch().folder;
    out.torch_origin = loaded_torch().origin;
  } catch (const Error& error) {
    const Diagnostic& diagnostic = error.diagnostic();
    out.problems.push_back(diagnostic.message);
    out.problems.insert(out.problems.end(), diagnostic.details.begin(), diagnostic.details.end());
  }
  out.default_target = target::target_name(target::parse_target("tract"));
  const tract::Candidates found = tract::find_engines(tract::search_from_environment("auto"));
  for (const tract::Engine& engine : found.engines)
    out.engines.push_back(
        {"tract", tract::version_str(engine.version), engine.library, origin_text(engine.origin)});
  out.problems.insert(out.problems.end(), found.problems.begin(), found.problems.end());
  out.processor = processor_features();
  out.sandbox = confine::describe_support();
  out.variables = own_variables();
  if (const char* value = std::getenv("VIRTUAL_ENV"))
    out.variables.emplace_back("VIRTUAL_ENV", value);
  return out;
}

/// "2.13.0, from T2NNEF_TORCH: FOLDER"
std::string torch_text(const report::Environment& env) {
  return cat(env.torch_found, ", from ", env.torch_origin,
             env.torch_folder.empty() ? "" : ": " + env.torch_folder);
}

std::string text_of(const report::Environment& env) {
  std::vector<std::vector<std::string>> rows = {
      {"t2nnef", env.version},
      {"LibTorch", env.torch_built.empty()   ? "built without"
                   : env.torch_found.empty() ? cat(env.torch_built, ", which cannot be loaded")
                                             : torch_text(env)},
      {"default target", env.default_target}};
  for (const report::Environment::Engine& engine : env.engines)
    rows.push_back({"engine", cat(engine.name, " ", engine.version, ", from ", engine.origin, ": ",
                                  engine.library)});
  if (!env.torch_found.empty()) rows.push_back({"engine", "the reference interpreter"});
  rows.push_back({"processor", env.processor.empty() ? "no features that choose kernels"
                                                     : joined(env.processor, ", ")});
  rows.push_back({"sandbox", env.sandbox});
  for (const auto& [name, value] : env.variables) rows.push_back({name, value});
  for (const std::string& problem : env.problems) rows.push_back({"problem", problem});
  return table(std::move(rows));
}

ExitCode run_env(CommandReport& report) {
  const report::Environment env = environment();
  report::add_environment(report, env);
  print(text_of(env));
  return ExitCode::ok;
}

}  // namespace

std::string environment_text() { return text_of(environment()); }

void setup_env(CLI::App& app, Run& selected) {
  CLI::App* command = app.add_subcommand("env", "Show versions, LibTorch, engines and processor");
  command->footer(kEnvExamples);
  command->callback([&selected] { selected = run_env; });
}

}  // namespace t2n::cli
