#include "tests/support/script.h"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>

#include "nnef_writer/archive.h"
#include "nnef_writer/print.h"
#include "ops/registry.h"
#include "src/diag/error.h"
#include "src/export/pipeline.h"
#include "src/export/torch_module.h"
#include "src/tract/worker.h"

namespace t2n::test {
namespace {

namespace fs = std::filesystem;

/// A fresh folder that goes away with the object.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (fs::temp_directory_path() / "t2nnef-test-XXXXXX").string();
    T2N_ASSERT(::mkdtemp(pattern.data()) != nullptr, "cannot make a temporary folder");
    path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

struct Exported {
  trace::Traced traced;
  std::vector<OperatorUse> rewritten;
  nnef::Document document;
};

std::vector<trace::SampleInput> named(const std::vector<ir::Tensor>& inputs) {
  std::vector<trace::SampleInput> out;
  for (size_t i = 0; i < inputs.size(); ++i) out.push_back({{cat("input_", i)}, inputs[i]});
  return out;
}

/// Operations that the pass complex-to-pairs takes apart: the translated graph lacks them.
std::vector<OperatorUse> rewritten_uses(const ir::Graph& graph) {
  if (!is_recording()) return {};
  std::vector<OperatorUse> out = operator_uses(graph);
  std::erase_if(out, [](const OperatorUse& use) {
    const ops::Translation* known = ops::translations().find(ir::op_id(use.op));
    return known == nullptr || known->variants.at(0).nnef != "complex-to-pairs";
  });
  return out;
}

/// What the model consists of, under all names.
std::vector<OperatorUse> all_uses(const ir::Graph& graph, const std::vector<ir::Tensor>& inputs) {
  if (!is_recording()) return {};
  std::vector<OperatorUse> out = operator_uses(graph);
  for (OperatorUse& alias : alias_uses(graph, inputs)) out.push_back(std::move(alias));
  return out;
}

/// Whether the text names the operator or another name of it.
bool is_named(const OperatorUse& use, const std::string& text) {
  const ir::OpId own = ir::op_id(use.op);
  if (text.find(use.op) != std::string::npos) return true;
  const std::vector<ir::OpId> all = ops::translations().ops();
  return std::any_of(all.begin(), all.end(), [&](ir::OpId op) {
    return same_translation(op, own) && text.find(ir::op_name(op)) != std::string::npos;
  });
}

/// The operators that the diagnostic names.
void record_refusal(const ir::Graph& graph, const std::vector<ir::Tensor>& inputs,
                    const target::Target& target, const Error& error) {
  const std::string text = render_text(error.diagnostic());
  std::vector<OperatorUse> uses = all_uses(graph, inputs);
  std::erase_if(uses, [&](const OperatorUse& use) { return !is_named(use, text); });
  record(uses, target::target_name(target), Outcome::refused);
}

Exported export_script(const Script& model, const std::vector<ir::Tensor>& inputs,
                       const target::Target& target) {
  const auto session = torch_module().compile({model.source, model.parameters});
  Exported out;
  out.traced = torch_module().trace(*session, named(inputs), {});
  ir::verify(out.traced.graph, "trace");
  // Every operator test is a round trip of the text form as well.
  const std::string text = ir::print(out.traced.graph);
  T2N_ASSERT(ir::print(ir::parse(text)) == text, "the text form does not round-trip:\n", text);
  out.rewritten = rewritten_uses(out.traced.graph);
  try {
    out.document = to_nnef(out.traced.graph, target, {}, {});
  } catch (const Error& error) {
    record_refusal(out.traced.graph, inputs, target, error);
    throw;
  }
  return out;
}

std::vector<tract::Engine> engines() {
  static const tract::Candidates candidates =
      tract::find_engines(tract::search_from_environment(""));
  return candidates.engines;
}

tract::Engine engine_of(const target::Target& target) {
  return tract::pick({target.version.major, target.version.minor, target.version.patch},
                     {engines(), {}});
}

check::Runner& runner(const target::Target& target) {
  static std::map<std::string, std::unique_ptr<check::Runner>> runners;
  std::unique_ptr<check::Runner>& slot = runners[target::target_name(target)];
  if (!slot) {
    slot = check::tract_runner(engine_of(target), {.timeout = std::chrono::seconds(60)});
  }
  return *slot;
}

}  // namespace

Script Script::with(std::string name, ir::Tensor value) const {
  Script out = *this;
  out.parameters.emplace_back(std::move(name), std::move(value));
  return out;
}

std::string script_value(int value) { return std::to_string(value); }
std::string script_value(int64_t value) { return std::to_string(value); }
std::string script_value(double value) {
  std::ostringstream out;
  out.imbue(std::locale::classic());
  out.precision(17);
  out << std::showpoint << value;
  return out.str();
}
std::string script_value(bool value) { return value ? "True" : "False"; }
std::string script_value(const char* value) { return value; }
std::string script_value(const std::string& value) { return value; }

Script script_with(std::string_view source, const std::vector<std::string>& values) {
  std::map<std::string, std::string> bound;
  size_t next = 0;
  std::string out;
  for (size_t at = 0; at < source.size();) {
    if (source[at] != '$') {
      out += source[at++];
      continue;
    }
    size_t end = at + 1;
    while (end < source.size() &&
           (std::isalnum(static_cast<unsigned char>(source[end])) != 0 || source[end] == '_'))
      ++end;
    const std::string name(source.substr(at, end - at));
    if (!bound.contains(name)) {
      T2N_ASSERT(next < values.size(), "no value for ", name);
      bound[name] = values[next++];
    }
    out += bound[name];
    at = end;
  }
  T2N_ASSERT(next == values.size(), "more values than $names");
  return {out, {}};
}

ir::Tensor randn(const ir::Ints& shape, uint64_t seed, ir::DType dtype) {
  return draw(dtype, shape, {}, seed, 1);
}

ir::Tensor uniform(const ir::Ints& shape, double low, double high, uint64_t seed, ir::DType dtype) {
  constexpr int64_t kSteps = 1 << 20;
  std::vector<double> data;
  for (const int64_t step :
       ir::to_i64(draw(ir::DType::i64, shape, trace::Range{0, kSteps + 1}, seed, 2)))
    data.push_back(low + (high - low) * static_cast<double>(step) / static_cast<double>(kSteps));
  return values(shape, data, dtype);
}

ir::Tensor randint(const ir::Ints& shape, int64_t low, int64_t high_exclusive, uint64_t seed,
                   ir::DType dtype) {
  return draw(dtype, shape, trace::Range{low, high_exclusive}, seed, 3);
}

ir::Tensor values(const ir::Ints& shape, const std::vector<double>& data, ir::DType dtype) {
  return ir::tensor_of<double>(dtype, shape, data);
}

Run export_and_run(const Script& model, const std::vector<ir::Tensor>& inputs,
                   const target::Target& target) {
  const Exported exported = export_script(model, inputs, target);
  const TemporaryFolder folder;
  nnef::PendingArtefact artefact = nnef::write_artefact(
      exported.document, {folder.path() / "model", nnef::Destination::Form::folder, 0});
  check::Runner& engine = runner(target);
  engine.load(artefact.path().string());
  std::vector<ir::Tensor> real;
  for (const ir::Tensor& input : inputs) real.push_back(ir::as_pairs(input));
  std::vector<OperatorUse> uses = all_uses(exported.traced.graph, inputs);
  uses.insert(uses.end(), exported.rewritten.begin(), exported.rewritten.end());
  return {exported.traced.outputs, engine.run(real), nnef::print(exported.document),
          std::move(uses), target::target_name(target)};
}

std::vector<ir::Tensor> run_text(const std::string& graph, const std::vector<ir::Tensor>& inputs,
                                 const target::Target& target) {
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "graph.nnef") << graph;
  check::Runner& engine = runner(target);
  engine.load(folder.path().string());
  return engine.run(inputs);
}

