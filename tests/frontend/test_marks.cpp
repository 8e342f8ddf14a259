// SPDX-License-Identifier: Apache-2.0
// What is read from data, and what follows from sizes, is never lost: every operator on numbers,
// strings and containers that this LibTorch registers is given marked operands, one at a time.
#include <algorithm>
#include <map>
#include <optional>

#include "src/export/pass_table.h"
#include "src/model/torch_module.h"
#include "src/passes/pass.h"
#include "tests/frontend/replay.h"
#include "tests/support/script.h"

namespace t2n::test {
namespace {

/// How an operand of a type is written: plain, and following from the number `n`.
struct Operand {
  std::string plain;
  std::string marked;
};

std::optional<Operand> operand_of(const std::string& type) {
  static const std::map<std::string, Operand> table = {
      {"int", {"2", "n"}},
      {"float", {"0.5", "float(n)"}},
      {"bool", {"True", "n > 4"}},
      {"str", {"'ab'", "str(n)"}},
      {"number", {"2", "n"}},
      {"t", {"2", "n"}},
      {"t1", {"2", "n"}},
      {"t2", {"2", "n"}},
      {"Optional[int]", {"1", "n"}},
      {"Optional[t]", {"self.maybe(2)", "self.maybe(n)"}},
      {"List[t]", {"[5, 1, 7]", "[5, n, 7]"}},
      {"List[int]", {"[5, 1, 7]", "[5, n, 7]"}},
      {"List[float]", {"[5.0, 1.0]", "[5.0, float(n)]"}},
      {"List[bool]", {"[True, False]", "[True, n > 4]"}},
      {"List[str]", {"['a', 'b']", "['a', str(n)]"}},
      {"Dict[str, t]", {"{'a': 5, 'b': 7}", "{'a': 5, 'b': n}"}},
      {"Dict[int, t]", {"{2: 5, 3: 7}", "{2: 5, 3: n}"}},
      {"Dict[float, t]", {"{0.5: 5, 3.0: 7}", "{0.5: 5, 3.0: n}"}},
      {"Dict[bool, t]", {"{True: 5, False: 7}", "{True: 5, False: n}"}},
  };
  const auto found = table.find(type);
  return found == table.end() ? std::nullopt : std::optional(found->second);
}

bool is_container(const std::string& type) {
  return type.starts_with("List[") || type.starts_with("Dict[");
}

/// What is called as torch.NAME: operators of the namespace aten with operands as above.
struct Form {
  std::string name;
  std::string text;
  std::vector<std::string> types;
};

std::vector<Form> forms() {
  std::vector<Form> out;
  for (const ir::Schema& schema : torch_module().operators()) {
    if (!schema.text.starts_with("aten::") || schema.text.find("Tensor") != std::string::npos)
      continue;
    const std::string name = schema.text.substr(6, schema.text.find_first_of(".(") - 6);
    Form form{name, schema.text, {}};
    const bool is_known = std::all_of(
        schema.arguments.begin(), schema.arguments.end(),
        [](const ir::SchemaArgument& argument) { return operand_of(argument.type).has_value(); });
    for (const ir::SchemaArgument& argument : schema.arguments) form.types.push_back(argument.type);
    if (is_known && !form.types.empty()) out.push_back(std::move(form));
  }
  return out;
}

/// A model that gives the operator one operand made of `number`, and puts all that it can see
/// afterwards into its output.
std::string program(const Form& form, size_t marked, const std::string& number) {
  std::string body, operands, seen;
  for (size_t i = 0; i < form.types.size(); ++i) {
    const Operand operand = *operand_of(form.types[i]);
    const std::string name = cat("a", i);
    body += cat("    ", name, " = ", i == marked ? operand.marked : operand.plain, "\n");
    operands += cat(i == 0 ? "" : ", ", name);
    if (is_container(form.types[i]))
      seen += cat("    t += self.see(str(", name, ")) + len(", name, ")\n");
  }
  const bool gives_nothing = form.text.ends_with("-> ()");
  const std::string call = cat("torch.", form.name, "(", operands, ")");
  body += cat("    ", gives_nothing ? "" : "r = ", call, "\n");
  if (!gives_nothing) seen = cat("    t += self.see(str(r))\n", seen);
  return cat(
      "def maybe(self, n: int) -> Optional[int]:\n    if n == 12345:\n        return None\n"
      "    return n\n"
      "def see(self, text: str) -> int:\n    t = 0\n    for c in text:\n"
      "        t = (t * 31 + ord(c)) % 1009\n    return t\n"
      "def forward(self, x):\n    n = ",
      number, "\n    t = 0\n", body, seen, "    return x * t\n");
}

bool same(const std::vector<ir::Tensor>& a, const std::vector<ir::Tensor>& b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), ir::same_values);
}

