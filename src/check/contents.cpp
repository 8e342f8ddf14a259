// SPDX-License-Identifier: Apache-2.0
#include "src/check/contents.h"

#include <algorithm>
#include <memory>

#include "nnef_writer/dat.h"
#include "nnef_writer/print.h"
#include "src/check/stream_properties.h"
#include "src/diag/error.h"
#include "src/diff/same_text.h"
#include "src/diff/weights.h"
#include "src/nnef/parser.h"
#include "src/samples/samples.h"
#include "src/spec/dialect.h"
#include "src/spec/name_copies.h"

namespace t2n {
namespace {

constexpr size_t kHeader = 128;  ///< bytes of a .dat before its values
/// A tolerance, relative to the largest element: another LibTorch may fold constants differently.
constexpr double kFoldingError = 1e-5;
constexpr size_t kShown = 8;
constexpr const char* kTargetVersion = "tract_target_version";

/// Whether the blob's file would contain exactly these bytes after its header. Compares piecewise.
bool has_bytes(const nnef::Blob& blob, std::span<const std::byte> bytes) {
  size_t at = 0;
  bool are_same = true;
  nnef::write_dat(blob, [&](std::span<const std::byte> piece) {
    const size_t skipped = std::min(piece.size(), at < kHeader ? kHeader - at : 0);
    const size_t begin = at + skipped - std::min(at + skipped, kHeader);
    const std::span<const std::byte> values = piece.subspan(skipped);
    are_same = are_same && begin + values.size() <= bytes.size() &&
               std::equal(values.begin(), values.end(),
                          bytes.begin() + static_cast<std::ptrdiff_t>(begin));
    at += piece.size();
  });
  return are_same && at == kHeader + bytes.size();
}

nnef::StoredTensor stored(const nnef::Blob& blob) {
  const auto file = std::make_shared<std::vector<std::byte>>();
  nnef::write_dat(blob, [&](std::span<const std::byte> piece) {
    file->insert(file->end(), piece.begin(), piece.end());
  });
  return nnef::read_stored({*file, file}, blob.label);
}

/// What differs between a weight of the file and the model's; "" if nothing does.
std::string weight_difference(const nnef::StoredTensor& file, const nnef::Blob& blob) {
  if (has_bytes(blob, file.values.bytes)) return {};
  const nnef::StoredTensor expected = stored(blob);
  for (const diff::Difference& each : diff::compare_weights(file.label, file, expected)) {
    if (each.aspect == "type")
      return cat(quoted(file.label), " is ", each.before, ", in the model ", each.after);
    const double limit = ir::is_float(expected.values.dtype)
                             ? kFoldingError * largest_magnitude(expected.values)
                             : 0;
    if (each.max_abs && !(*each.max_abs <= limit))
      return cat(quoted(file.label), " differs from the model by up to ", *each.max_abs);
  }
  return {};
}

/// "the file has the statement 'y = relu(x)' where an export of the model has 'y = sigmoid(x)'"
std::string statement_text(const diff::StatementDifference& other) {
  const auto text = [](const std::string& statement) {
    constexpr size_t kMost = 120;
    if (statement.empty()) return std::string("none");
    const bool is_long = statement.size() > kMost;
    return quoted(is_long ? cat(statement.substr(0, kMost), "…") : statement);
  };
  return cat("the file has the statement ", text(other.before),
             " where an export of the model has ", text(other.after));
}

std::vector<std::string> differences(const nnef::Artefact& artefact, const nnef::Document& document,
                                     const diff::TextDifference& text) {
  std::vector<std::string> out;
  if (text.first_statement) out.push_back(statement_text(*text.first_statement));
  for (const auto& [label, own] : text.labels) {
    const nnef::StoredTensor* const file = nnef::find_tensor(artefact, label);
    const auto blob = std::find_if(document.blobs.begin(), document.blobs.end(),
                                   [&own](const nnef::Blob& each) { return each.label == own; });
    if (file == nullptr || blob == document.blobs.end()) continue;
    if (std::string found = weight_difference(*file, *blob); !found.empty())
      out.push_back(std::move(found));
  }
  for (const diff::NumberDifference& each : text.numbers)
    out.push_back(cat(each.operation, " ", quoted(each.statement),
                      each.argument.empty() ? " has the number " : cat(": ", each.argument, " is "),
                      each.before, ", an export of the model has ", each.after));
  return out;
}

}  // namespace

Contents contents_of(const nnef::Artefact& artefact, const nnef::Document& document) {
  if (!spec::property(document, "t2nnef_version") || !artefact.submodels.empty()) return {};
  nnef::Document read = nnef::parse_document(nnef::print(document), "export");
  read.quant = document.quant;
  const nnef::Document own = spec::without_name_copies(artefact.document);
  const auto text = diff::compare_text(own, read);
  if (!text) return {};
  std::vector<std::string> found = differences(artefact, document, *text);
  if (found.empty()) return {.are_known = true, .other = {}};
  const auto count = [](const nnef::Document& each) {
    return static_cast<int64_t>(each.graph.body.size());
  };
  constexpr int64_t kMostEdits = 2;
  const bool is_edited = std::abs(count(own) - count(read)) <= kMostEdits;
  const size_t more = found.size() - std::min(found.size(), kShown);
  Diagnostic out{.id = "contents-differ",
                 .message = std::move(found[0]),
                 .why = text->first_statement
                            ? "from this statement on, this version of t2nnef exports the model "
                              "differently"
                            : "this version of t2nnef exports the model to the same file except "
                              "for this",
                 .help = "export the model again, or check the file against its own source model"};
  for (size_t i = 1; i < found.size() - more; ++i) out.details.push_back(std::move(found[i]));
  if (more > 0) out.details.push_back(cat("and ", more, " more"));
  return {.are_known = !text->first_statement || is_edited, .other = std::move(out)};
}

target::Target named_target(const nnef::Document& document) {
  const auto version = spec::property(document, kTargetVersion);
  target::Target out = target::parse_target(version ? cat("tract@", *version) : "tract");
  out.stream.symbol = stream_properties(document).symbol;
  return out;
}

Contents contents_of(const nnef::Artefact& artefact, const SourceModel& model) {
  if (!spec::property(artefact.document, kTargetVersion)) return {};
  try {
    return contents_of(artefact, model.to_document(model.graph, named_target(artefact.document)));
  } catch (const Error& error) {
    if (error.diagnostic().id == "internal") throw;
    return {};
  }
}

}  // namespace t2n
