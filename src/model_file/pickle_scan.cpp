// SPDX-License-Identifier: Apache-2.0
#include "src/model_file/pickle_scan.h"

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "src/diag/error.h"
#include "src/model_file/nesting.h"
#include "src/model_file/pickle_bytes.h"

namespace t2n::model_file {
namespace {

using Id = Nesting::Id;
constexpr Id kPlain = 0;  ///< a value without children
constexpr size_t kMaxContainers = 10'000'000;

/// Interprets a pickle like torch::jit::Unpickler, and records only the containment of values.
class Walk {
 public:
  Walk(std::span<const char> bytes, const std::function<void(std::string_view)>& on_string)
      : bytes_(bytes), on_string_(on_string) {
    nodes_.children.emplace_back();
  }

  /// False if the pickle is invalid: LibTorch would refuse it, too.
  bool run() {
    while (!bytes_.is_at_end() && nodes_.children.size() <= kMaxContainers)
      if (const char opcode = bytes_.next(); opcode == '.')
        return true;
      else if (!step(opcode))
        return false;
    return false;
  }

  const Nesting& nodes() const { return nodes_; }

 private:
  bool step(char opcode) {
    switch (opcode) {
      case '\x80': return bytes_.skip(1);                               // PROTO
      case 'K': return bytes_.skip(1) && push(kPlain);                  // BININT1
      case 'M': return bytes_.skip(2) && push(kPlain);                  // BININT2
      case 'J': return bytes_.skip(4) && push(kPlain);                  // BININT
      case '\x8a': return bytes_.counted(1) && push(kPlain);            // LONG1
      case 'G': return bytes_.skip(8) && push(kPlain);                  // BINFLOAT
      case 'X': return string(4) && push(kPlain);                       // BINUNICODE
      case '\x8c': return string(1) && push(kPlain);                    // SHORT_BINUNICODE
      case '\x8d': return string(8) && push(kPlain);                    // BINUNICODE8
      case 'T': return string(4) && push(kPlain);                       // BINSTRING
      case 'U': return string(1) && push(kPlain);                       // SHORT_BINSTRING
      case 'N':                                                         // NONE
      case '\x88':                                                      // NEWTRUE
      case '\x89':                                                      // NEWFALSE
      case ')': return push(kPlain);                                    // EMPTY_TUPLE
      case ']':                                                         // EMPTY_LIST
      case '}': return push(new_node());                                // EMPTY_DICT
      case '(': marks_.push_back(stack_.size()); return true;           // MARK
      case 'c': return bytes_.line() && bytes_.line() && push(kPlain);  // GLOBAL
      case '\x81': return pop(1);                                       // NEWOBJ
      case 'q': return put(1);                                          // BINPUT
      case 'r': return put(4);                                          // LONG_BINPUT
      case 'h': return get(1);                                          // BINGET
      case 'j': return get(4);                                          // LONG_BINGET
      case 'a': return fill(1);                                         // APPEND
      case 's': return fill(2);                                         // SETITEM
      case 'e':                                                         // APPENDS
      case 'u': return fill_marked();                                   // SETITEMS
      case 't':                                                         // TUPLE
      case 'l':                                                         // LIST
      case 'd': return gather_marked();                                 // DICT
      case '\x85': return gather(1);                                    // TUPLE1
      case '\x86': return gather(2);                                    // TUPLE2
      case '\x87': return gather(3);                                    // TUPLE3
      case 'Q': return gather(1);                                       // BINPERSID
      case 'R':                                                         // REDUCE
      case 'b': return build();                                         // BUILD
      case '0': return pop(1);                                          // POP
      default: return false;
    }
  }

  bool string(size_t width) {
    const auto text = bytes_.counted(width);
    if (text && on_string_) on_string_(*text);
    return text.has_value();
  }

  Id new_node() {
    nodes_.children.emplace_back();
    return static_cast<Id>(nodes_.children.size() - 1);
  }
  bool push(Id id) {
    stack_.push_back(id);
    return true;
  }
  bool pop(size_t count) {
    if (stack_.size() < count) return false;
    stack_.resize(stack_.size() - count);
    return true;
  }
  bool put(size_t width) {
    const auto key = bytes_.number(width);
    if (!key || stack_.empty()) return false;
    memo_[*key] = stack_.back();
    return true;
  }
  bool get(size_t width) {
    const auto key = bytes_.number(width);
    if (!key) return false;
    const auto found = memo_.find(*key);
    return found != memo_.end() && push(found->second);
  }
  void add(Id parent, Id child) {
    if (parent != kPlain && child != kPlain) nodes_.children[parent].push_back(child);
  }
  bool fill(size_t count) {
    if (stack_.size() < count + 1) return false;
    const Id parent = stack_[stack_.size() - count - 1];
    for (size_t i = stack_.size() - count; i < stack_.size(); ++i) add(parent, stack_[i]);
    return pop(count);
  }
  bool fill_marked() {
    if (marks_.empty() || marks_.back() > stack_.size() || marks_.back() == 0) return false;
    const size_t count = stack_.size() - marks_.back();
    marks_.pop_back();
    return fill(count);
  }
  /// Creates a container of the topmost values.
  bool gather(size_t count) {
    if (stack_.size() < count) return false;
    const auto first = stack_.end() - static_cast<std::ptrdiff_t>(count);
    Id container = kPlain;
    if (std::any_of(first, stack_.end(), [](Id id) { return id != kPlain; })) {
      std::vector<Id> children;
      std::copy_if(first, stack_.end(), std::back_inserter(children),
                   [](Id id) { return id != kPlain; });
      container = new_node();
      nodes_.children[container] = std::move(children);
    } else if (count > 0) {
      container = new_node();
    }
    return pop(count) && push(container);
  }
  bool gather_marked() {
    if (marks_.empty() || marks_.back() > stack_.size()) return false;
    const size_t begin = marks_.back();
    marks_.pop_back();
    const size_t count = stack_.size() - begin;
    if (count > 0) return gather(count);
    return push(new_node());  // a list or dictionary, which may be filled later
  }
  /// A function and its argument become a value that may contain the argument.
  bool build() { return stack_.size() >= 2 && gather(2); }

  PickleBytes bytes_;
  const std::function<void(std::string_view)>& on_string_;
  std::vector<Id> stack_;
  std::vector<size_t> marks_;
  std::unordered_map<uint64_t, Id> memo_;
  Nesting nodes_;
};

}  // namespace

void check_pickle(std::span<const char> bytes, const std::string& id, const std::string& what,
                  const std::function<void(std::string_view)>& on_string) {
  Walk walk(bytes, on_string);
  if (!walk.run()) throw Error(id, cat(what, " cannot be read"), "it is damaged or not complete");
  check_nesting(walk.nodes(), id, what);
}

}  // namespace t2n::model_file
