// SPDX-License-Identifier: Apache-2.0
#include "src/extend/own_plugins.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "src/diag/error.h"
#include "src/extend/check_fragments.h"
#include "src/nnef/parser.h"

namespace t2n::extend {
namespace {

/// Exceptions must not cross a library that may be C.
template <typename Read>
auto without_exceptions(const Read& read) -> decltype(read()) {
  try {
    return read();
  } catch (...) {
    return {};
  }
}

template <typename Reader>
auto argument(const Reader& reader, const char* name) -> decltype(reader(std::string_view())) {
  if (name == nullptr || !reader) return {};
  return without_exceptions([&] { return reader(name); });
}

const char* keep(t2nnef_call& call, std::string text) {
  return call.returned.emplace_back(std::move(text)).c_str();
}

/// An argument "x", or an element "xs[1]" of a list.
std::optional<t2nnef_call::Tensor> tensor_named(t2nnef_call* call, const char* name) {
  if (auto tensor = argument(call->tensor, name)) return tensor;
  const std::string text = name == nullptr ? "" : name;
  const size_t bracket = text.find('[');
  if (bracket == std::string::npos || text.back() != ']') return std::nullopt;
  const auto list = argument(call->tensors, text.substr(0, bracket).c_str());
  size_t index = 0;
  const char* const end = text.data() + text.size() - 1;
  const auto [stop, error] = std::from_chars(text.data() + bracket + 1, end, index);
  if (!list || error != std::errc() || stop != end || index >= list->size()) return std::nullopt;
  return (*list)[index];
}

const char* host_dtype(t2nnef_call* call, const char* name) {
  const auto tensor = tensor_named(call, name);
  return tensor ? keep(*call, std::string(ir::dtype_name(tensor->dtype))) : nullptr;
}

int host_rank(t2nnef_call* call, const char* name) {
  const auto tensor = tensor_named(call, name);
  return tensor ? static_cast<int>(tensor->shape.size()) : -1;
}

const char* host_size(t2nnef_call* call, const char* name, int axis) {
  const auto tensor = tensor_named(call, name);
  if (!tensor || axis < 0 || static_cast<size_t>(axis) >= tensor->shape.size()) return nullptr;
  return keep(*call, tensor->shape[static_cast<size_t>(axis)].str());
}

int host_number(t2nnef_call* call, const char* name, double* value) {
  const auto found = argument(call->number, name);
  if (found) *value = *found;
  return found.has_value() ? 1 : 0;
}

bool is_integer(double value) {
  constexpr double kLimit = 9007199254740992;  // every integer below it is a double
  return std::trunc(value) == value && std::abs(value) <= kLimit;
}

int host_integer(t2nnef_call* call, const char* name, int64_t* value) {
  const auto found = argument(call->number, name);
  if (!found || !is_integer(*found)) return 0;
  *value = static_cast<int64_t>(*found);
  return 1;
}

int host_boolean(t2nnef_call* call, const char* name, int* value) {
  const auto found = argument(call->number, name);
  if (!found || (*found != 0 && *found != 1)) return 0;
  *value = *found != 0 ? 1 : 0;
  return 1;
}

const char* host_text(t2nnef_call* call, const char* name) {
  auto found = argument(call->text, name);
  return found ? keep(*call, std::move(*found)) : nullptr;
}

int host_tensors(t2nnef_call* call, const char* name) {
  const auto list = argument(call->tensors, name);
  return list ? static_cast<int>(list->size()) : -1;
}

const double* host_numbers(t2nnef_call* call, const char* name, size_t* count) {
  auto list = argument(call->numbers, name);
  if (!list) return nullptr;
  *count = list->size();
  list->push_back(0);  // not counted: an empty list is no NULL
  return call->returned_numbers.emplace_back(*std::move(list)).data();
}

const int64_t* host_integers(t2nnef_call* call, const char* name, size_t* count) {
  const auto list = argument(call->numbers, name);
  if (!list || !std::ranges::all_of(*list, is_integer)) return nullptr;
  std::vector<int64_t>& out = call->returned_integers.emplace_back();
  for (const double value : *list) out.push_back(static_cast<int64_t>(value));
  *count = out.size();
  out.push_back(0);  // as above
  return out.data();
}

void host_refuse(t2nnef_call* call, const char* why) { call->refusal = why == nullptr ? "" : why; }

void host_set(t2nnef_call* call, const char* parameter, const char* literal) {
  if (parameter == nullptr || literal == nullptr) return host_refuse(call, "it sets nothing");
  try {
    std::erase_if(call->literals,
                  [&](const nnef::Argument& each) { return each.name == parameter; });
    call->literals.push_back({parameter, nnef::parse_value(literal)});
  } catch (const Error& error) {
    call->refusal = cat(quoted(literal), " for ", quoted(parameter),
                        " is no literal of NNEF: ", error.diagnostic().message);
  }
}

constexpr t2nnef_host kHost = {
    T2NNEF_HOST_VERSION, host_dtype,   host_rank,    host_size, host_number,
    host_integer,        host_boolean, host_text,    host_set,  host_refuse,
    host_tensors,        host_numbers, host_integers};

[[noreturn]] void fail(const OwnOperator& own, std::string what, std::string why = {}) {
  throw Error("plugin-failed", cat("the plugin's ", std::move(what), " of ", own.op, " is wrong"),
              std::move(why), "correct the plugin");
}

void pass_refusal_on(const OwnOperator& own, const t2nnef_call& call) {
  if (call.refusal)
    throw Error("unsupported-op", cat(own.op, " is refused by its plugin"), *call.refusal);
}

/// The parts of "[B,S-2]"; nothing for other text.
std::optional<std::vector<std::string_view>> split_sizes(std::string_view text) {
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') return std::nullopt;
  text = text.substr(1, text.size() - 2);
  std::vector<std::string_view> out;
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    if (text[i] != ',' || depth != 0) continue;
    out.push_back(text.substr(begin, i - begin));
    begin = i + 1;
  }
  if (!text.empty()) out.push_back(text.substr(begin));
  return out;
}

[[noreturn]] void refuse_plugin(const std::string& path, std::string why) {
  throw Error("plugin-failed", cat("the plugin ", quoted(path), " is invalid"), std::move(why),
              "see t2nnef_plugin.h");
}

}  // namespace

