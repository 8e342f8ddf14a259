// SPDX-License-Identifier: Apache-2.0
#include "nnef_writer/output.h"

namespace t2n::nnef {

void write_file(const Destination& destination, const std::function<void(FileWriter&)>& write) {
  if (destination.form == Destination::Form::stream) {
    FileWriter out = FileWriter::standard_output();
    write(out);
    return out.close();
  }
  check_replaceable(destination);
  Temporary temporary(final_path(destination), Temporary::Kind::file);
  FileWriter file(temporary.path(), destination.path);
  write(file);
  file.close();
  put_in_place(temporary.path(), destination);
  temporary.release();
}

}  // namespace t2n::nnef
