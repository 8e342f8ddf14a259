// SPDX-License-Identifier: Apache-2.0
// Checks destinations before the work is done, and explains every refusal.
#include "nnef_writer/destination.h"

#include <fcntl.h>
#include <stdio.h>  // renameat2
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
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

bool is_mount_point(const fs::path& folder) {
  struct stat own {};
  struct stat parent {};
  return stat(folder.c_str(), &own) == 0 && stat((folder / "..").c_str(), &parent) == 0 &&
         own.st_dev != parent.st_dev;
}

/// The content of a folder of several artefacts that does not belong to them, or "".
std::string other_part(const fs::path& folder, const std::vector<std::string>& parts,
                       std::error_code& error) {
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (std::find(parts.begin(), parts.end(), name) == parts.end())
      return cat(quoted(name), ", which this command does not write");
    if (!fs::exists(entry->path() / "graph.nnef", error))
      return cat(quoted(name), " without a graph.nnef");
  }
  return {};
}

/// The content of a folder that replacing it would lose, or "".
std::string lost_entry(const fs::path& target, const std::vector<std::string>& parts,
                       std::error_code& error) {
  const std::string foreign = foreign_entry(target, error);
  if (!foreign.empty()) return cat(quoted(foreign), ", which is not an NNEF file");
  if (error || fs::is_empty(target, error)) return {};
  if (!parts.empty()) return other_part(target, parts, error);
  return fs::exists(target / "graph.nnef", error) ? "" : "no graph.nnef";
}

void check_replaceable_folder(const fs::path& path, const fs::path& target,
                              const std::vector<std::string>& parts) {
  std::error_code error;
  const std::string found = lost_entry(target, parts, error);
  // An unreadable part may contain anything.
  if (error) fail_to_write(path, error.value());
  if (!found.empty())
    throw Error("output-exists", cat("the folder ", shown(path), " holds ", found),
                "a folder is replaced only if it contains nothing but a model",
                "name another folder, or remove this one yourself");
  if (is_mount_point(target))
    refuse(path, "a mount point cannot be replaced", "name a folder inside it");
}

void check_parent(const fs::path& path, const fs::path& target, bool is_artefact) {
  const fs::path parent = folder_of(target);
  std::error_code error;
  const fs::file_type type = fs::status(parent, error).type();
  if (type == fs::file_type::not_found && !is_artefact) fail_to_write(path, ENOENT);
  if (type == fs::file_type::not_found)
    refuse(path, cat("the folder ", shown(parent), " does not exist"),
           cat("create it: mkdir -p ", shown(parent)));
  if (type == fs::file_type::none) fail_to_write(path, error.value());
  if (type != fs::file_type::directory) refuse(path, cat(shown(parent), " is not a folder"), {});
}

/// Resolves links as far as the path exists.
fs::path resolved(const fs::path& path) {
  std::error_code error;
  const fs::path out = fs::weakly_canonical(fs::absolute(path, error), error);
  return error ? path.lexically_normal() : out.has_filename() ? out : out.parent_path();
}

bool is_within(const fs::path& path, const fs::path& folder) {
  const auto [end, ignored] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  return end == folder.end();
}

bool is_same_file(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/// Whether a file below `folder` is a hard link to the file `info`.
bool holds_link_to(const fs::path& folder, const struct stat& info) {
  if (info.st_nlink < 2 || !S_ISREG(info.st_mode)) return false;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    struct stat other {};
    if (stat(entry->path().c_str(), &other) == 0 && is_same_file(info, other)) return true;
  }
  return false;
}

