// SPDX-License-Identifier: Apache-2.0
// The destination of a command's output, and the rules for replacing files. They are checked before
// any work is done, and again before the output is moved to its destination.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace t2n::nnef {

/// A file or folder that the same command reads or writes: no output may replace it.
struct Taken {
  std::string what;  ///< "the model", "the sample 'x.npy'"
  std::filesystem::path path;
  bool is_model = false;
};

struct Destination {
  enum class Form {
    folder,
    tar,
    tgz,
    file,    ///< of another kind: a report, an .npz
    stream,  ///< standard output
  };
  std::filesystem::path path;
  Form form = Form::folder;
  int level = 6;                  ///< of gzip, 0 to 9
  std::vector<Taken> taken = {};  ///< files that must not be replaced
  /// The names of the artefacts, in a folder that holds several.
  std::vector<std::string> parts = {};
};

/// The destination of an artefact; the suffix determines its form: `.tgz` or `.tar.gz`, `.tar`,
/// else a folder. "-" is a tar on standard output.
Destination parse_destination(const std::filesystem::path& path);

/// The destination of a single file; "-" is standard output.
Destination file_destination(const std::filesystem::path& path);

/// Checks that the destination may be replaced: a regular file, or a folder that contains only NNEF
/// files of an artefact (or of artefacts with the same names, if several are written). Never a
/// device, a pipe, a link, or a taken path. Errors: `output-is-model`, `output-is-input` for taken
/// paths; `output-exists` if data would be lost; `cannot-write` for anything that is neither a file
/// nor a folder.
void check_replaceable(const Destination& destination);

/// check_replaceable, and a check that a file can be created there. Removes leftovers of killed
/// runs in that folder.   Errors: also `cannot-write`; `usage` for a new folder with the suffix of
/// a file and without a final slash.
void check_destination(const Destination& destination);

/// The path to rename to: without a trailing slash.
std::filesystem::path final_path(const Destination& destination);

/// Moves `from` to the destination atomically, with the mode of the file that it replaces. A
/// replaced folder is at `from` afterwards. Checks the destination again. Errors: those of
/// check_replaceable.   Returns whether `from` still exists.
bool put_in_place(const std::filesystem::path& from, const Destination& destination);

/// A replacement that can be undone.
struct Placed {
  std::filesystem::path from;
  std::filesystem::path destination;
  bool has_replaced = false;  ///< the replaced file or folder is at `from`
};

/// The same as put_in_place, but a replaced file is at `from` as well.
Placed replace_undoably(const std::filesystem::path& from, const Destination& destination);
/// Undoes it, if the system allows.
void undo(const Placed& placed);

}  // namespace t2n::nnef
