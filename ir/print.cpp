// SPDX-License-Identifier: Apache-2.0
// The text form. Grammar, by example:
//   graph NAME(%x: f32[1,S], …) -> (%y as "output_0", …) {
//     attribute KEY: KIND = TEXT               up to the end of the line
//     const %w: f32[2] = {1.0, 2.0}            large ones: bytes=4096 hash=0123456789abcdef
//   @ResNet/Conv2d[conv1]:                     scope of the following operations; default: root
//     %y: f32[1,S] = aten::relu(self=%x) as relu_0 in f32 !0  # model.py:88
//     source !0 = model.py:88:16 in forward < train.py:12 | "return F.relu(y)" ^7+6      unknown: -
//   }
// `as` gives the call number, `in` the dtype computed in, `!` the source, `body graph…` a nested
// graph; `quant(…)` follows the type of a quantised value.
#include "ir/print.h"

#include <cstring>

#include "ir/graph.h"

namespace t2n::ir {
namespace {

constexpr size_t kMaxPrintedBytes = 64;

class Printer {
 public:
  Printer(const Graph& graph, std::string indent)
      : graph_(graph), indent_(std::move(indent)), source_number_(graph.sources.size(), -1) {}

  std::string run() {
    const Scope& root = graph_.scopes.at(0);
    if (root.module_class.empty() && root.attribute.empty()) scope_ = 0;
    header();
    for (const auto& [key, value] : graph_.attributes) attribute(key, value);
    for (const Constant& constant : graph_.constants) constant_line(constant);
    for (const Node& node : graph_.nodes) node_lines(node);
    sources();
    return std::move(out_) + indent_ + "}\n";
  }

 private:
  template <typename... Parts>
  void put(const Parts&... parts) {
    ((out_ += parts), ...);
  }

  const Value& value(ValueId id) const { return graph_.values.at(id); }
  std::string name(ValueId id) const { return name_literal(value(id).name); }

  std::string typed(ValueId id) const {
    const Value& v = value(id);
    const std::string type = std::string(dtype_name(v.dtype)) + shape_str(v.shape);
    return "%" + name(id) + ": " + type + (v.quant ? quant_text(*v.quant) : "");
  }

  static std::string quant_text(const QuantInfo& quant) {
    std::string scales;
    for (const double scale : quant.scales)
      scales += (scales.empty() ? "" : ", ") + float_literal(scale);
    std::string points;
    for (const int64_t point : quant.zero_points)
      points += (points.empty() ? "" : ", ") + std::to_string(point);
    return cat(" quant(scales=[", scales, "], zero_points=[", points, "], axis=", quant.axis,
               ", bits=", quant.bits, ", signed=", quant.is_signed ? "true" : "false",
               ", narrow_range=", quant.narrow_range ? "true" : "false", ")");
  }

  void header() {
    put("graph ", name_literal(graph_.name), "(");
    for (size_t i = 0; i < graph_.inputs.size(); ++i)
      put(i > 0 ? ", " : "", typed(graph_.inputs[i]));
    put(") -> (");
    for (size_t i = 0; i < graph_.outputs.size(); ++i)
      put(i > 0 ? ", " : "", "%", name(graph_.outputs[i]), " as ",
          string_literal(graph_.output_names.at(i)));
    put(") {\n");
  }

  void attribute(const std::string& key, const std::any& content) {
    const AttributeText* text = attribute_text(std::type_index(content.type()));
    if (text == nullptr) return;
    put(indent_, "  attribute ", name_literal(key), ": ", text->kind, " = ", text->print(content),
        "\n");
  }

  void constant_line(const Constant& constant) {
    put(indent_, "  const ", typed(constant.value), " = ", data_text(constant), "\n");
  }

  std::string data_text(const Constant& constant) const {
    const Tensor& data = constant.data;
    const size_t bytes = data.elements() * dtype_size(data.dtype);
    if (bytes == 0) return "{}";
    if (!data.bytes.empty() && bytes <= kMaxPrintedBytes) return values_text(data);
    const std::string hash = hash_text(constant);
    return cat("bytes=", bytes, hash.empty() ? "" : " hash=", hash);
  }

  static std::string values_text(const Tensor& tensor) {
    const Tensor rows = contiguous(tensor);
    const size_t size = dtype_size(rows.dtype);
    std::string out;
    for (size_t i = 0; i < static_cast<size_t>(rows.elements()); ++i)
      out += (i > 0 ? ", " : "") + element_literal(rows.dtype, rows.bytes.subspan(i * size, size));
    return "{" + out + "}";
  }

