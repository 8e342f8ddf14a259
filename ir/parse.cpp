// SPDX-License-Identifier: Apache-2.0
// Reads the text form; print.cpp describes its grammar.
#include <algorithm>
#include <unordered_map>

#include "ir/graph.h"
#include "ir/lexer.h"
#include "ir/print.h"

namespace t2n::ir {
namespace {

constexpr int kMaxNesting = 64;

class Parser {
 public:
  Parser(Lexer& lexer, int depth) : lexer_(lexer), depth_(depth) {}

  Graph run() {
    header();
    while (!lexer_.accept("}")) statement();
    finish();
    return std::move(graph_);
  }

 private:
  std::string value_name() {
    lexer_.expect("%");
    return lexer_.name("the name of a value");
  }

  ValueId lookup(const std::string& name, size_t position) const {
    const auto found = ids_.find(name);
    if (found == ids_.end())
      lexer_.fail_at(position, cat("the value ", quoted("%" + name), " is not defined"));
    return found->second;
  }

  TensorRef ref() {
    lexer_.mark();
    const size_t position = lexer_.position();
    return TensorRef{lookup(value_name(), position)};
  }

  /// "%x: f32[1,S]"
  Value typed_value() {
    Value value;
    value.name = value_name();
    if (ids_.contains(value.name))
      lexer_.fail(cat("the value ", quoted("%" + value.name), " is defined twice"));
    lexer_.expect(":");
    value.dtype = dtype();
    value.shape = shape();
    if (lexer_.accept_token("quant")) value.quant = quant();
    return value;
  }

  ValueId define(Value value) {
    const ValueId id = add_value(graph_, std::move(value));
    ids_.emplace(graph_.values.back().name, id);
    return id;
  }

  DType dtype() {
    const std::string_view name = lexer_.identifier();
    const auto found = parse_dtype(name);
    if (!found) lexer_.fail(cat(quoted(name), " is not a dtype"));
    return *found;
  }

  /// Runs `read`, and adds the position of the last token to its errors.
  template <typename Read>
  auto located(const Read& read) const {
    try {
      return read();
    } catch (const Error& error) {
      lexer_.fail(error.diagnostic().message);
    }
  }

  Shape shape() {
    Shape out;
    lexer_.expect("[");
    if (lexer_.accept("]")) return out;
    do out.push_back(located([text = lexer_.raw()] { return parse_size(text); }));
    while (lexer_.accept(","));
    lexer_.expect("]");
    return out;
  }

  void expect_field(std::string_view name) {
    if (name != "scales") lexer_.expect(",");
    lexer_.expect_token(name);
    lexer_.expect("=");
  }

  template <typename T>
  T value_of() {
    const Attr value = argument_value();
    if (!std::holds_alternative<T>(value)) lexer_.fail("this value has the wrong type");
    return std::get<T>(value);
  }

  QuantInfo quant() {
    QuantInfo out;
    lexer_.expect("(");
    expect_field("scales");
    out.scales = value_of<std::vector<double>>();
    expect_field("zero_points");
    for (const Dim& point : value_of<std::vector<Dim>>()) {
      if (!point.is_constant()) lexer_.fail("zero points are integers");
      out.zero_points.push_back(point.value());
    }
    expect_field("axis");
    out.axis = lexer_.count();
    expect_field("bits");
    out.bits = lexer_.count();
    expect_field("signed");
    out.is_signed = value_of<bool>();
    expect_field("narrow_range");
    out.narrow_range = value_of<bool>();
    lexer_.expect(")");
    return out;
  }

  Attr plain_value() {
    if (lexer_.peek() == '%') return ref();
    if (lexer_.peek() == '"') return lexer_.string();
    return located([text = lexer_.raw()] { return parse_plain_attr(text); });
  }

  Attr list() {
    if (lexer_.accept("]")) return std::vector<Dim>{};
    std::vector<Attr> items;
    do items.push_back(plain_value());
    while (lexer_.accept(","));
    lexer_.expect("]");
    const auto out = list_attr(items);
    if (!out) lexer_.fail("the items of a list must have the same type");
    return *out;
  }

  Attr argument_value() {
    if (lexer_.accept("[")) return list();
    if (lexer_.accept("tensors[]")) return TensorRefs{};
    if (lexer_.accept("floats[]")) return std::vector<double>{};
    if (lexer_.accept("bools[]")) return std::vector<bool>{};
    if (lexer_.accept("strings[]")) return std::vector<std::string>{};
    return plain_value();
  }

