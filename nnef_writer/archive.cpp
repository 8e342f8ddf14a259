// SPDX-License-Identifier: Apache-2.0
// Streams a document into files or into a tar.
#include "nnef_writer/archive.h"

#include <cerrno>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>

#include "nnef_writer/archive_stream.h"
#include "nnef_writer/dat.h"
#include "nnef_writer/npz.h"
#include "nnef_writer/print.h"
#include "nnef_writer/quant.h"
#include "nnef_writer/shared_files.h"
#include "src/diag/error.h"
#include "src/nnef/names.h"

namespace t2n::nnef {
namespace {

namespace fs = std::filesystem;
using Form = Destination::Form;
using Bytes = std::span<const std::byte>;

Member text_member(std::string name, std::string text) {
  const auto size = static_cast<int64_t>(text.size());
  return {std::move(name), size,
          [text = std::move(text)](const ByteSink& sink) { sink(std::as_bytes(std::span(text))); }};
}

/// Makes every check that can fail, before the first byte is written.
void add_blobs(const std::vector<Blob>& blobs, std::vector<Member>& out) {
  UniqueNames labels(UniqueNames::Case::ignored);
  for (const Blob& blob : blobs) {
    T2N_ASSERT(is_label(blob.label), quoted(blob.label), " cannot be the name of a file");
    T2N_ASSERT(labels.reserve(blob.label), "two blobs are called ", quoted(blob.label));
    check_dat(blob);
    out.push_back({blob.label + ".dat", dat_size(blob),
                   [&blob](const ByteSink& sink) { write_dat(blob, sink); }});
  }
}

std::vector<Member> members_of(const Document& document) {
  std::vector<Member> out;
  out.push_back(text_member("graph.nnef", print(document)));
  std::string quant = print_quant(document.quant);
  if (!quant.empty()) out.push_back(text_member("graph.quant", std::move(quant)));
  if (!document.states.empty()) out.push_back(text_member(kStatesFile, npz_bytes(document.states)));
  add_blobs(document.blobs, out);
  return out;
}

void write_tar(const std::vector<Member>& members, const ByteSink& sink) {
  ArchiveStream tar(ArchiveStream::Format::tar, sink);
  for (const Member& member : members) tar.add(member);
  tar.finish();
}

void write_archive(const std::vector<Member>& members, const Destination& destination, int threads,
                   const fs::path& path) {
  FileWriter file(path, destination.path);
  const ByteSink to_file = [&](Bytes bytes) { file.write(bytes); };
  if (destination.form != Form::tgz) {
    write_tar(members, to_file);
  } else {
    ParallelGzip gzip(to_file, destination.level, threads);
    write_tar(members, [&](Bytes bytes) { gzip.write(bytes); });
    gzip.finish();
  }
  file.close();
}

void write_members(const std::vector<Member>& members, const Destination& destination,
                   Temporary& folder, const fs::path& subfolder, SharedFiles* shared) {
  for (const Member& member : members) {
    const fs::path path = folder.add(subfolder / member.name);
    if (shared != nullptr && member.name.ends_with(".dat")) {
      shared->write(member, path, destination.path);
      continue;
    }
    FileWriter file(path, destination.path);
    member.write([&](Bytes bytes) { file.write(bytes); });
    file.close();
  }
}

/// The temporary path of an artefact for standard output, until it is complete and checked.
fs::path temporary_output_path() {
  std::error_code error;
  const fs::path folder = fs::temp_directory_path(error);
  if (error) fail_to_write("TMPDIR", error.value());
  remove_leftovers(folder);
  return folder / "model.nnef.tar";
}

void copy_to_standard_output(const fs::path& path) {
  FileWriter out = FileWriter::standard_output();
  std::ifstream file(path, std::ios::binary);
  std::vector<char> piece(size_t{1} << 20);
  while (file.read(piece.data(), static_cast<std::streamsize>(piece.size())) || file.gcount() > 0)
    out.write(std::as_bytes(std::span(piece).first(file.gcount())));
  if (!file.eof()) fail_to_write("standard output", EIO);
  out.close();
}

}  // namespace

PendingArtefact::PendingArtefact(Destination destination, std::unique_ptr<Temporary> temporary)
    : destination_(std::move(destination)),
      temporary_(std::move(temporary)),
      path_(temporary_->path()) {}

void PendingArtefact::commit() {
  if (!temporary_) return;
  if (destination_.form == Form::stream) {
    copy_to_standard_output(path_);
    return temporary_.reset();
  }
  // A replaced folder is removed under its temporary name.
  if (!put_in_place(path_, destination_)) temporary_->release();
  temporary_.reset();
  path_ = final_path(destination_);
}

namespace {

PendingArtefact write_files(const std::vector<Member>& members, const Destination& destination,
                            int threads, SharedFiles* shared) {
  const bool is_folder = destination.form == Form::folder;
  auto temporary = std::make_unique<Temporary>(
      destination.form == Form::stream ? temporary_output_path() : final_path(destination),
      is_folder ? Temporary::Kind::folder : Temporary::Kind::file);
  if (is_folder)
    write_members(members, destination, *temporary, {}, shared);
  else
    write_archive(members, destination, threads, temporary->path());
  return {destination, std::move(temporary)};
}

}  // namespace

PendingArtefact write_artefact(const Document& document, const Destination& destination,
                               int threads, SharedFiles* shared) {
  check_destination(destination);
  return write_files(members_of(document), destination, threads, shared);
}

PendingArtefact write_blobs(const std::vector<Blob>& blobs, const Destination& destination) {
  check_destination(destination);
  std::vector<Member> members;
  add_blobs(blobs, members);
  return write_files(members, destination, default_gzip_threads(), nullptr);
}

void write_folder(const Document& document, const Destination& destination, Temporary& folder,
                  const fs::path& name, SharedFiles& shared) {
  write_members(members_of(document), destination, folder, name, &shared);
}

void commit_together(std::vector<PendingArtefact>& artefacts) {
  if (artefacts.size() == 1) return artefacts[0].commit();
  std::vector<Placed> placed;
  try {
    for (const PendingArtefact& artefact : artefacts)
      placed.push_back(replace_undoably(artefact.path_, artefact.destination_));
  } catch (...) {
    for (; !placed.empty(); placed.pop_back()) undo(placed.back());
    throw;
  }
  for (size_t i = 0; i < artefacts.size(); ++i) {
    if (!placed[i].has_replaced) artefacts[i].temporary_->release();
    artefacts[i].temporary_.reset();
    artefacts[i].path_ = placed[i].destination;
  }
}

}  // namespace t2n::nnef