  /// The hash of the data, or the hash that was read if they are not loaded; "" if there is
  /// neither.
  std::string hash_text(const Constant& constant) const {
    if (!constant.data.bytes.empty()) return hex(content_hash(constant.data));
    const auto known = graph_.attributes.find(kContentHashes);
    if (known == graph_.attributes.end()) return "";
    const auto& hashes = std::any_cast<const std::map<std::string, uint64_t>&>(known->second);
    const auto found = hashes.find(value(constant.value).name);
    return found == hashes.end() ? "" : hex(found->second);
  }

  static std::string hex(uint64_t number) {
    const auto bytes = std::as_bytes(std::span(&number, 1));
    std::string out;
    for (size_t i = bytes.size(); i-- > 0;) {
      constexpr std::string_view kDigits = "0123456789abcdef";
      out += kDigits[static_cast<size_t>(bytes[i]) / 16];
      out += kDigits[static_cast<size_t>(bytes[i]) % 16];
    }
    return out;
  }

  void node_lines(const Node& node) {
    enter_scope(node.scope);
    put(indent_, "  ");
    for (size_t i = 0; i < node.outputs.size(); ++i) put(i > 0 ? ", " : "", typed(node.outputs[i]));
    put(" = ", op_name(node.op), "(");
    for (size_t i = 0; i < node.args.size(); ++i)
      put(i > 0 ? ", " : "", name_literal(node.args[i].name), "=",
          attr_str(node.args[i].value, value_name_));
    put(") as ", op_short_name(node.op), "_", std::to_string(node.call));
    if (node.compute_dtype) put(" in ", dtype_name(*node.compute_dtype));
    if (node.source != kNoSource) put(" !", std::to_string(number_source(node.source)));
    if (node.body)
      put(" body ", Printer(*node.body, indent_ + "  ").run());
    else
      put(comment(node.source), "\n");
  }

  void enter_scope(ScopeId scope) {
    if (scope == scope_) return;
    scope_ = scope;
    put("\n", indent_, "@", address(scope), ":\n");
  }

  /// Like scope_address, with unusual classes and attributes quoted.
  std::string address(ScopeId id) const {
    const Scope& scope = graph_.scopes.at(id);
    const std::string above = scope.parent < 0 ? "" : address(scope.parent) + "/";
    const std::string attribute = name_literal(scope.attribute);
    return above + name_literal(scope.module_class) +
           (scope.attribute.empty() ? "" : "[" + attribute + "]");
  }

  int number_source(SourceId source) {
    int& number = source_number_.at(source);
    if (number < 0) {
      number = static_cast<int>(sources_.size());
      sources_.push_back(source);
    }
    return number;
  }

  std::string comment(SourceId id) const {
    if (id == kNoSource) return "";
    const std::vector<Frame>& frames = graph_.sources[id].frames;
    return frames.empty() ? "" : cat("  # ", frames[0].file, ":", frames[0].line);
  }

  void sources() {
    for (size_t i = 0; i < sources_.size(); ++i)
      put(i == 0 ? "\n" : "", indent_, "  source !", std::to_string(i), " =",
          source_text(graph_.sources[sources_[i]]), "\n");
  }

  static std::string source_text(const Source& source) {
    std::string out = source.frames.empty() ? " -" : "";
    for (const Frame& frame : source.frames) {
      out += cat(out.empty() ? " " : " < ", name_literal(frame.file), ":", frame.line);
      if (frame.column != 0) out += cat(":", frame.column);
      if (!frame.function.empty()) out += " in " + name_literal(frame.function);
    }
    if (source.excerpt.empty() && source.caret == 0 && source.caret_width == 0) return out;
    return out +
           cat(" | ", string_literal(source.excerpt), " ^", source.caret, "+", source.caret_width);
  }

  const Graph& graph_;
  std::string indent_;
  std::string out_;
  ScopeId scope_ = -1;              ///< that of the last operation printed
  std::vector<int> source_number_;  ///< numbers in the text, by source id; -1 if not yet used
  std::vector<SourceId> sources_;   ///< the used ones, in order
  std::function<std::string(ValueId)> value_name_ = [this](ValueId id) { return name(id); };
};

}  // namespace

uint64_t content_hash(const Tensor& tensor) {
  // FNV-1a over words rather than bytes: eight times as fast, and weights may be gigabytes.
  uint64_t hash = 0xcbf29ce484222325U;
  for_each_chunk(tensor, size_t{1} << 20, [&](std::span<const std::byte> chunk) {
    for (size_t at = 0; at < chunk.size(); at += sizeof(uint64_t)) {
      uint64_t word = 0;
      std::memcpy(&word, chunk.data() + at, std::min(sizeof(word), chunk.size() - at));
      hash = (hash ^ word) * 0x100000001b3U;
      hash ^= hash >> 32;  // lets high bits, such as signs, reach the low ones
    }
  });
  return hash;
}

std::string print(const Graph& graph) { return Printer(graph, "").run(); }

}  // namespace t2n::ir
