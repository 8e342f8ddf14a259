// Determines the version that an engine must serve, and finds one.
#include "src/export/engine.h"

#include <algorithm>
#include <filesystem>

#include "src/confine/confine.h"
#include "src/diag/error.h"
#include "src/export/torch_module.h"
#include "src/tract/find.h"

namespace t2n {
namespace {

tract::EngineVersion version_of(const target::Target& target) {
  return {target.version.major, target.version.minor, target.version.patch};
}

/// A missing path is a typing error, whatever version is needed.
void refuse_path(std::string_view path) {
  if (path.starts_with("lib:")) path.remove_prefix(4);
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored))
    throw Error("engine-not-found", cat("there is no tract library ", quoted(path)),
                "No such file or directory",
                "give --engine the path of tract's library, or of the folder that holds it");
}

/// True for what may be a path; other words are misspelt names.
bool looks_like_path(std::string_view text) {
  return text.starts_with("lib:") || text.find_first_of("/.\\") != std::string_view::npos;
}

void refuse_version(const tract::EngineVersion& version, const target::Target& target) {
  if (target.engine != target::Engine::tract || tract::serves(version, version_of(target))) return;
  throw Error("engine-version",
              cat("tract@", tract::version_str(version), " may not stand for ",
                  target::target_name(target)),
              "an engine serves targets of its own series (0.x) that are not newer than it",
              cat("export for it with --target tract@", tract::version_str(version)));
}

/// An engine that serves `preferred`, else the newest. For files of other exporters, which may use
/// later features than their version, it is always the newest.
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
tract::EngineVersion version_for(const EngineRequest& wanted) {
  const bool is_tract = wanted.target && wanted.target->engine == target::Engine::tract;
  return version_of(is_tract ? *wanted.target : target::parse_target("tract"));
}

tract::Engine find_tract(const EngineChoice& choice, const EngineRequest& wanted) {
  const tract::Search search = tract::search_from_environment(choice.library);
  if (choice.kind == EngineChoice::Kind::library) refuse_path(choice.library);
  if (choice.version) {
    if (wanted.only) refuse_version(*choice.version, *wanted.target);
    return tract::find_engine(search, *choice.version);
  }
  const tract::EngineVersion version = version_for(wanted);
  return wanted.only ? tract::find_engine(search, version)
                     : any_engine(search, version, wanted.is_foreign);
}

/// A warning that the reference interpreter replaces the engine that was not found.
Diagnostic stands_in(const Error& error) {
  Diagnostic out = error.diagnostic();
  out.severity = Severity::warning;
  out.id = "engine-reference";
  out.message += "; the reference interpreter takes its place";
  out.why =
      "it computes what the specification and tract's documents say, not what tract makes of it";
  return out;
}

FoundEngine reference(const EngineRequest& wanted) {
  return {.runner = check::reference_runner(interp_module(), wanted.dialect),
          .order = wanted.dialect,
          .warning = {}};
}

FoundEngine automatic(const EngineRequest& wanted, const check::RunnerOptions& options) {
  if (wanted.dialect != spec::Dialect::tract) return reference(wanted);
  try {
    EngineRequest closer = wanted;
    closer.only = wanted.target.has_value() && !wanted.is_foreign;
    return {.runner = check::tract_runner(find_tract({}, closer), options),
            .order = spec::Dialect::tract,
            .warning = {}};
  } catch (const Error& error) {
    if (error.code() != ExitCode::no_engine || wanted.needs_own) throw;
    FoundEngine out = reference(wanted);
    out.warning = stands_in(error);
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
      throw Error("usage", cat("--engine ", quoted(text), " names no version"), {},
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

FoundEngine chosen_engine(const EngineChoice& choice, const EngineRequest& wanted,
                          const check::RunnerOptions& options) {
  switch (choice.kind) {
    case EngineChoice::Kind::automatic: return automatic(wanted, options);
    case EngineChoice::Kind::reference: return reference(wanted);
    case EngineChoice::Kind::tract:
    case EngineChoice::Kind::library:
      return {.runner = check::tract_runner(find_tract(choice, wanted), options),
              .order = spec::Dialect::tract,
              .warning = {}};
  }
  internal_error(__FILE__, __LINE__, "no such engine");
}

}  // namespace

FoundEngine find_engine(const EngineChoice& choice, const EngineRequest& wanted,
                        const check::RunnerOptions& options) {
  FoundEngine out = chosen_engine(choice, wanted, options);
  // Made before the process is confined.
  out.scratch = std::make_shared<nnef::Temporary>(
      std::filesystem::temp_directory_path() / "t2nnef-check", nnef::Temporary::Kind::folder);
  confine::may_use_up(out.scratch->path());
  return out;
}

}  // namespace t2n
