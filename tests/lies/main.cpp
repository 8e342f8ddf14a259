// SPDX-License-Identifier: Apache-2.0
// t2n_lies MODEL.pt [--inputs FILE.npz] [--dynamic SPEC]… [--state] [--most N] [--seed N] [--seeds
// N] [--only FILE]: exports a model, makes wrong files of the right one, and says of each what a
// check says: a line per lie, "KIND<tab>VERDICT<tab>WHAT<tab>MORE". The first line is the right
// file's own, of the kind "truth". "contents" is what outputs did not show, and the file's own
// weights and numbers did. Of this, and of what is ok, MORE is how far the file is from the right
// one, as Jury says. The file of --only has lines "KIND<tab>WHAT": no other lies are judged.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <optional>
#include <set>

#include "nnef_writer/archive.h"
#include "src/check/check_model.h"
#include "src/check/contents.h"
#include "src/diag/error.h"
#include "src/export/pipeline.h"
#include "src/export/stages.h"
#include "src/samples/input_spec.h"
#include "src/tract/worker.h"
#include "tests/lies/jury.h"
#include "tests/lies/lies.h"
#include "tests/support/temporary.h"

namespace t2n::test {
namespace {

struct Request {
  std::string model;
  std::vector<std::string> inputs;
  std::vector<std::string> dynamic;
  bool explicit_states = false;
  size_t most = 3;
  uint64_t seed = 0;
  int seeds = 2;  ///< CheckOptions::seeds
  std::optional<std::set<std::string>> only;
};

std::set<std::string> lines_of(const std::string& path) {
  std::set<std::string> out;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) out.insert(line);
  return out;
}

Request parse(const std::vector<std::string>& words) {
  Request out;
  for (size_t i = 0; i < words.size(); ++i) {
    const auto value = [&]() -> const std::string& { return words.at(++i); };
    if (words[i] == "--inputs")
      out.inputs.push_back("@" + value());
    else if (words[i] == "--dynamic")
      out.dynamic.push_back(value());
    else if (words[i] == "--state")
      out.explicit_states = true;
    else if (words[i] == "--most")
      out.most = std::stoul(value());
    else if (words[i] == "--seed")
      out.seed = std::stoul(value());
    else if (words[i] == "--seeds")
      out.seeds = std::stoi(value());
    else if (words[i] == "--only")
      out.only = lines_of(value());
    else
      out.model = words[i];
  }
  return out;
}

class Court {
 public:
  explicit Court(const Request& request) : request_(request) {
    options_.seeds = request.seeds;
    ModelOptions model;
    model.model = request.model;
    model.samples = parse_inputs(request.inputs);
    model.explicit_states = request.explicit_states;
    for (const std::string& spec : request.dynamic)
      model.dynamic.axes.push_back(dynamic::parse_axis(spec));
    model_ = trace_model(load_model(model), model);
    source_.emplace(source_model(model_));
    truth_.document = source_->to_document(model_.traced.graph, target_);
    truth_.inputs = graph_inputs(fill(model_.samples, 0), *source_);
    truth_.outputs = model_.traced.outputs;
    if (model_.dynamic) truth_.sizes = model_.dynamic->chooser.sample();
    for (const trace::State& state : model_.traced.states)
      truth_.states.emplace_back(state.input, state.output);
    engine_ = find_engine(parse_engine("auto"), engine_request_for(target_), options_.runner);
    accepted_ = artefact_inputs_of(truth_.document);
    sets_ = make_input_sets(*source_, options_.seeds, options_.tolerance, accepted_);
    options_.scratch = engine_.scratch->path();
    jury_.emplace(*source_, truth_.document, sets_, *engine_.runner);
  }

  const Truth& truth() const { return truth_; }

  /// "ok", "inconclusive", "contents", or why it is refused.
  std::string verdict(const nnef::Document& document) {
    const TemporaryFolder folder;
    try {
      nnef::PendingArtefact artefact = nnef::write_artefact(
          document, {folder.path() / "model", nnef::Destination::Form::folder, 0});
      engine_.runner->load(artefact.path().string());
      try_first_sets(artefact.path().string());
      const bool is_inconclusive = judged(sets_, artefact.path().string());
      if (is_inconclusive) return "inconclusive";
      const auto other = contents_of(nnef::read_artefact(artefact.path()), truth_.document).other;
      return other ? "contents" : "ok";
    } catch (const Error& error) {
      return cat("refused\t", error.diagnostic().id, ": ", error.diagnostic().message);
    }
  }

  double times_torch(const nnef::Document& wrong) { return jury_->times_torch(wrong); }

 private:
  /// Whether it is inconclusive.
  bool judged(InputSets& sets, const std::string& artefact) {
    CheckResult result = check_on(sets, {.model = *source_,
                                         .accepted = accepted_,
                                         .outputs = model_.traced.graph.output_names,
                                         .options = options_,
                                         .runner = *engine_.runner,
                                         .path = artefact});
    judge(result, options_, {}, {});
    return result.inconclusive;
  }

  /// What some sets refuse, all do, and most lies are refused by the first ones.
  void try_first_sets(const std::string& artefact) {
    constexpr size_t kFirst = 2;
    InputSets first;
    first.movements = sets_.movements;
    const size_t count = std::min(kFirst, sets_.sets.size());
    const auto move = [&](InputSets& from, InputSets& to) {
      for (size_t i = 0; i < count; ++i) to.sets[i] = std::move(from.sets[i]);
    };
    first.sets.resize(count);
    move(sets_, first);
    try {
      judged(first, artefact);
    } catch (const Error&) {
      move(first, sets_);
      throw;
    }
    move(first, sets_);
  }

  const Request& request_;
  const target::Target target_ = target::parse_target("tract");
  CheckOptions options_;
  TracedModel model_;
  std::optional<SourceModel> source_;
  ArtefactInputs accepted_;
  Truth truth_;
  FoundEngine engine_;
  InputSets sets_;
  std::optional<Jury> jury_;
};

void run(const Request& request) {
  Court court(request);
  std::cout << "truth\t" << court.verdict(court.truth().document) << std::endl;
  for (const Lie& lie : lies_of(court.truth(), request.most, request.seed)) {
    if (request.only && !request.only->contains(cat(lie.kind, "\t", lie.what))) continue;
    const std::string verdict = court.verdict(lie.document);
    const size_t tab = verdict.find('\t');
    std::cout << lie.kind << "\t" << verdict.substr(0, tab) << "\t" << lie.what;
    if (tab != std::string::npos) std::cout << verdict.substr(tab);
    if (verdict == "ok" || verdict == "contents")
      std::cout << "\t" << court.times_torch(lie.document);
    std::cout << std::endl;
  }
}

}  // namespace
}  // namespace t2n::test

int main(int argc, char** argv) {
  int code = 0;
  if (t2n::tract::maybe_run_worker(argc, argv, &code)) return code;
  try {
    t2n::test::run(t2n::test::parse({argv + 1, argv + argc}));
    std::cout.flush();
    std::_Exit(0);  // torch's registries take their time
  } catch (const t2n::Error& error) {
    std::cerr << t2n::render_text(error.diagnostic());
    return 1;
  }
}