  std::vector<Argument> arguments() {
    std::vector<Argument> out;
    lexer_.expect("(");
    if (lexer_.accept(")")) return out;
    do {
      std::string name = lexer_.name("the name of an argument");
      lexer_.expect("=");
      out.push_back({std::move(name), argument_value()});
    } while (lexer_.accept(","));
    lexer_.expect(")");
    return out;
  }

  void header() {
    if (depth_ > kMaxNesting) lexer_.fail("graphs are nested too deeply");
    lexer_.expect_token("graph");
    graph_.name = lexer_.name("the name of the graph");
    lexer_.expect("(");
    while (!lexer_.accept(")")) {
      graph_.inputs.push_back(define(typed_value()));
      if (lexer_.peek() != ')') lexer_.expect(",");
    }
    lexer_.expect("->");
    lexer_.expect("(");
    while (!lexer_.accept(")")) output();
    lexer_.expect("{");
  }

  void output() {
    lexer_.mark();
    const size_t position = lexer_.position();
    outputs_.push_back({value_name(), position});
    lexer_.expect_token("as");
    graph_.output_names.push_back(lexer_.string());
    if (lexer_.peek() != ')') lexer_.expect(",");
  }

  void statement() {
    if (lexer_.peek() == '%') return operation();
    if (lexer_.accept("@")) return heading();
    if (lexer_.accept_token("const")) return constant();
    if (lexer_.accept_token("attribute")) return attribute();
    if (lexer_.accept_token("source")) return source();
    lexer_.fail("expected an operation, '@', 'const', 'attribute', 'source' or '}'");
  }

  void attribute() {
    const std::string key = lexer_.name("the key of an attribute");
    lexer_.expect(":");
    const std::string kind = lexer_.name("the kind of an attribute");
    const AttributeText* text = attribute_text(kind);
    if (text == nullptr) lexer_.fail(cat("unknown attribute kind ", quoted(kind)));
    lexer_.expect("=");
    const std::string_view line = lexer_.rest_of_line();
    graph_.attributes[key] = located([&] { return text->parse(line); });
  }

  void constant() {
    const ValueId id = define(typed_value());
    const Value& value = graph_.values[id];
    Tensor data;
    data.dtype = value.dtype;
    data.shape = static_sizes(value.shape);
    data.strides = contiguous_strides(data.shape);
    lexer_.expect("=");
    if (lexer_.accept("{"))
      elements(data);
    else
      unloaded(data, value.name);
    graph_.constants.push_back({id, std::move(data)});
  }

  /// The sizes of a constant; refused if their product, or a stride, overflows.
  Ints static_sizes(const Shape& shape) const {
    constexpr int64_t kMaxElements = int64_t{1} << 48;
    Ints out;
    int64_t count = 1;
    for (const Dim& size : shape) {
      if (!size.is_constant() || size.value() < 0)
        lexer_.fail("the sizes of a constant must be integers");
      if (size.value() > kMaxElements / count) lexer_.fail("this constant is too large");
      out.push_back(size.value());
      count *= std::max<int64_t>(size.value(), 1);
    }
    return out;
  }

  void elements(Tensor& data) {
    auto bytes = std::make_shared<std::vector<std::byte>>();
    while (!lexer_.accept("}")) {
      const std::string_view text = lexer_.raw();
      const auto element = parse_element(data.dtype, text);
      if (!element) lexer_.fail(cat(quoted(text), " is not a valid ", dtype_name(data.dtype)));
      bytes->insert(bytes->end(), element->begin(), element->end());
      if (lexer_.peek() != '}') lexer_.expect(",");
    }
    const auto count = static_cast<int64_t>(bytes->size()) / dtype_size(data.dtype);
    if (count != data.elements())
      lexer_.fail(cat(count, " values for ", data.elements(), " elements"));
    data.bytes = *bytes;
    data.owner = std::move(bytes);
  }

  void unloaded(const Tensor& data, const std::string& name) {
    lexer_.expect_token("bytes");
    lexer_.expect("=");
    const int64_t expected = data.elements() * dtype_size(data.dtype);
    if (lexer_.integer() != expected) lexer_.fail(cat("this constant has ", expected, " bytes"));
    if (!lexer_.accept_token("hash")) return;
    lexer_.expect("=");
    hashes_[name] = lexer_.hex();
  }

