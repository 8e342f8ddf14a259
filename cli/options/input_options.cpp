// SPDX-License-Identifier: Apache-2.0
// The options --input and --method, with their help for every command.
#include "cli/options/input_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>

#include "cli/screen/text.h"
#include "src/diag/error.h"
#include "src/export/graph_file.h"
#include "src/extend/own_fragments.h"
#include "src/nnef/files.h"
#include "src/samples/input_spec.h"

namespace t2n::cli {
namespace {

/// A zip archive whose directory, at its end, contains names that only torch.jit.save writes.
bool looks_like_torchscript(const std::string& path) {
  constexpr std::streamoff kMost = 1 << 20;
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  const std::streamoff size = file.tellg();
  if (size < 4) return false;
  std::string bytes(4, '\0');
  file.seekg(0).read(bytes.data(), 4);
  if (!file || bytes != "PK\x03\x04") return false;
  bytes.resize(std::min(size, kMost));
  file.seekg(size - static_cast<std::streamoff>(bytes.size()));
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return file && bytes.find("/constants.pkl") != std::string::npos;
}

/// Source locations, "model.py:8". Errors: `usage`.
std::set<std::string> accepted_guards(const InputOptions& options) {
  for (const std::string& text : options.accepted_guards) {
    const size_t colon = text.rfind(':');
    if (colon == std::string::npos || colon == 0 || colon + 1 == text.size() ||
        text.find_first_not_of("0123456789", colon + 1) != std::string::npos)
      throw Error("usage", cat("--accept-guard ", quoted(text), " is not FILE.py:LINE"), {},
                  "take FILE.py:LINE from the message that refused the branch: --accept-guard "
                  "model.py:8");
  }
  return {options.accepted_guards.begin(), options.accepted_guards.end()};
}

/// The number that follows `equals`, to the end of the text; nothing if it is none of 64 bits.
std::optional<int64_t> integer_after(std::string_view text, size_t equals) {
  if (equals == text.npos) return std::nullopt;
  int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data() + equals + 1, end, number);
  return error == std::errc() && rest == end ? std::optional(number) : std::nullopt;
}

/// By source location, for data-dependent loops. Errors: `usage`.
std::map<std::string, int64_t> max_iterations(const InputOptions& options) {
  constexpr int64_t kMost = 100'000;
  std::map<std::string, int64_t> out;
  for (const std::string& text : options.max_iterations) {
    const size_t equals = text.rfind('=');
    const int64_t number = integer_after(text, equals).value_or(0);
    if (number < 1 || number > kMost || text.find(':') >= equals)
      throw Error("usage", cat("--max-iterations ", quoted(text), " is not FILE.py:LINE=N"),
                  cat("N is a number from 1 to ", kMost),
                  "take FILE.py:LINE from the message that refused the loop: --max-iterations "
                  "model.py:8=50");
    out[text.substr(0, equals)] = number;
  }
  return out;
}

/// Sizes of symbols. Errors: `usage`.
ir::Sizes closed_sizes(const InputOptions& options) {
  ir::Sizes out;
  for (const std::string& text : options.closed) {
    const size_t equals = text.find('=');
    const int64_t size = integer_after(text, equals).value_or(-1);
    if (equals == 0 || size < 0)
      throw Error("usage", cat("cannot read --specialize ", quoted(text)), {},
                  "write SYMBOL=SIZE, as in B=1");
    if (!out.emplace(text.substr(0, equals), size).second)
      throw Error("usage", cat("--specialize ", text.substr(0, equals), " is given twice"));
  }
  return out;
}

DynamicOptions dynamic_options(const InputOptions& options) {
  DynamicOptions out;
  for (const std::string& text : options.dynamic) out.axes.push_back(dynamic::parse_axis(text));
  for (const std::string& text : options.assertions)
    out.asserted.push_back(dynamic::parse_comparison(text));
  out.has_preset = !options.preset.empty();
  out.closed = closed_sizes(options);
  return out;
}

void add_extension_options(CLI::App& command, InputOptions& options) {
  command
      .add_option("--fragment", options.fragments,
                  "NNEF text that defines an operator of your own\n"
                  "Repeatable. The fragment mine__swish stands for mine::swish.")
      ->type_name("FILE.nnef")
      ->allow_extra_args(false);
  command
      .add_option("--module-op", options.module_ops,
                  "Fragment for modules: 'blocks.*.norm=my_norm'\n"
                  "Repeatable. Its parameters are forward's arguments and the module's attributes.")
      ->type_name("GLOB=FRAGMENT")
      ->allow_extra_args(false);
  command
      .add_option("--plugin", options.plugins,
                  "Library of torch operators that the model calls\n"
                  "Repeatable. It is loaded before the model, and runs as code of yours.")
      ->type_name("LIB.so")
      ->allow_extra_args(false);
}

}  // namespace

