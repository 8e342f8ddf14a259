// SPDX-License-Identifier: Apache-2.0
// export --compress with --max-loss and --budget, and what --report says of compression.
#include <algorithm>
#include <cmath>
#include <fstream>

#include "src/nnef/npz.h"
#include "tests/cli/program.h"

namespace t2n::test {
namespace {

/// A folder with a trained CNN, samples with labels, and settings that lose much.
class Searching {
 public:
  Searching() {
    sandbox_.copy_fixture("digits_cnn/model.pt", "model.pt");
    sandbox_.copy_fixture("digits_cnn/test.npz", "set.npz");
    std::ofstream(sandbox_.path("coarse.json")) << R"({"": {"weights": {"bits": 2}}})";
    write_labels();
  }

  /// Samples and labels are used by all.
  Result run(const Arguments& more) const {
    Arguments all = {"export", "model.pt", "-t", "tract", "-o", "out.nnef", "--report", "out.json"};
    all.insert(all.end(), more.begin(), more.end());
    if (!more.empty()) all.insert(all.end(), {"--calibrate", "@set.npz"});
    return sandbox_.run(all);
  }
  std::string report() const { return sandbox_.content("out.json"); }
  std::string graph() const { return sandbox_.content("out.nnef/graph.nnef"); }
  /// Of all weights in the artefact, headers left out.
  int64_t bytes() const {
    constexpr int64_t kHeader = 128;
    int64_t out = 0;
    for (const auto& [name, content] : sandbox_.listing())
      if (name.starts_with("out.nnef/") && name.ends_with(".dat"))
        out += static_cast<int64_t>(content.size()) - kHeader;
    return out;
  }
  const Sandbox& sandbox() const { return sandbox_; }

  /// Each larger by `added` than it is.
  void write_labels(int64_t added = 0) const {
    for (const auto& [name, value] : nnef::read_npz(sandbox_.path("set.npz"))) {
      if (name != "labels") continue;
      std::string header = "{'descr': '<i8', 'fortran_order': False, 'shape': (" +
                           std::to_string(value.shape.at(0)) + ",), }";
      constexpr size_t kHeader = 118;  // with ten bytes before it, a multiple of 64
      header.resize(kHeader - 1, ' ');
      header += '\n';
      std::ofstream file(sandbox_.path("labels.npy"), std::ios::binary);
      file << std::string("\x93NUMPY\x01\x00", 8) << static_cast<char>(kHeader) << '\0' << header;
      std::vector<int64_t> labels = ir::to_i64(value);
      for (int64_t& label : labels) label += added;
      file.write(reinterpret_cast<const char*>(labels.data()),
                 static_cast<std::streamsize>(labels.size() * sizeof(int64_t)));
    }
  }