  void heading() {
    const size_t position = lexer_.position();
    const Scope root = scope_level(-1);
    const Scope& known = graph_.scopes[0];
    const bool is_unnamed = known.module_class.empty() && known.attribute.empty();
    if (is_unnamed && graph_.nodes.empty())
      graph_.scopes[0] = root;
    else if (known.module_class != root.module_class || known.attribute != root.attribute)
      lexer_.fail_at(position, cat("the scopes above have the root ", quoted(known.module_class)));
    scope_ = 0;
    while (lexer_.accept("/")) {
      Scope level = scope_level(scope_);
      scope_ = add_scope(graph_, scope_, std::move(level.module_class), std::move(level.attribute));
    }
    lexer_.expect(":");
  }

  /// "Conv2d[conv1]"
  Scope scope_level(ScopeId parent) {
    Scope out{parent, lexer_.name("the class of a module"), {}};
    if (!lexer_.accept("[")) return out;
    out.attribute = lexer_.name("the name of a module");
    lexer_.expect("]");
    return out;
  }

  void operation() {
    std::vector<Value> outputs;
    do outputs.push_back(typed_value());
    while (lexer_.accept(","));
    lexer_.expect("=");
    const std::string_view op = lexer_.identifier(/*colons=*/true);
    if (op.empty()) lexer_.fail("expected an operation");
    Node node;
    node.op = op_id(op);
    node.scope = scope_;
    node.args = arguments();
    for (Value& value : outputs) node.outputs.push_back(define(std::move(value)));
    suffixes(node);
    graph_.nodes.push_back(std::move(node));
  }

  void suffixes(Node& node) {
    const std::string_view name = op_short_name(node.op);
    int& calls = calls_[{node.scope, name}];
    node.call = lexer_.accept_token("as") ? call_number(name) : calls;
    ++calls;
    if (lexer_.accept_token("in")) node.compute_dtype = dtype();
    if (lexer_.accept("!")) {
      node.source = lexer_.count();
      last_source_ = std::max(last_source_, {node.source, lexer_.position()});
    }
    if (lexer_.accept_token("body"))
      node.body = std::make_shared<Graph>(Parser(lexer_, depth_ + 1).run());
  }

  /// "conv2d_3" -> 3
  int call_number(std::string_view expected) {
    lexer_.expect(cat(expected, "_"));
    return lexer_.count();
  }

  void source() {
    lexer_.expect("!");
    if (static_cast<size_t>(lexer_.count()) != graph_.sources.size())
      lexer_.fail(cat("expected source !", graph_.sources.size()));
    lexer_.expect("=");
    Source out;
    if (!lexer_.accept("-")) {
      do out.frames.push_back(frame());
      while (lexer_.accept("<"));
    }
    if (lexer_.accept("|")) {
      out.excerpt = lexer_.string();
      lexer_.expect("^");
      out.caret = lexer_.count();
      lexer_.expect("+");
      out.caret_width = lexer_.count();
    }
    graph_.sources.push_back(std::move(out));
  }

  Frame frame() {
    Frame out;
    out.file = lexer_.name("the name of a file");
    lexer_.expect(":");
    out.line = lexer_.count();
    if (lexer_.accept(":")) out.column = lexer_.count();
    if (lexer_.accept_token("in")) out.function = lexer_.name("the name of a function");
    return out;
  }

  void finish() {
    if (last_source_.first >= static_cast<SourceId>(graph_.sources.size()))
      lexer_.fail_at(last_source_.second, cat("source !", last_source_.first, " is not defined"));
    for (const auto& [name, position] : outputs_) graph_.outputs.push_back(lookup(name, position));
    if (!hashes_.empty()) graph_.attributes[kContentHashes] = std::move(hashes_);
  }

  Lexer& lexer_;
  int depth_;
  Graph graph_;
  ScopeId scope_ = 0;
  std::unordered_map<std::string, ValueId> ids_;
  std::vector<std::pair<std::string, size_t>>
      outputs_;  ///< names and positions, resolved at the end
  std::map<std::pair<ScopeId, std::string_view>, int>
      calls_;  ///< operations so far by scope and name
  std::pair<SourceId, size_t> last_source_ = {kNoSource,
                                              0};  ///< the highest number and its position
  std::map<std::string, uint64_t> hashes_;
};

}  // namespace

Graph parse(std::string_view text) {
  Lexer lexer(text);
  Graph graph = Parser(lexer, 0).run();
  lexer.mark();
  if (lexer.peek() != '\0') lexer.fail("expected the end of the text");
  return graph;
}

}  // namespace t2n::ir