/// Compares paths and files: a hard link is the same file. Everything inside a taken folder is
/// taken, and so is a folder that contains something taken.
bool is_taken(const fs::path& output, const fs::path& taken) {
  const fs::path output_path = resolved(output);
  const fs::path taken_path = resolved(taken);
  if (output_path == taken_path) return true;
  struct stat output_info {};
  struct stat taken_info {};
  const bool exists = stat(output.c_str(), &output_info) == 0;
  const bool taken_exists = stat(taken.c_str(), &taken_info) == 0;
  if (exists && S_ISDIR(output_info.st_mode) && is_within(taken_path, output_path)) return true;
  if (taken_exists && S_ISDIR(taken_info.st_mode) && is_within(output_path, taken_path))
    return true;
  if (!exists || !taken_exists) return false;
  return is_same_file(output_info, taken_info) ||
         (S_ISDIR(taken_info.st_mode) && holds_link_to(taken, output_info));
}

void refuse_taken(const Destination& destination) {
  for (const Taken& taken : destination.taken) {
    if (taken.path.empty() || taken.path == "-" || !is_taken(destination.path, taken.path))
      continue;
    const std::string output = shown(destination.path);
    if (taken.is_model)
      throw Error("output-is-model", cat("the output ", output, " is the model itself"), {},
                  "give another path with -o");
    throw Error("output-is-input", cat("the output ", output, " would replace ", taken.what),
                "the same command reads or writes this file", "give another path");
  }
}

/// Refuses a new folder called "a.zip", where a file was probably expected.
void refuse_suffix(const fs::path& folder) {
  const std::string suffix = folder.extension().string();
  const bool is_word =
      suffix.size() > 1 && std::all_of(suffix.begin() + 1, suffix.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
      });
  std::error_code ignored;
  if (!is_word || suffix == ".nnef" || fs::exists(folder, ignored)) return;
  throw Error(
      "usage",
      cat("the output ", shown(folder), " has the suffix of a file that t2nnef does not write"),
      "an artefact is a folder, a .tgz or a .tar",
      cat("end it in .tgz; for a folder of this name, write ", folder.string(), "/"));
}