void add_input_options(CLI::App& command, InputOptions& options) {
  command
      .add_option(
          "-i,--input", options.specs,
          "Sample: x=1,3,224,224,f32, x=@x.npy or @all.npz\n"
          "Repeatable. Also ids=1,8,i64:0..999  x=2,3,f32:0.1..1  @saved.pt  n=int:3  f=float:0.5  "
          "b=bool:true  s=str:abc  opt=none. Default: the samples saved in a traced file.")
      ->type_name("SPEC")
      ->allow_extra_args(false);
  add_seed(command);
  command
      .add_option("--method", options.methods,
                  "Method to use instead of forward\n"
                  "Repeatable for `export`, which writes one file for each.")
      ->type_name("NAME")
      ->allow_extra_args(false);
  command.add_flag("--state", options.explicit_states,
                   "Turn kept state into inputs and outputs: h, h_next");
  command
      .add_option("--dynamic", options.dynamic,
                  "Dynamic axis: x:0=B  ids:-1=S  mask:1=P+S\n"
                  "Repeatable. Names may be globs, and sizes expressions: past.*:2=P  y:2=2*S.")
      ->type_name("INPUT:AXIS=SIZE")
      ->allow_extra_args(false);
  command
      .add_option("--assert", options.assertions,
                  "Constraint on dynamic sizes: 'S>=1'  'B==2*P'\n"
                  "Repeatable.")
      ->type_name("RELATION")
      ->allow_extra_args(false);
  command
      .add_option("--specialize", options.closed,
                  "Size of a dynamic axis of a .pt2 file: B=1\n"
                  "Repeatable. The artefact is for this size only.")
      ->type_name("SYMBOL=SIZE")
      ->allow_extra_args(false);
  command
      .add_option("--accept-guard", options.accepted_guards,
                  "Keep the samples' branch of a data-dependent `if`\n"
                  "Repeatable.")
      ->type_name("FILE.py:LINE")
      ->allow_extra_args(false);
  command
      .add_option("--max-iterations", options.max_iterations,
                  "Limit of a data-dependent loop\n"
                  "Repeatable. The artefact fails if the loop would run longer.")
      ->type_name("FILE.py:LINE=N")
      ->allow_extra_args(false);
  add_extension_options(command, options);
}

void use_extensions(const InputOptions& options, const target::Target* target) {
  std::vector<extend::ModuleOp> modules;
  for (const std::string& text : options.module_ops)
    modules.push_back(extend::parse_module_op(text));
  std::optional<spec::Dialect> dialect;
  if (target != nullptr)
    dialect =
        target->engine == target::Engine::khronos ? spec::Dialect::khronos : spec::Dialect::tract;
  extend::Extensions own = extend::read_extensions(options.fragments, std::move(modules), dialect);
  for (const std::string& plugin : options.plugins) {
    nnef::require_file(plugin, "plugin-failed");
    own.plugins.push_back(std::filesystem::absolute(plugin));
  }
  extend::use(std::move(own));
}

