// Where a command's output goes, and whether it may: the only owner of what may replace what on
// disk. It is asked before any work is done, and again before anything is put in place.
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
  std::vector<Taken> taken = {};  ///< what must stay as it is
  /// The names of the artefacts, in a folder that holds several.
  std::vector<std::string> parts = {};
};

/// The destination of an artefact, whose form follows from the suffix: `.tgz` or `.tar.gz`, `.tar`,
/// else a folder. "-" is a tar on standard output.
Destination parse_destination(const std::filesystem::path& path);

/// The destination of a single file; "-" is standard output.
Destination file_destination(const std::filesystem::path& path);

/// Whether what stands there may be replaced: regular files, and folders that hold nothing but NNEF
/// files of an artefact, or where several are written, of artefacts under the same names. Never a
/// device, a pipe, a link, or what is taken. Errors: `output-is-model`, `output-is-input` for what
/// is taken; `output-exists` where something would be lost; `cannot-write` for everything that is
/// neither a file nor a folder.
void check_replaceable(const Destination& destination);

/// check_replaceable, and whether something can be created there. Removes what killed runs left in
/// that folder.   Errors: also `cannot-write`.
void check_destination(const Destination& destination);

/// The path that is renamed to: without a slash at its end.
std::filesystem::path final_path(const Destination& destination);

/// Moves `from` to the destination atomically, with the mode of what it replaces. A folder that is
/// replaced is at `from` afterwards. Checks again what may be replaced. Errors: those of
/// check_replaceable.   Returns whether `from` still exists.
bool put_in_place(const std::filesystem::path& from, const Destination& destination);

/// Something that was put in place, and can be taken back.
struct Placed {
  std::filesystem::path from;
  std::filesystem::path place;
  bool has_replaced = false;  ///< what stood there is at `from`
};

/// The same as put_in_place, but a file that is replaced is at `from` as well.
Placed put_and_keep(const std::filesystem::path& from, const Destination& destination);
/// Undoes it, as far as the system lets.
void take_back(const Placed& placed);

}  // namespace t2n::nnef