void add_plugin(const t2nnef_plugin* plugin, const std::string& path) {
  if (plugin == nullptr) refuse_plugin(path, "t2nnef_plugin_v1() returns NULL");
  if (plugin->version != T2NNEF_PLUGIN_VERSION)
    refuse_plugin(path, cat("it is for version ", plugin->version,
                            " of the interface, and t2nnef "
                            "has version ",
                            T2NNEF_PLUGIN_VERSION));
  Extensions all = extensions();
  if (plugin->fragments != nullptr)
    for (nnef::Fragment& fragment : nnef::parse_fragments(plugin->fragments, path)) {
      all.fragments.push_back(std::move(fragment));
      all.files.push_back(path);
    }
  for (size_t i = 0; i < plugin->count; ++i) {
    const t2nnef_operator& each = plugin->operators[i];
    if (each.name == nullptr || std::string_view(each.name).find("::") == std::string_view::npos)
      refuse_plugin(path, cat("its operator ", i, " has no name like mine::swish"));
    if (each.fragment == nullptr) refuse_plugin(path, cat(each.name, " has no translation"));
    if (all.find(each.name) != nullptr)
      refuse_plugin(path, cat(each.name, " has a translation already"));
    all.operators.push_back({each.name, {}, &each});
  }
  if (!all.is_dialect_fixed) all.dialect = dialect_of(all.fragments);
  check_fragments(all);
  use(std::move(all));
}

const nnef::Fragment& fragment_of(const OwnOperator& own, t2nnef_call& call) {
  const char* const name = own.plugin->fragment(&kHost, &call);
  pass_refusal_on(own, call);
  if (name == nullptr) fail(own, "translation", "it returns no fragment");
  const auto& fragments = extensions().fragments;
  const auto found =
      std::ranges::find_if(fragments, [&](const auto& each) { return each.name == name; });
  if (found == fragments.end())
    fail(own, "translation",
         cat("it names the fragment ", quoted(name), ", which nothing defines"));
  return *found;
}

bool has_shape_rule(const OwnOperator& own) {
  return own.plugin != nullptr && own.plugin->shape != nullptr;
}

ir::Shape shape_of(const OwnOperator& own, t2nnef_call& call, size_t result) {
  const char* const returned = own.plugin->shape(&kHost, &call, result);
  pass_refusal_on(own, call);
  if (returned == nullptr) fail(own, "shape rule", cat("it returns nothing for result ", result));
  const auto sizes = split_sizes(returned);
  if (!sizes) fail(own, "shape rule", cat(quoted(returned), " is no list like [B,S-2]"));
  ir::Shape out;
  for (const std::string_view each : *sizes) {
    try {
      out.push_back(ir::parse_dim(each));
    } catch (const Error& error) {
      fail(own, "shape rule", cat(quoted(each), ": ", error.diagnostic().message));
    }
  }
  return out;
}

}  // namespace t2n::extend
