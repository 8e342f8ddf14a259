// Turns what was asked for into a version that an engine has to serve, and looks for one.
#include "src/export/engine.h"

#include <algorithm>
#include <filesystem>

#include "src/diag/error.h"
#include "src/tract/find.h"

namespace t2n {
namespace {

tract::Version version_of(const target::Target& target) {
  return {target.version.major, target.version.minor, target.version.patch};
}

/// What may look like a path; other words are misspelt names.
bool looks_like_path(std::string_view text) {
  return text.starts_with("lib:") || text.find_first_of("/.\\") != std::string_view::npos;
}

void refuse_version(const tract::Version& version, const target::Target& target) {
  if (tract::serves(version, version_of(target))) return;
  throw Error("engine-version",
              cat("tract@", tract::version_str(version), " may not stand for ",
                  target::target_name(target)),
              "an engine serves targets of its own series (0.x) that are not newer than it",
              cat("export for it with --target tract@", tract::version_str(version)));
}

/// One that serves `preferred`, else the newest there is.
tract::Engine any_engine(const tract::Search& search, const tract::Version& preferred) {
  const tract::Candidates found = tract::find_engines(search);
  const auto serving = std::find_if(
      found.engines.begin(), found.engines.end(),
      [&](const tract::Engine& engine) { return tract::serves(engine.version, preferred); });
  if (serving != found.engines.end()) return *serving;
  if (found.engines.empty()) return tract::pick(preferred, found);  // which throws
  return *std::max_element(
      found.engines.begin(), found.engines.end(),
      [](const tract::Engine& a, const tract::Engine& b) { return a.version < b.version; });
}

tract::Engine find_tract(const EngineChoice& choice, const Wanted& wanted) {
  const tract::Search search = tract::search_from_environment(choice.library);
  if (choice.version) {
    if (wanted.only) refuse_version(*choice.version, *wanted.target);
    return tract::find_engine(search, *choice.version);
  }
  const tract::Version version = version_of(wanted.target.value_or(target::parse_target("tract")));
  return wanted.only ? tract::find_engine(search, version) : any_engine(search, version);
}

}  // namespace

EngineChoice parse_engine(std::string_view text) {
  EngineChoice out;
  if (text.empty() || text == "auto") return out;
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
    const std::string near = nearest(text, {"auto", "tract"});
    throw Error("usage", cat("there is no engine ", quoted(text)),
                "engines are auto, tract, tract@VERSION, and the path of tract's library",
                near.empty() ? "" : cat("did you mean ", quoted(near), "?"));
  }
  out.kind = EngineChoice::Kind::library;
  out.library = text;
  return out;
}

std::unique_ptr<check::Runner> find_runner(const EngineChoice& choice, const Wanted& wanted,
                                           const check::RunnerOptions& options) {
  return check::tract_runner(find_tract(choice, wanted), options);
}

}  // namespace t2n