using Session = std::shared_ptr<trace::Session>;

/// Nothing where this program cannot be written or does not run.
Session compiled(const std::string& source, const ir::Tensor& x) {
  try {
    const Session session = torch_module().compile({source, {}});
    torch_module().run(*session, {{{"x"}, x}});
    return session;
  } catch (const Error&) {
    return nullptr;
  }
}

std::vector<ir::Tensor> run(const Session& session, const ir::Tensor& x) {
  try {
    return torch_module().run(*session, {{{"x"}, x}});
  } catch (const Error&) {
    return {};  // torch refuses this number
  }
}

TEST_CASE("every operator keeps the mark of a number that was read from data") {
  const ir::Tensor x = values({3}, {2, 1, 0}), other = values({3}, {4, 1, 1});
  int tried = 0;
  for (const Form& form : forms())
    for (size_t i = 0; i < form.types.size(); ++i) {
      const std::string source = program(form, i, "int(x.sum())");
      const Session session = compiled(source, x);
      if (session == nullptr) continue;
      ++tried;
      CAPTURE(source);
      try {
        const trace::Traced traced = torch_module().trace(*session, {{{"x"}, x}}, {});
        const std::vector<ir::Tensor> expected = run(session, other);
        if (!expected.empty())
          CHECK_MESSAGE(
              same(ir::run_graph(traced.graph, {other}, torch_module().evaluator()), expected),
              form.text, " with operand ", i);
      } catch (const Error& error) {
        CHECK_MESSAGE(error.diagnostic().id.starts_with("data-dependent-"), form.text, ": ",
                      error.what());
      }
    }
  CHECK_GE(tried, 300);
}

/// Whether the trace says that it is not the same at the other size: a number that it baked, or a
/// comparison that does not hold there.
bool is_said(const trace::Traced& traced, const ir::Tensor& other) {
  const auto at_other = [&](const ir::Dim& dim) {
    return dim.substitute(
        [&](const ir::Symbol&) { return std::optional<ir::Dim>(other.shape[0]); });
  };
  return std::any_of(
      traced.decisions.begin(), traced.decisions.end(), [&](const trace::Decision& each) {
        if (!each.comparison) return true;
        const bool holds =
            ir::holds(at_other(each.comparison->left).value(), each.comparison->relation,
                      at_other(each.comparison->right).value());
        return holds != (each.kind == trace::Decision::Kind::loop || each.direction != 0);
      });
}

TEST_CASE("every operator keeps the mark of a number that follows from a size") {
  const ir::Tensor x = values({3}, {2, 1, 0}), other = values({6}, {4, 1, 1, 0, 2, 3});
  trace::TraceOptions options;
  options.keep_sizes = true;
  int tried = 0;
  for (const Form& form : forms())
    for (size_t i = 0; i < form.types.size(); ++i) {
      const std::string source = program(form, i, "x.size(0)");
      const Session session = compiled(source, x);
      if (session == nullptr) continue;
      ++tried;
      CAPTURE(source);
      trace::Traced traced = torch_module().trace(*session, {{{"x"}, x}}, options);
      const std::vector<ir::Tensor> expected = run(session, other);
      if (expected.empty() || is_said(traced, other)) continue;
      if (traced.graph.attributes.contains(ir::kSampleSizes))
        for (auto& [symbol, size] :
             std::any_cast<ir::Sizes&>(traced.graph.attributes[ir::kSampleSizes]))
          size = other.shape[0];
      passes::run_pipeline(traced.graph, {"bind-sizes"}, {});
      CHECK_MESSAGE(
          same(ir::run_graph(traced.graph, {other}, torch_module().evaluator()), expected),
          form.text, " with operand ", i);
    }
  CHECK_GE(tried, 300);
}

}  // namespace
}  // namespace t2n::test
