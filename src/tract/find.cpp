// SPDX-License-Identifier: Apache-2.0
// Searches tract by option, environment and the active Python, without importing anything.
#include "src/tract/find.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <optional>
#include <utility>

#include "src/diag/environment.h"
#include "src/diag/error.h"
#include "src/limits/watch.h"
#include "src/tract/python_package.h"
#include "src/tract/worker.h"

namespace t2n::tract {
namespace {

namespace fs = std::filesystem;

bool is_library_name(const std::string& name) {
  return (name.starts_with("tract") || name.starts_with("libtract")) && name.ends_with(".so");
}

/// The library at `path`, or in that folder.
std::optional<fs::path> library_at(const fs::path& path) {
  std::error_code error;
  if (fs::is_regular_file(path, error)) return path;
  for (const fs::path& folder : {path, path / "tract"})
    for (const fs::path entry : sorted_entries(folder.string()))
      if (is_library_name(entry.filename().string())) return entry;
  return std::nullopt;
}

/// The version of the library's wheel: `tract-0.23.9.dist-info` next to the package's folder.
std::optional<EngineVersion> wheel_version(const fs::path& library) {
  std::vector<EngineVersion> versions;
  for (const fs::path entry : sorted_entries(library.parent_path().parent_path().string())) {
    const std::string name = entry.filename().string();
    if (!name.starts_with("tract-") || !name.ends_with(".dist-info")) continue;
    if (const auto version = parse_version(std::string_view(name).substr(6)))
      versions.push_back(*version);
  }
  return versions.size() == 1 ? std::optional(versions[0]) : std::nullopt;
}

/// Errors: those of a worker that cannot load the library.
EngineVersion version_of(const fs::path& library) {
  if (library.parent_path().filename() == "tract")
    if (const auto version = wheel_version(library)) return *version;
  std::chrono::milliseconds timeout = std::chrono::seconds(30);
  // Half of the remaining time, as another engine may answer.
  if (const auto remaining = limits::seconds_left())
    timeout =
        std::min(timeout, std::chrono::milliseconds(static_cast<int64_t>(*remaining * 500) + 1));
  WorkerClient worker(library.string(), {.timeout = timeout});
  const auto version = parse_version(worker.version());
  return version ? *version : EngineVersion{};
}

/// Records an engine that does not load, hangs or crashes as a problem; the search continues.
std::optional<EngineVersion> try_version_of(const fs::path& library, Candidates& found) {
  try {
    return version_of(library);
  } catch (const Error& error) {
    const Diagnostic& diagnostic = error.diagnostic();
    if (diagnostic.id == "internal") throw;
    found.problems.push_back(cat(quoted(library.string()), ": ", diagnostic.message));
    return std::nullopt;
  }
}

/// Adds the engine at `path`, or records why there is none.
void add(Candidates& found, const std::string& path, Origin origin) {
  const auto library = library_at(path);
  if (!library) {
    found.problems.push_back(cat(quoted(path), " holds no tract library"));
    return;
  }
  const auto version = try_version_of(*library, found);
  if (!version) return;
  const Engine engine{library->string(), *version, origin};
  const bool known =
      std::any_of(found.engines.begin(), found.engines.end(),
                  [&](const Engine& other) { return other.library == engine.library; });
  if (known) return;
  if (engine.version < kOldest)
    found.problems.push_back(cat(quoted(path), " is tract ", version_str(engine.version),
                                 ", older than ", version_str(kOldest)));
  else
    found.engines.push_back(engine);
}

void search_option(const Search& search, Candidates& found) {
  std::string_view path = search.option;
  if (path.starts_with("lib:")) path.remove_prefix(4);
  add(found, std::string(path), Origin::option);
}

void search_environment(const Search& search, Candidates& found) {
  std::string_view rest = search.environment;
  while (!rest.empty()) {
    const size_t colon = std::min(rest.find(':'), rest.size());
    if (colon > 0) add(found, std::string(rest.substr(0, colon)), Origin::environment);
    rest.remove_prefix(std::min(colon + 1, rest.size()));
  }
}

void search_prefix(const std::string& prefix, Candidates& found) {
  for (const std::string& package : packages_below(prefix, "tract"))
    if (library_at(package)) add(found, package, Origin::python);
}

void search_python(const std::string& python, Candidates& found) {
  const auto package = package_of(python, "tract");
  if (package && library_at(*package)) add(found, *package, Origin::python);
}

using Step = std::function<void(Candidates&)>;

/// Lazy steps in order: starting a Python takes tens of milliseconds.
std::vector<Step> steps_of(const Search& search) {
  if (!search.option.empty()) return {[&](Candidates& found) { search_option(search, found); }};
  std::vector<Step> steps{[&](Candidates& found) { search_environment(search, found); },
                          [&](Candidates& found) { search_prefix(search.virtual_env, found); },
                          [&](Candidates& found) { search_prefix(search.prefix, found); }};
  for (const std::string& python : search.pythons)
    steps.push_back([&python](Candidates& found) { search_python(python, found); });
  return steps;
}

const Engine* first_serving(const EngineVersion& target, const Candidates& candidates) {
  for (const Engine& engine : candidates.engines)
    if (serves(engine.version, target)) return &engine;
  return nullptr;
}

std::string_view origin_name(Origin origin) {
  switch (origin) {
    case Origin::option: return "--engine";
    case Origin::environment: return "T2NNEF_TRACT_LIB";
    case Origin::python: return "Python wheel";
  }
  internal_error(__FILE__, __LINE__, "no such origin");
}

}  // namespace

Search search_from_environment(std::string option) {
  std::error_code error;
  const fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  return {.option = option == "auto" ? "" : std::move(option),
          .environment = environment_value("T2NNEF_TRACT_LIB"),
          .virtual_env = environment_value("VIRTUAL_ENV"),
          .prefix = folder.filename() == "bin" ? folder.parent_path().string() : ""};
}

Candidates find_engines(const Search& search) {
  Candidates found;
  for (const Step& step : steps_of(search)) step(found);
  return found;
}

Engine pick(const EngineVersion& target, const Candidates& candidates) {
  if (const Engine* engine = first_serving(target, candidates)) return *engine;
  const std::string version = version_str(target);
  Diagnostic diagnostic{
      .id = "engine-not-found",
      .message = cat("no tract engine found to run an export for tract@", version),
      .where = {},
      .details = {},
      .why = "looked at --engine, else at T2NNEF_TRACT_LIB and the active Python's wheel",
      .help = cat("run `pip install tract==", version,
                  "`, or set T2NNEF_TRACT_LIB to its library or folder")};
  if (!candidates.engines.empty()) {
    diagnostic.id = "engine-version";
    diagnostic.message = cat("no engine found can serve tract@", version);
    diagnostic.why = "an engine serves targets of its own series (0.x) that are not newer than it";
  }
  for (const Engine& engine : candidates.engines)
    diagnostic.details.push_back(cat("tract ", version_str(engine.version), "  ", engine.library,
                                     "  (", origin_name(engine.origin), ")"));
  diagnostic.details.insert(diagnostic.details.end(), candidates.problems.begin(),
                            candidates.problems.end());
  throw Error(std::move(diagnostic));
}

Engine find_engine(const Search& search, const EngineVersion& target) {
  Candidates found;
  for (const Step& step : steps_of(search)) {
    step(found);
    if (const Engine* engine = first_serving(target, found)) return *engine;
  }
  return pick(target, found);
}

}  // namespace t2n::tract
