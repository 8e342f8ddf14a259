// SPDX-License-Identifier: Apache-2.0
#include "nnef_writer/group.h"

namespace t2n::nnef {

namespace fs = std::filesystem;

void check_group(const Group& group) {
  for (const Destination& destination : group.each) check_destination(destination);
  if (group.folder) check_destination(*group.folder);
}

fs::path PendingGroup::write(const Document& document, size_t number) {
  if (!group_.folder) {
    each_.push_back(write_artefact(document, group_.each.at(number), default_gzip_threads(),
                                   group_.each.size() > 1 ? &shared_ : nullptr));
    return each_.back().path();
  }
  if (!folder_)
    folder_ = std::make_unique<Temporary>(final_path(*group_.folder), Temporary::Kind::folder);
  const std::string& name = group_.folder->parts.at(number);
  write_folder(document, *group_.folder, *folder_, name, shared_);
  return folder_->path() / name;
}

PendingGroup::Written PendingGroup::add(const Document& document, size_t number) {
  const int64_t before = shared_.shared_bytes();
  Written out{write(document, number), 0};
  out.shared_bytes = shared_.shared_bytes() - before;
  return out;
}

void PendingGroup::commit() {
  if (!folder_) return commit_together(each_);
  if (!put_in_place(folder_->path(), *group_.folder)) folder_->release();
  folder_.reset();
}

}  // namespace t2n::nnef