std::string extension_arguments(const InputOptions& options) {
  std::string out;
  for (const std::string& file : options.fragments) out += cat(" --fragment ", shell_quoted(file));
  for (const std::string& text : options.module_ops)
    out += cat(" --module-op ", shell_quoted(text));
  for (const std::string& file : options.plugins) out += cat(" --plugin ", shell_quoted(file));
  return out;
}

void add_seed(CLI::App& command) {
  command
      .add_option_function<uint64_t>(
          "--seed", [](const uint64_t& seed) { set_drawing_seed(seed); },
          "Seed of drawn inputs and of a check's variations [0]")
      ->type_name("N");
}

void add_disable_pass(CLI::App& command, std::vector<std::string>& disabled) {
  command
      .add_option("--disable-pass", disabled,
                  "Skip a pass\n"
                  "Repeatable.")
      ->type_name("PASS")
      ->allow_extra_args(false);
}

std::string one_method(const InputOptions& options) {
  if (options.methods.size() > 1)
    throw Error("usage", cat("--method is given ", options.methods.size(), " times"),
                "only `export` takes several methods", "give one");
  return options.methods.empty() ? "forward" : options.methods.front();
}

ModelOptions model_options(const std::string& model, const InputOptions& options,
                           const Report& report) {
  nnef::require_file(model, "model-format");
  use_extensions(options);
  if (is_graph_file(model)) refuse_trace_options(model, options, true);
  return {.model = model,
          .method = one_method(options),
          .samples = parse_inputs(options.specs),
          .dynamic = dynamic_options(options),
          .accepted_guards = accepted_guards(options),
          .max_iterations = max_iterations(options),
          .explicit_states = options.explicit_states,
          .report = report,
          .progress = {}};
}

ExportOptions traced_options(const std::string& model, const InputOptions& options,
                             const Report& report) {
  ExportOptions out;
  static_cast<ModelOptions&>(out) = model_options(model, options, report);
  return out;
}

bool has_trace_options(const InputOptions& options) {
  return !options.dynamic.empty() || !options.assertions.empty() || !options.closed.empty() ||
         !options.accepted_guards.empty() || !options.max_iterations.empty() ||
         options.explicit_states || !options.preset.empty() ||
         std::any_of(options.methods.begin(), options.methods.end(),
                     [](const std::string& method) { return method != "forward"; });
}

void refuse_trace_options(const std::string& graph, const InputOptions& options, bool runs) {
  if (has_trace_options(options))
    throw Error("usage", cat(quoted(graph), " is a graph, which is not traced"), {},
                "give it without --dynamic, --assert, --specialize, --accept-guard, "
                "--max-iterations, --state, "
                "--method and --preset");
  if (!runs && !options.specs.empty())
    throw Error("usage", cat(quoted(graph), " is a graph, which is not run here"),
                "--input is read only if the graph is run", "give it without --input");
}

const std::string& require_model(const std::string& model, const char* command) {
  if (model.empty())
    throw Error("usage", cat("the model is missing"), {},
                cat("for example: t2nnef ", command, " model.pt",
                    command == std::string_view("export") ? " --target tract" : ""));
  nnef::require_file(model, "model-format");
  return model;
}

const std::string& require_artefact(const std::string& artefact, const char* example,
                                    const std::string& help) {
  if (artefact.empty())
    throw Error("usage", "the artefact is missing", {}, cat("for example: t2nnef ", example));
  std::error_code error;
  if (!std::filesystem::exists(artefact, error))
    throw Error("model-not-found", cat("cannot open the artefact ", quoted(artefact)),
                error ? error.message() : "No such file or directory");
  nnef::require_file(artefact, "model-format");
  if (looks_like_torchscript(artefact))
    throw Error(
        "model-format", cat(quoted(artefact), " is a TorchScript model, not an NNEF artefact"), {},
        help.empty()
            ? cat("export it first: t2nnef export ", shell_quoted(artefact), " --target tract")
            : help);
  return artefact;
}

}  // namespace t2n::cli
