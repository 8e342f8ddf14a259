// SPDX-License-Identifier: Apache-2.0
// Determines the version that an engine must serve, and finds one.
#include "src/check/engine.h"

#include <algorithm>
#include <filesystem>

#include "src/check/runner.h"
#include "src/confine/confine.h"
#include "src/diag/error.h"
#include "src/tract/find.h"

namespace t2n {
namespace {

tract::EngineVersion version_of(const target::Target& target) {
  return {target.version.major, target.version.minor, target.version.patch};
}

/// Refuses a missing path, independent of the required version.
void refuse_path(std::string_view path) {
  if (path.starts_with("lib:")) path.remove_prefix(4);
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored))
    throw Error("engine-not-found", cat("there is no tract library ", quoted(path)),
                "No such file or directory",
                "pass the path of tract's library, or of its folder, with --engine");
}

/// True if the text may be a path; otherwise it is a misspelt name.
bool looks_like_path(std::string_view text) {
  return text.starts_with("lib:") || text.find_first_of("/.\\") != std::string_view::npos;
}

void refuse_version(const tract::EngineVersion& version, const target::Target& target) {
  if (target.engine != target::Engine::tract || tract::serves(version, version_of(target))) return;
  const std::string engine = cat("tract@", tract::version_str(version));
  const bool is_target = target::is_supported({version.major, version.minor, version.patch});
  throw Error(
      "engine-version", cat(engine, " cannot run artefacts for ", target::target_name(target)),
      "an engine serves targets of its own series (0.x) that are not newer than it",
      is_target ? cat("export for this engine with --target ", engine)
                : cat("use an engine for this target: --engine ", target::target_name(target)));
}

/// An engine that serves `preferred`, else the newest. Always the newest for files of other
/// exporters, which may use features that are newer than their version.
tract::Engine any_engine(const tract::Search& search, const tract::EngineVersion& preferred,
                         bool is_foreign) {
  const tract::Candidates found = tract::find_engines(search);
  const auto serving = std::find_if(
      found.engines.begin(), found.engines.end(),
      [&](const tract::Engine& engine) { return tract::serves(engine.version, preferred); });
  if (serving != found.engines.end() && !is_foreign) return *serving;
  if (found.engines.empty()) return tract::pick(preferred, found);  // this throws
  return *std::max_element(
      found.engines.begin(), found.engines.end(),
      [](const tract::Engine& a, const tract::Engine& b) { return a.version < b.version; });
}

/// For tract targets; strict NNEF runs in any version.
tract::EngineVersion version_for(const EngineRequest& request) {
  const bool is_tract = request.target && request.target->engine == target::Engine::tract;
  return version_of(is_tract ? *request.target : target::parse_target("tract"));
}

tract::Engine find_tract(const EngineChoice& choice, const EngineRequest& request) {
  const tract::Search search = tract::search_from_environment(choice.library);
  if (choice.kind == EngineChoice::Kind::library) refuse_path(choice.library);
  if (choice.version) {
    if (request.only) refuse_version(*choice.version, *request.target);
    return tract::find_engine(search, *choice.version);
  }
  const tract::EngineVersion version = version_for(request);
  return request.only ? tract::find_engine(search, version)
                      : any_engine(search, version, request.is_foreign);
}

/// A warning that the reference interpreter replaces the engine that was not found.
Diagnostic reference_warning(const Error& error) {
  Diagnostic out = error.diagnostic();
  out.severity = Severity::warning;
  out.id = "engine-reference";
  out.message += "; the reference interpreter is used instead";
  out.why =
      "the interpreter follows the specification and tract's documentation; tract itself may "
      "differ";
  return out;
}

FoundEngine reference(const EngineRequest& request) {
  return {.runner = check::reference_runner(interp_module(), request.dialect),
          .order = request.dialect,
          .warning = {}};
}

FoundEngine automatic(const EngineRequest& request, const check::RunnerOptions& options) {
  if (request.dialect != spec::Dialect::tract) return reference(request);
  try {
    EngineRequest closer = request;
    closer.only = request.target.has_value() && !request.is_foreign;
    return {.runner = check::tract_runner(find_tract({}, closer), options),
            .order = spec::Dialect::tract,
            .warning = {}};
  } catch (const Error& error) {
    if (error.code() != ExitCode::no_engine || request.needs_own) throw;
    FoundEngine out = reference(request);
    out.warning = reference_warning(error);
    return out;
  }
}

}  // namespace

EngineChoice parse_engine(std::string_view text) {
  EngineChoice out;
  if (text.empty() || text == "auto") return out;
  if (text == "reference") {
    out.kind = EngineChoice::Kind::reference;
    return out;
  }
  out.kind = EngineChoice::Kind::tract;
  if (text == "tract") return out;
  if (text.starts_with("tract@")) {
    out.version = tract::parse_version(text.substr(6));
    if (!out.version)
      throw Error("usage", cat("--engine ", quoted(text), " contains no valid version"), {},
                  "write for example --engine tract@0.21.19");
    return out;
  }
  std::error_code ignored;
  if (!looks_like_path(text) && !std::filesystem::exists(text, ignored)) {
    const std::string near = nearest(text, {"auto", "reference", "tract"});
    throw Error(
        "usage", cat("there is no engine ", quoted(text)),
        "engines are auto, reference, tract, tract@VERSION, and the path of tract's library",
        near.empty() ? "" : cat("did you mean ", quoted(near), "?"));
  }
  out.kind = EngineChoice::Kind::library;
  out.library = text;
  return out;
}

EngineRequest engine_request_for(const target::Target& target) {
  const bool is_tract = target.engine == target::Engine::tract;
  return {.dialect = is_tract ? spec::Dialect::tract : spec::Dialect::khronos,
          .target = target,
          .only = is_tract};
}

namespace {

FoundEngine chosen_engine(const EngineChoice& choice, const EngineRequest& request,
                          const check::RunnerOptions& options) {
  switch (choice.kind) {
    case EngineChoice::Kind::automatic: return automatic(request, options);
    case EngineChoice::Kind::reference: return reference(request);
    case EngineChoice::Kind::tract:
    case EngineChoice::Kind::library:
      return {.runner = check::tract_runner(find_tract(choice, request), options),
              .order = spec::Dialect::tract,
              .warning = {}};
  }
  internal_error(__FILE__, __LINE__, "no such engine");
}

}  // namespace

FoundEngine find_engine(const EngineChoice& choice, const EngineRequest& request,
                        const check::RunnerOptions& options) {
  FoundEngine out = chosen_engine(choice, request, options);
  // Made before the process is confined.
  out.scratch = std::make_shared<nnef::Temporary>(
      std::filesystem::temp_directory_path() / "t2nnef-check", nnef::Temporary::Kind::folder);
  confine::may_use_up(out.scratch->path());
  return out;
}

}  // namespace t2n
