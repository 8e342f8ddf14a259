// SPDX-License-Identifier: Apache-2.0
// A failure, warning or note as plain data: what, where, why and what to do (STYLE §6).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace t2n {

/// Exit codes of the program; documented in docs/diagnostics.md, never reused.
enum class ExitCode : int {
  ok = 0,
  bug = 1,
  usage = 2,
  unreadable = 3,
  unsupported = 4,
  mismatch = 5,
  engine_rejects = 6,
  no_engine = 7,
  cannot_write = 8,
  differs = 9,
  timeout = 124,
  interrupted = 130,
};

enum class Severity { error, warning, note };

/// One frame of the user's own source, innermost first in a list.
struct Frame {
  std::string file;  ///< base name: a full path belongs to the machine that saved the model
  int line = 0;
  int column = 0;  ///< 1-based; 0 where unknown (traced files)
  std::string function;
};

/// A location in the user's model.
struct Where {
  std::string module;        ///< dotted module path, "" for the model itself
  std::string module_class;  ///< class of that module
  std::vector<Frame> frames;
  std::string excerpt;  ///< the source line, without indentation; "" if the file has none
  int caret = 0;        ///< 0-based offset of the marked text in `excerpt`
  int caret_width = 0;
};

/// What a diagnostic is about, if that is several things: an operator, an argument, an input.
struct Use {
  std::string what;
  int count = 0;  ///< of its uses; 0: not counted
  std::vector<Where> where = {};  ///< the first kShownUses locations
  std::string why = {};
  std::string help = {};
};
inline constexpr size_t kShownUses = 3;

struct Diagnostic {
  Severity severity = Severity::error;
  std::string id = {};       ///< slug, one of diagnostic_ids()
  std::string message = {};  ///< one line, lower case, values quoted
  std::vector<Where> where = {};
  std::vector<std::string> details = {};  ///< further lines, printed indented under the headline
  std::string why = {};
  std::string help = {};
  // Used by callers, not printed.
  std::string subject = {};  ///< the name that it is about; for a bug the source: "file.cpp:12"
  std::string untranslated = {};  ///< the start of the message, if it has no translation
  /// Printed as a table instead of `where`, which then has their locations.
  std::vector<Use> uses = {};
};

struct DiagnosticId {
  std::string_view id;
  ExitCode code;  ///< exit code of an error with this id
};

/// Every id that may be raised, in alphabetical order; docs/diagnostics.md explains each.
std::span<const DiagnosticId> diagnostic_ids();

/// Exit code of an error with this id; aborts on an id that is not in the list.
ExitCode exit_code(std::string_view id);

/// Sets the uses, and the locations to theirs.
void set_uses(Diagnostic& diagnostic, std::vector<Use> uses);

/// The text form of STYLE §6, ending in a newline.
std::string render_text(const Diagnostic& diagnostic);

/// "encoder.layers.3 (GELU), model.py:88:16 < train.py:12"; "" where nothing is known.
std::string render_where(const Where& where);

}  // namespace t2n
