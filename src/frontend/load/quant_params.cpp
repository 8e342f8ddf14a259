// SPDX-License-Identifier: Apache-2.0
#include "src/frontend/load/quant_params.h"

#include <cmath>

#include "ir/print.h"
#include "src/diag/error.h"

namespace t2n::trace {
namespace {

constexpr const char* kAttribute = "quant_params";
/// Settings are tables of tables; deeper nesting is invalid.
constexpr int kMostLevels = 8;

std::string json_string(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < ' ')
      out += ' ';
    else
      out += c;
  }
  return out + "\"";
}

[[noreturn]] void refuse_params(const std::string& path, const std::string& what) {
  throw Error("model-format",
              cat(quoted(kAttribute), " of ", path.empty() ? "the model" : quoted(path), " ", what),
              "it specifies how the module is compressed",
              "make it a dictionary of settings, or their JSON text: see docs/compression.md");
}

std::string json(const c10::IValue& value, const std::string& path, int level) {
  if (level > kMostLevels) refuse_params(path, "nests dictionaries too deeply");
  if (value.isNone()) return "null";
  if (value.isBool()) return value.toBool() ? "true" : "false";
  if (value.isInt()) return std::to_string(value.toInt());
  if (value.isDouble() && std::isfinite(value.toDouble()))
    return ir::float_literal(value.toDouble());
  if (value.isString()) return json_string(value.toStringRef());
  if (!value.isGenericDict())
    refuse_params(path, cat("contains a value of type ", value.tagKind()));
  std::string out = "{";
  for (const auto& entry : value.toGenericDict()) {
    if (!entry.key().isString()) refuse_params(path, "has keys that are not strings");
    out += cat(out.size() > 1 ? ", " : "", json_string(entry.key().toStringRef()), ": ",
               json(entry.value(), path, level + 1));
  }
  return out + "}";
}

/// JSON text as a buffer of bytes, which torch.jit.trace keeps, unlike other attributes.
std::string text_of(const at::Tensor& buffer, const std::string& path) {
  constexpr int64_t kMostBytes = 1 << 20;
  const bool is_text = buffer.defined() && buffer.scalar_type() == at::kByte && buffer.dim() == 1 &&
                       buffer.layout() == at::kStrided && buffer.is_cpu();
  if (!is_text) refuse_params(path, "is a tensor that is not a list of bytes (uint8)");
  if (buffer.numel() > kMostBytes) refuse_params(path, "has more than a megabyte of text");
  const at::Tensor bytes = buffer.contiguous();
  const auto* data = bytes.const_data_ptr<uint8_t>();
  return {data, data + bytes.numel()};
}

std::string settings_text(const c10::IValue& value, const std::string& path) {
  if (value.isString()) return value.toStringRef();
  if (value.isTensor()) return text_of(value.toTensor(), path);
  return json(value, path, 0);
}

}  // namespace

std::vector<std::pair<std::string, std::string>> quant_params(const torch::jit::Module& module) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const auto& each : module.named_modules()) {
    if (!each.value.hasattr(kAttribute)) continue;
    const c10::IValue value = each.value.attr(kAttribute);
    if (value.isNone()) continue;
    out.emplace_back(each.name, settings_text(value, each.name));
  }
  return out;
}

}  // namespace t2n::trace