 private:
  Sandbox sandbox_;
};

/// The number behind a key of JSON, the first from `from` on.
double number(const std::string& json, const std::string& key, size_t from = 0) {
  const size_t at = json.find("\"" + key + "\": ", from);
  REQUIRE_NE(at, std::string::npos);
  return std::atof(json.c_str() + at + key.size() + 4);
}

size_t count(const std::string& text, const std::string& part) {
  size_t out = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++out;
  return out;
}

TEST_CASE("labels that are no classes are refused before anything is searched") {
  const Searching at;
  for (const int64_t added : {10, -10}) {
    at.write_labels(added);
    const Result result =
        at.run({"--compress", "coarse.json", "--labels", "labels.npy", "--max-loss", "3%"});
    CHECK_EQ(result.code, 3);
    CHECK(contains(result.err,
                   "is not a class of the output 'output_0'\n"
                   "  why:  its last axis has 10 classes, counted from 0\n"));
  }
}

TEST_CASE("--max-loss gives layers 8 bits, or leaves them in floats, until the accuracy holds") {
  const Searching at;
  const Arguments coarse = {"--compress", "coarse.json", "--labels", "labels.npy"};
  REQUIRE_EQ(at.run(coarse).code, 0);
  const double before = number(at.report(), "accuracy_before");
  REQUIRE_LT(number(at.report(), "accuracy_after"), before - 0.02);

  Arguments limited = coarse;
  // An input that 2 bits round to zeros is a finding of the lint.
  limited.insert(limited.end(), {"--max-loss", "3%", "--check", "--strict", "--disable-pass",
                                 "lint-quantisation"});
  const Result result = at.run(limited);
  CAPTURE(result.out);
  CHECK_EQ(result.err.find("warning"), std::string::npos);
  REQUIRE_EQ(result.code, 0);
  CHECK(contains(result.out, "of 3 layers compressed"));
  CHECK(contains(result.out, " (limit 3 %): share of rows that are no longer right"));
  const std::string json = at.report();
  CHECK(contains(json, "\"measure\": \"accuracy\""));
  CHECK(contains(json, "\"max_loss\": 0.03"));
  // The promise, by what was measured of the artefact that was written.
  CHECK_GE(number(json, "accuracy_after"), before - 0.03);
  const size_t floats = count(json, "\"chosen\": \"floats\"");
  const size_t wider = count(json, "\"chosen\": \"int8\"");
  CHECK_GE(wider, 1);
  CHECK_LT(floats + wider, 3);
  CHECK_EQ(count(at.graph(), "_weight = variable<scalar>"), floats);
  CHECK_EQ(count(at.graph(), "_weight = variable<integer>"), 3 - floats);
}

TEST_CASE("--max-loss without labels counts rows with another largest element") {
  const Searching at;
  Result result = at.run({"--compress", "int8", "--max-loss", "0.05"});
  REQUIRE_EQ(result.code, 0);
  CHECK(contains(result.out, "chosen: 3 of 3 layers compressed"));
  CHECK(contains(at.report(), "\"measure\": \"top-1\""));
  CHECK_EQ(number(at.report(), "measured"), 1);
  result = at.run({"--compress", "coarse.json", "--max-loss", "0"});
  REQUIRE_EQ(result.code, 0);
  const std::string json = at.report();
  CHECK_EQ(number(json, "loss", json.find("\"search\"")), 0);
}

TEST_CASE("--max-loss gives few bits more before floats, and the file computes with them") {
  const Searching at;
  const Result result = at.run(
      {"--compress", "coarse.json", "--labels", "labels.npy", "--max-loss", "0.5%", "--check"});
  CAPTURE(result.err);
  REQUIRE_EQ(result.code, 0);
  CHECK(contains(result.out, "  int8  "));
  CHECK_FALSE(contains(result.out, "  floats  "));
  CHECK(contains(at.report(), "\"chosen\": \"int8\""));
}

TEST_CASE("--budget compresses what loses least, and the file is as small") {
  const Searching at;
  REQUIRE_EQ(at.run({"--compress", "int8-weights"}).code, 0);
  const int64_t least = at.bytes();

  Result result = at.run({"--compress", "int8-weights", "--budget", "20kB", "--check", "--strict"});
  CAPTURE(result.out);
  CHECK_EQ(result.err.find("warning"), std::string::npos);
  REQUIRE_EQ(result.code, 0);
  CHECK_LE(at.bytes(), 20000);
  CHECK_GT(at.bytes(), least);
  const double whole = number(at.report(), "bytes_of_floats");
  // Scales of channels count as well.
  std::ofstream(at.sandbox().path("channels.json"))
      << R"({"": {"weights": {"granularity": "channel"}}})";
  REQUIRE_EQ(at.run({"--compress", "channels.json", "--budget", "20kB"}).code, 0);
  CHECK_EQ(static_cast<double>(at.bytes()),
           number(at.report(), "bytes", at.report().find("\"measure\"")));
  CHECK(contains(result.out, "floats"));

  result = at.run({"--compress", "int8-weights", "--budget", "1GB"});
  REQUIRE_EQ(result.code, 0);
  CHECK(contains(result.out, "chosen: 0 of 3 layers compressed"));
  CHECK(contains(result.out, "nothing is compressed"));
  CHECK_EQ(static_cast<double>(at.bytes()), whole);
}

TEST_CASE("--budget: fewer bits where integers of 8 bits are too large") {
  const Searching at;
  const Result result =
      at.run({"--compress", "int8-weights", "--budget", "6kB", "--check", "--strict"});
  CAPTURE(result.out);
  CAPTURE(result.err);
  REQUIRE_EQ(result.code, 0);
  CHECK(contains(result.out, "q4_0"));
  CHECK(contains(at.graph(), "classifier"));
  CHECK_LE(number(at.report(), "bytes", at.report().find("\"budget\"")), 6000);
}

TEST_CASE("goals that cannot be reached are refused with what can be") {
  const Searching at;
  const auto before = at.sandbox().listing();
  const Arguments shared = {"export",   "model.pt",    "-t",       "tract",      "-o",
                            "out.nnef", "--calibrate", "@set.npz", "--compress", "int8-weights"};
  const auto check_refused = [&](const Arguments& more, int code, const std::string& text) {
    CAPTURE(text);
    Arguments all = shared;
    all.insert(all.end(), more.begin(), more.end());
    const Result result = at.sandbox().run(all);
    CAPTURE(result.err);
    CHECK_EQ(result.code, code);
    CHECK(contains(result.err, text));
    CHECK(at.sandbox().listing() == before);
  };
  check_refused({"--budget", "1kB"}, 4, " bytes, --budget allows 1000");
  check_refused({"--budget", "1kB"}, 4, "error[compression-goal]");
  check_refused({"--only", "classifier", "--budget", "8kB"}, 4, " bytes, --budget allows 8000");
  for (const char* wrong : {"150%", "-1", "1.5", "much", "1kB", "nan", "%"})
    check_refused({"--max-loss=" + std::string(wrong)}, 2, "is not a share from 0 to 1");
  for (const char* wrong : {"0", "-4MB", "4XB", "MB", "5%", "inf"})
    check_refused({"--budget=" + std::string(wrong)}, 2, "is not a size");
}

TEST_CASE("a budget that costs more than --max-loss allows is refused") {
  const Searching at;
  std::ofstream(at.sandbox().path("pruned.json"))
      << R"({"": {"weights": {"bits": 8}, "prune": {"sparsity": 0.95}}})";
  const Result result = at.run({"--compress", "pruned.json", "--labels", "labels.npy", "--budget",
                                "8kB", "--max-loss", "0.1%"});
  CAPTURE(result.out);
  CHECK_EQ(result.code, 4);
  CHECK(contains(result.err, "the best model within --budget loses"));
  CHECK(contains(result.err, "--max-loss allows 0.1 %"));
  CHECK(contains(at.report(), "compression-goal"));
}

TEST_CASE("goals need --compress") {
  const Searching at;
  const Result result = at.sandbox().run({"export", "model.pt", "-t", "tract", "--budget", "4MB"});
  CHECK_EQ(result.code, 2);
  CHECK(contains(result.err, "--max-loss and --budget need --compress"));
}

TEST_CASE("--report has all layers and outputs of a compression") {
  const Searching at;
  REQUIRE_EQ(at.run({"--compress", "int8-weights", "--only", "features.2.0"}).code, 0);
  const std::string json = at.report();
  CAPTURE(json);
  CHECK(contains(json, "\"compression\": {\n    \"measured_on\": \"calibration-set\""));
  CHECK_EQ(count(json, "\"weights_snr_db\""), 3);
  CHECK_EQ(count(json, "\"weights_snr_db\": null"), 2);  // exact
  CHECK(contains(json, "\"format\": \"int8\""));
  const size_t layer = json.find("\"module\": \"features.2.0\"");
  REQUIRE_NE(layer, std::string::npos);
  CHECK_EQ(number(json, "bytes_before", layer), 18432);
  CHECK_EQ(number(json, "bytes_after", layer), 4608);
  CHECK_EQ(number(json, "rows"), 360);
  CHECK_GT(number(json, "same_top1"), 350);
  CHECK(contains(json, "\"accuracy_before\": null"));
  CHECK(contains(json, "\"search\": null"));
  REQUIRE_EQ(at.run({}).code, 0);
  CHECK_FALSE(contains(at.report(), "\"compression\""));
}

}  // namespace
}  // namespace t2n::test