std::string engine_profile(const Script& model, const std::vector<ir::Tensor>& inputs,
                           const target::Target& target) {
  const TemporaryFolder folder;
  nnef::PendingArtefact artefact =
      nnef::write_artefact(export_script(model, inputs, target).document,
                           {folder.path() / "model", nnef::Destination::Form::folder, 0});
  tract::WorkerClient worker(engine_of(target).library);
  worker.load(artefact.path().string());
  return worker.profile_json();
}

std::string export_text(const Script& model, const std::vector<ir::Tensor>& inputs,
                        const target::Target& target) {
  return nnef::print(export_script(model, inputs, target).document);
}

std::string export_error(const Script& model, const std::vector<ir::Tensor>& inputs,
                         const target::Target& target) {
  try {
    export_script(model, inputs, target);
  } catch (const Error& error) {
    return render_text(error.diagnostic());
  }
  return "(no error: the model was exported)";
}

const std::vector<target::Target>& test_targets() {
  static const std::vector<target::Target> targets = [] {
    std::vector<target::Target> out;
    for (const tract::Engine& engine : engines())
      out.push_back({target::Engine::tract,
                     {engine.version.major, engine.version.minor, engine.version.patch}});
    std::sort(out.begin(), out.end(),
              [](const auto& a, const auto& b) { return b.version < a.version; });
    out.erase(std::unique(out.begin(), out.end()), out.end());
    T2N_ASSERT(!out.empty(), "no tract library was found: set T2NNEF_TRACT_LIB");
    return out;
  }();
  return targets;
}

const target::Target& newest_target() { return test_targets().front(); }

check::Tolerance rel(double value) { return {check::Level::custom, {value, value, 0}}; }

std::string differences(const Run& run, const check::Tolerance& tolerance) {
  if (run.actual.size() != run.expected.size())
    return cat(run.actual.size(), " outputs, expected ", run.expected.size());
  std::string out;
  for (size_t i = 0; i < run.expected.size(); ++i) {
    const check::Comparison comparison = check::compare(run.expected[i], run.actual[i], tolerance);
    if (comparison.verdict != check::Verdict::ok)
      out += check::mismatch_text(cat("output_", i), comparison) + "\n";
  }
  record(run.uses, run.target, out.empty() ? Outcome::right : Outcome::wrong);
  return out;
}

}  // namespace t2n::test