/// Sets the owner first, since a change of owner clears special bits. Without permission to do so,
/// the file keeps our user and group, and our group gets the rights of others. Errors:
/// `cannot-write` if more users could read or write it than before.
void copy_mode(const fs::path& from, const fs::path& to) {
  struct stat info {};
  if (lstat(from.c_str(), &info) != 0) return;
  const bool is_owned = lchown(to.c_str(), info.st_uid, info.st_gid) == 0;
  constexpr mode_t kPlain = 0777;
  constexpr mode_t kAll = 07777;
  // A confined process may only change the mode of open files.
  const int file = open(to.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  mode_t mode = info.st_mode & (is_owned ? kAll : kPlain);
  constexpr mode_t kGroup = 070;
  const bool keeps_group =
      is_owned || info.st_gid == getegid() || lchown(to.c_str(), -1U, info.st_gid) == 0;
  if (!keeps_group) mode &= ~kGroup | ((info.st_mode & 07) << 3);
  const bool is_changed = file >= 0 && fchmod(file, mode) == 0;
  const int failure = errno;
  if (file >= 0) close(file);
  struct stat now {};
  if (!is_changed && (lstat(to.c_str(), &now) != 0 || (now.st_mode & kPlain & ~mode) != 0))
    fail_to_write(from, failure);
}

/// Exchanges two folders atomically if the file system supports it, else through a third name that
/// remove_leftovers() ignores.   Returns an errno, 0 for success.
int exchange(const fs::path& a, const fs::path& b) {
  if (renameat2(AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), RENAME_EXCHANGE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;
  const fs::path aside = a.parent_path() / ("t2nnef-replaced-" + a.filename().string());
  if (rename(b.c_str(), aside.c_str()) != 0) return errno;
  if (rename(a.c_str(), b.c_str()) != 0) {
    const int failure = errno;
    rename(aside.c_str(), b.c_str());
    return failure;
  }
  return rename(aside.c_str(), a.c_str()) == 0 ? 0 : errno;
}

}  // namespace

Destination parse_destination(const fs::path& path) {
  Destination out;
  out.path = path;
  const std::string name = path.filename().string();
  if (path == "-")
    out.form = Form::stream;
  else if (name.ends_with(".tgz") || name.ends_with(".tar.gz"))
    out.form = Form::tgz;
  else if (name.ends_with(".tar"))
    out.form = Form::tar;
  return out;
}

Destination file_destination(const fs::path& path) {
  Destination out;
  out.path = path;
  out.form = path == "-" ? Form::stream : Form::file;
  return out;
}

fs::path final_path(const Destination& destination) {
  fs::path out = destination.path;
  while (!out.has_filename() && out.has_relative_path()) out = out.parent_path();  // "out/"
  return out;
}

void check_replaceable(const Destination& destination) {
  if (destination.form == Form::stream) return;
  refuse_taken(destination);
  const fs::path target = final_path(destination);
  const fs::path& path = destination.path;
  const bool is_folder = destination.form == Form::folder;
  std::error_code error;
  const fs::file_type type = fs::symlink_status(target, error).type();
  if (type == fs::file_type::not_found) return;
  if (type == fs::file_type::none) fail_to_write(path, error.value());
  if (type == fs::file_type::symlink)
    refuse(path, cat("it is a link to ", shown(fs::read_symlink(target, error))),
           "links are never replaced: give the path of the file itself");
  if (type == fs::file_type::directory) {
    if (is_folder) return check_replaceable_folder(path, target, destination.parts);
    if (destination.form == Form::file) refuse(path, "it is a folder", "name a file in it");
    throw Error("output-exists", cat(shown(path), " is a folder, an archive cannot replace it"), {},
                "name a file, or remove the folder yourself");
  }
  if (type != fs::file_type::regular)
    refuse(path, "it is neither a file nor a folder", "name a new file or folder");
  if (is_folder)
    throw Error("output-exists", cat(shown(path), " is a file, a folder cannot replace it"),
                "a name without .tgz or .tar means a folder",
                cat("write ", shown(path.string() + ".nnef.tgz"), " for an archive"));
}

void check_destination(const Destination& destination) {
  if (destination.form == Form::stream) return confine::may_write(fs::temp_directory_path());
  const fs::path target = final_path(destination);
  confine::may_write(target.parent_path());
  const std::string name = target.filename().string();
  const bool is_folder = destination.form == Form::folder;
  if (name.empty() || name == "." || name == "..")
    refuse(destination.path, "it names no new file or folder",
           "name one, such as 'model.nnef.tgz'");
  if (!is_folder && !destination.path.has_filename())
    refuse(destination.path, "it names a folder", "name a file in it");
  check_parent(destination.path, target, destination.form != Form::file);
  check_replaceable(destination);
  if (is_folder && destination.path.has_filename()) refuse_suffix(target);
  remove_leftovers(folder_of(target));
  // Permissions, read-only mounts and quotas only show when writing.
  const Temporary probe(target, Temporary::Kind::file);
}

bool put_in_place(const fs::path& from, const Destination& destination) {
  check_replaceable(destination);
  const fs::path target = final_path(destination);
  copy_mode(target, from);
  std::error_code error;
  if (destination.form == Form::folder && fs::is_directory(target, error)) {
    const int failure = exchange(from, target);
    if (failure != 0) fail_to_write(destination.path, failure);
    return true;
  }
  if (rename(from.c_str(), target.c_str()) != 0) fail_to_write(destination.path, errno);
  return false;
}

Placed replace_undoably(const fs::path& from, const Destination& destination) {
  check_replaceable(destination);
  Placed out{from, final_path(destination), false};
  copy_mode(out.destination, from);
  std::error_code error;
  out.has_replaced = fs::exists(out.destination, error);
  const int failure = out.has_replaced ? exchange(from, out.destination)
                      : rename(from.c_str(), out.destination.c_str()) == 0 ? 0
                                                                           : errno;
  if (failure != 0) fail_to_write(destination.path, failure);
  return out;
}

void undo(const Placed& placed) {
  if (placed.has_replaced)
    exchange(placed.from, placed.destination);
  else
    rename(placed.destination.c_str(), placed.from.c_str());
}

}  // namespace t2n::nnef
