// Looks before the work is done, and words every refusal.
#include "nnef_writer/destination.h"

#include <sys/stat.h>

#include <system_error>
#include <utility>

#include "nnef_writer/temporary.h"
#include "src/confine/confine.h"
#include "src/diag/error.h"

namespace t2n::nnef {
namespace {

namespace fs = std::filesystem;
using Form = Destination::Form;

std::string shown(const fs::path& path) { return quoted(path.string()); }

fs::path folder_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

[[noreturn]] void refuse(const fs::path& path, std::string why, std::string help) {
  throw Error("cannot-write", cat("cannot write ", shown(path)), std::move(why), std::move(help));
}

bool is_nnef_file(const fs::directory_entry& entry) {
  const std::string name = entry.path().filename().string();
  return name == "graph.nnef" || name == "graph.quant" || name.ends_with(".dat");
}

/// The first entry below `folder` that is not of an NNEF model, relative to it, or "".
std::string foreign_entry(const fs::path& folder, std::error_code& error) {
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const fs::file_type type = entry->symlink_status(error).type();
    if (type == fs::file_type::directory) continue;
    if (type == fs::file_type::regular && is_nnef_file(*entry)) continue;
    return entry->path().lexically_relative(folder).string();
  }
  return {};
}

bool is_mount_point(const fs::path& folder) {
  struct stat own {};
  struct stat parent {};
  return stat(folder.c_str(), &own) == 0 && stat((folder / "..").c_str(), &parent) == 0 &&
         own.st_dev != parent.st_dev;
}

void check_replaceable_folder(const fs::path& path, const fs::path& place) {
  std::error_code error;
  const std::string foreign = foreign_entry(place, error);
  // A part that cannot be looked into may hold anything.
  if (error) fail_to_write(path, error.value());
  std::string found;
  if (!foreign.empty())
    found = cat(quoted(foreign), ", which is no NNEF file");
  else if (!fs::exists(place / "graph.nnef", error) && !fs::is_empty(place, error))
    found = "no graph.nnef";
  if (!found.empty())
    throw Error("output-exists", cat("the folder ", shown(path), " holds ", found),
                "a folder is replaced as a whole, and only if nothing but a model is lost",
                "name another folder, or remove this one yourself");
  if (is_mount_point(place))
    refuse(path, "a mount point cannot be exchanged for another folder", "name a folder inside it");
}

void check_parent(const fs::path& path, const fs::path& place) {
  const fs::path parent = folder_of(place);
  std::error_code error;
  const fs::file_type type = fs::status(parent, error).type();
  if (type == fs::file_type::not_found)
    refuse(path, cat("the folder ", shown(parent), " does not exist"),
           cat("create it: mkdir -p ", shown(parent)));
  if (type == fs::file_type::none) fail_to_write(path, error.value());
  if (type != fs::file_type::directory) refuse(path, cat(shown(parent), " is no folder"), {});
}

}  // namespace

Destination parse_destination(const fs::path& path) {
  Destination out;
  out.path = path;
  const std::string name = path.filename().string();
  if (name.ends_with(".tgz") || name.ends_with(".tar.gz"))
    out.form = Form::tgz;
  else if (name.ends_with(".tar"))
    out.form = Form::tar;
  return out;
}

fs::path final_path(const Destination& destination) {
  fs::path out = destination.path;
  if (!out.has_filename()) out = out.parent_path();  // "out/"
  std::error_code error;
  if (fs::is_symlink(out, error) && fs::exists(out, error)) out = fs::canonical(out, error);
  return out;
}

void check_replaceable(const Destination& destination) {
  const fs::path place = final_path(destination);
  const fs::path& path = destination.path;
  const bool wants_folder = destination.form == Form::folder;
  std::error_code error;
  const fs::file_type type = fs::status(place, error).type();
  if (type == fs::file_type::not_found) return;
  if (type == fs::file_type::none) fail_to_write(path, error.value());
  if (type == fs::file_type::directory) {
    if (wants_folder) return check_replaceable_folder(path, place);
    throw Error("output-exists", cat(shown(path), " is a folder, an archive cannot replace it"), {},
                "name a file, or remove the folder yourself");
  }
  if (type != fs::file_type::regular)
    refuse(path, "it is neither a file nor a folder", "name a new file or folder");
  if (wants_folder)
    throw Error("output-exists", cat(shown(path), " is a file, a folder cannot replace it"),
                "a name without .tgz or .tar means a folder",
                cat("write ", shown(path.string() + ".nnef.tgz"), " for an archive"));
}

void check_destination(const Destination& destination) {
  const fs::path place = final_path(destination);
  confine::may_write(place.parent_path());
  const std::string name = place.filename().string();
  if (name.empty() || name == "." || name == "..")
    refuse(destination.path, "it names no new file or folder",
           "name one, such as 'model.nnef.tgz'");
  check_parent(destination.path, place);
  check_replaceable(destination);
  // Permissions, read-only mounts and quotas are only known by trying.
  const Temporary probe(place, Temporary::Kind::file);
}

}  // namespace t2n::nnef
