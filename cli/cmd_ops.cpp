// SPDX-License-Identifier: Apache-2.0
// t2nnef ops: lists the supported operators of a target or a model, or describes one operator.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <system_error>

#include "cli/commands.h"
#include "cli/operators_markdown.h"
#include "cli/options/config_file.h"
#include "cli/options/input_options.h"
#include "cli/report_pictures.h"
#include "cli/screen/console.h"
#include "cli/screen/text.h"
#include "ir/op_traits.h"
#include "ir/rearrangement.h"
#include "ops/all.h"
#include "src/diag/error.h"
#include "src/export/all_refusals.h"
#include "src/export/pipeline.h"
#include "src/export/report_ops.h"
#include "src/model/torch_module.h"
#include "src/model_file/allowed.h"
#include "src/quant/known_operators.h"
#include "src/translate/registry.h"
#include "src/translate/translate.h"

namespace t2n::cli {
namespace {

constexpr const char* kOpsExamples =
    "examples:\n"
    "  t2nnef ops model.pt --missing\n"
    "  t2nnef ops aten::gelu -t khronos\n";

struct OpsCommand {
  std::string subject;  ///< a model, an operator, or nothing
  std::string target = "tract";
  InputOptions inputs;
  std::vector<std::string> disabled_passes;
  bool missing = false;
  bool markdown = false;
};

using Rows = std::vector<std::vector<std::string>>;

/// The operation written; for strict NNEF, standard ones replace tract's and our fragments.
std::string written_as(const ops::Variant& variant, const target::Target& target) {
  const std::string_view nnef = variant.nnef;
  const bool is_tract =
      nnef.find("tract_") != std::string_view::npos || nnef.find("t2n_") != std::string_view::npos;
  return is_tract && target.engine == target::Engine::khronos ? "standard operations"
                                                              : std::string(nnef);
}

ExitCode list_all(const target::Target& target, CommandReport& report) {
  std::vector<SupportedOperator> operators;
  for (const ir::OpId op : ops::registry().ops())
    if (const ops::Variant* variant = ops::registry().variant(op, target))
      operators.push_back({std::string(ir::op_name(op)), written_as(*variant, target),
                           std::string(ops::registry().find(op)->doc)});
  add_operators(report, operators);
  Rows rows = {{"operator", "written as", "meaning"}};
  for (const SupportedOperator& each : operators)
    rows.push_back({each.name, each.written_as, each.meaning});
  print(table(rows));
  print(cat(counted(rows.size() - 1, "operator"), " for ", target::target_name(target), "\n"));
  return ExitCode::ok;
}

/// Options of an export that translates the same.
ExportOptions prepared(const OpsCommand& options, const target::Target& target,
                       const Report& report) {
  ExportOptions out = traced_options(options.subject, options.inputs, report);
  out.target = target;
  use_extensions(options.inputs, &target);
  out.passes.disabled = options.disabled_passes;
  return out;
}

std::string support_text(const ops::OpUse& use) {
  if (use.refused == 0) return "yes";
  return use.refused == use.count ? "no" : cat("not ", use.refused, " of ", use.count);
}

std::vector<UsedOperator> used_in(const ir::Graph& graph, const target::Target& target) {
  std::vector<UsedOperator> out;
  for (const ops::OpUse& use : ops::list_ops(graph, target, ops::registry()))
    out.push_back({use.op, use.count, support_text(use), use.refused > 0, use.first});
  return out;
}

std::vector<UsedOperator> used_in(const trace::ModelCode& code, const target::Target& target) {
  constexpr std::array kTexts = {"yes", "no", "by overload", "?"};
  std::vector<UsedOperator> out;
  for (const trace::CodeOperator& called : code.operators) {
    const CodeSupport support = support_of(called, target);
    out.push_back({called.name, called.count, kTexts.at(static_cast<size_t>(support)),
                   support == CodeSupport::no, called.first.empty() ? Where() : called.first[0]});
  }
  return out;
}

/// Prints the list, and returns the number of operators that are missing.
size_t print_used(std::vector<UsedOperator> used, const OpsCommand& options,
                  const target::Target& target, CommandReport& report) {
  std::stable_sort(used.begin(), used.end(),
                   [](const UsedOperator& a, const UsedOperator& b) { return a.count > b.count; });
  add_used(report, used);
  Rows rows = {{"uses", "operator", "supported", "first use"}};
  size_t missing = 0, unknown = 0;
  for (const UsedOperator& use : used) {
    missing += use.is_missing ? 1 : 0;
    unknown += use.support == "?" ? 1 : 0;
    if (options.missing && !use.is_missing) continue;
    rows.push_back({cat(use.count, "x"), use.name, use.support, render_where(use.first)});
  }
  if (rows.size() > 1) print(table(rows));
  print(cat(used.size() - missing - unknown, " of ", counted(used.size(), "operator"),
            " supported by ", target::target_name(target), "\n"));
  return missing;
}

ExitCode list_used(const OpsCommand& options, const target::Target& target, CommandReport& report) {
  Console console(Verbosity::normal, report);
  report.set("/model/file", options.subject);
  const ExportOptions traced = prepared(options, target, console.report());
  report.picture = [traced, &report] { return traced_picture(traced, report); };
  const Inspection found = prepare_model(traced);
  const ir::Graph* const graph = found.graph     ? &*found.graph
                                 : found.reached ? &*found.reached
                                                 : nullptr;
  size_t missing = 0;
  if (graph != nullptr)
    missing = print_used(used_in(*graph, target), options, target, report);
  else if (found.code)
    missing = print_used(used_in(*found.code, target), options, target, report);
  if (found.error) throw Error(*found.error);
  if (graph == nullptr)
    print(
        "these are the operators in its code (?: of numbers or lists, or not known); give samples "
        "with -i to see those of a run\n");
  return options.missing && missing > 0 ? ExitCode::unsupported : ExitCode::ok;
}

/// "tract@0.23.2 or newer", "every version".
std::string needs(const ops::Variant& variant) {
  if (variant.when.features.empty()) return "every version";
  return cat("tract@", target::version_str(ops::oldest_version(variant)), " or newer");
}

/// "" if LibTorch cannot be loaded; nothing else here needs it.
std::string schema_line(ir::OpId op) {
  try {
    const auto schema = torch_module().find_schema(std::string(ir::op_name(op)));
    return schema ? cat("  schema: ", schema->text, "\n") : "";
  } catch (const Error&) {
    return "";
  }
}

std::string shapes_text(const shapes::ResultShapes* shapes) {
  if (shapes == nullptr) return "no rule: exports with --dynamic refuse sizes that depend on it";
  return shapes->is_elementwise ? "all tensors broadcast" : "by a rule";
}

std::string dtype_text(const ir::Promotion* promotion) {
  if (promotion == nullptr) return "no common dtype: operands keep theirs";
  return *promotion == ir::Promotion::to_float ? "the common dtype, integers as f32"
                                               : "the common dtype";
}

std::string integers_text(const ops::IntegerRule* rule) {
  if (rule == nullptr) return "no bounds: results may be any integers";
  return rule->is_computed ? "computed within bounds" : "within the operands' bounds";
}

std::string elements_text(const ir::OpTable& book, ir::OpId op) {
  if (book.find<ir::Rearrangement>(op) != nullptr) return "moved; complex ones as pairs";
  if (book.find<ir::Linear>(op) != nullptr) return "linear; complex ones part by part";
  return "computed; complex ones by a rule, or refused";
}

std::string zero_signs_text(const ir::ZeroSign* fact) {
  if (fact == nullptr) return "exposed";
  return *fact == ir::ZeroSign::dropped ? "dropped" : "propagated";
}

/// The other columns of the book, and what is missing.
std::string columns_text(ir::OpId op) {
  const ir::OpTable& book = ops::registry().table();
  std::string traits;
  for (const std::string_view trait : ir::traits_of(op))
    traits += cat(traits.empty() ? "" : ", ", trait);
  return cat("  shapes: ", shapes_text(book.find<shapes::ResultShapes>(op)),
             "\n  computes in: ", dtype_text(book.exact<ir::Promotion>(op)),
             "\n  integers: ", integers_text(book.find<ops::IntegerRule>(op)),
             "\n  elements: ", elements_text(book, op),
             "\n  signs of zeros: ", zero_signs_text(book.find<ir::ZeroSign>(op)),
             "\n  traits: ", traits.empty() ? "none" : traits, "\n");
}

std::string explanation(ir::OpId op, const target::Target& target) {
  const ops::Entry& translation = *ops::registry().find(op);
  const ops::Variant* chosen = ops::registry().variant(op, target);
  std::string out = cat(ir::op_name(op), "\n", schema_line(op));
  if (!translation.doc.empty()) out += cat("  meaning: ", translation.doc, "\n");
  Rows rows;
  for (const ops::Variant& variant : translation.variants)
    rows.push_back({cat("  ", variant.nnef.empty() ? "several operations"
                              : &variant == chosen ? written_as(variant, target)
                                                   : std::string(variant.nnef)),
                    needs(variant),
                    &variant == chosen ? cat("<- ", target::target_name(target)) : ""});
  if (translation.refusal)
    return out + cat("  refused: ", target::limit_row(translation.refusal->limit).why,
                     "\n  instead: ", translation.refusal->help, "\n");
  out += "  written as:\n" + table(rows);
  if (!translation.limits.empty()) out += cat("  refused: ", translation.limits, "\n");
  return out + columns_text(op);
}

/// For operators without a translation: what replaces them, or why they are refused; "" if LibTorch
/// does not have them either.
std::string untranslated_text(const std::string& name) {
  const std::string base = name.substr(0, name.find('.'));
  const size_t colon = base.find("::");
  if (colon == 0 || colon + 2 == base.size() || base.find(':', colon + 2) != std::string::npos)
    return {};
  const std::string schema = schema_line(ir::op_id(base));
  const auto entry = [&](std::string_view text) {
    return cat(base, "\n", schema, "  ", text, "\n");
  };
  if (quant::is_expanded(base))
    return entry("expanded to plain operations by the pass expand-quantised");
  if (schema.empty()) return {};
  if (!model_file::is_allowed(base))
    return entry(cat("refused: ", model_file::denial_reason(base)));
  if (base.starts_with("quantized::"))
    return entry("evaluated while the model is traced, on constants only");
  return {};
}

/// The named overload, or all overloads; none if the operator was described here.
std::vector<ir::OpId> find_ops(const std::string& name) {
  std::vector<ir::OpId> found;
  std::vector<std::string> names;
  for (const ir::OpId op : ops::registry().ops()) {
    const std::string known(ir::op_name(op));
    if (known == name || known.starts_with(name + ".")) found.push_back(op);
    names.push_back(known);
    names.push_back(known.substr(0, known.find('.')));
  }
  if (!found.empty()) return found;
  if (const std::string text = untranslated_text(name); !text.empty()) {
    print(text);
    return {};
  }
  const std::string suggestion = nearest(name, names);
  throw Error("usage", cat("the operator ", quoted(name), " is not supported"), {},
              suggestion.empty() ? "`t2nnef ops` lists all"
                                 : cat("did you mean ", quoted(suggestion), "?"));
}

ExitCode explain(const std::string& name, const target::Target& target, CommandReport& report) {
  std::vector<SupportedOperator> operators;
  for (const ir::OpId op : find_ops(name)) {
    const ops::Variant* const variant = ops::registry().variant(op, target);
    operators.push_back({std::string(ir::op_name(op)),
                         variant == nullptr ? "" : written_as(*variant, target),
                         std::string(ops::registry().find(op)->doc)});
    print(explanation(op, target));
  }
  add_operators(report, operators);
  return ExitCode::ok;
}

/// The operator that the subject names, without a namespace if there is no such file; "" if none.
std::string operator_name(const std::string& subject) {
  if (subject.find("::") != std::string::npos) return subject;
  const std::string name = "aten::" + subject;
  std::error_code ignored;
  if (subject.empty() || std::filesystem::exists(subject, ignored)) return {};
  const std::vector<ir::OpId> known = ops::registry().ops();
  const bool is_known = std::any_of(known.begin(), known.end(), [&](ir::OpId op) {
    return ir::op_name(op) == name || ir::op_name(op).starts_with(name + ".");
  });
  return is_known ? name : std::string();
}

/// A word that is no path was meant as an operator.
void require_file(const std::string& subject) {
  std::error_code ignored;
  if (subject.find_first_of("./") == std::string::npos && !subject.empty() &&
      !std::filesystem::exists(subject, ignored))
    throw Error("usage", cat(quoted(subject), " is neither a file nor a supported operator"), {},
                "`t2nnef ops` lists all operators");
}

ExitCode run_ops(const OpsCommand& options, CommandReport& report) {
  const target::Target target = target::parse_target(options.target);
  report.set("/target", target::target_name(target));
  if (const std::string name = operator_name(options.subject); !name.empty())
    return explain(name, target, report);
  require_file(options.subject);
  if (!options.subject.empty()) return list_used(options, target, report);
  if (options.missing)
    throw Error("usage", "--missing needs a model", {},
                "for example: t2nnef ops model.pt --missing");
  if (options.markdown) {
    print(operators_markdown());
    return ExitCode::ok;
  }
  return list_all(target, report);
}

}  // namespace

void setup_ops(CLI::App& app, Run& selected) {
  auto options = std::make_shared<OpsCommand>();
  CLI::App* command = app.add_subcommand("ops", "List supported operators, or those of a model");
  command
      ->add_option("MODEL.pt", options->subject,
                   "A TorchScript or .pt2 file, or one operator: aten::gelu\n"
                   "Without it, list all operators.")
      ->default_str("all operators")
      ->type_name("");
  command->add_option("-t,--target", options->target, "Target engine [tract]")->type_name("TARGET");
  add_input_options(*command, options->inputs);
  add_disable_pass(*command, options->disabled_passes);
  command->add_flag("--missing", options->missing,
                    "List only operators that an export would refuse\n"
                    "An export with the same options. Exit code 4 if there are any.");
  command->add_flag("--markdown", options->markdown,
                    "Print the table for all targets: docs/operators.md");
  add_config_option(*command);
  command->footer(kOpsExamples);
  command->callback([options, &selected] {
    selected = [options](CommandReport& report) { return run_ops(*options, report); };
  });
}

}  // namespace t2n::cli
