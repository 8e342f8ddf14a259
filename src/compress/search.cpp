#include "src/compress/search.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace t2n::compress {
namespace {

/// A layer that saves nothing is the most expensive.
double per_byte(double loss, int64_t saved) {
  if (saved <= 0) return std::numeric_limits<double>::infinity();
  return loss / static_cast<double>(saved);
}

/// Whether one loses less per saved byte than the other.
bool is_cheaper(const Alone& a, const Alone& b) {
  const double of_a = per_byte(a.loss.asked, a.saved);
  const double of_b = per_byte(b.loss.asked, b.saved);
  if (of_a != of_b) return of_a < of_b;
  return per_byte(a.loss.noise, a.saved) < per_byte(b.loss.noise, b.saved);
}

class Search {
 public:
  Search(const SearchSpace& space, const Goal& goal)
      : space_(space), goal_(goal), count_(space.can_narrow.size()) {
    found_.alone.resize(count_);
    found_.bytes_of_floats = space_.bytes(all(Form::floats));
  }

  SearchResult run() {
    if (goal_.budget)
      keep_within_budget();
    else
      keep_within_loss();
    return std::move(found_);
  }

 private:
  Choice all(Form form) const { return Choice(count_, form); }

  void settle(const Choice& choice) {
    found_.choice = choice;
    found_.bytes = space_.bytes(choice);
    found_.loss = space_.loss(choice);
    found_.is_within_loss = !goal_.max_loss || found_.loss.asked <= *goal_.max_loss;
  }

  void keep_within_loss() {
    settle(all(Form::as_set));
    if (found_.is_within_loss) return;
    std::vector<size_t> order = by_cost(Form::as_set, all(Form::floats));
    std::reverse(order.begin(), order.end());
    for (const size_t layer : order) {
      Choice next = found_.choice;
      next[layer] = Form::floats;
      settle(next);
      if (found_.is_within_loss) return;
    }
  }

  void keep_within_budget() {
    if (found_.bytes_of_floats <= *goal_.budget) return settle(all(Form::floats));
    const Choice whole = all(Form::as_set);
    const int64_t bytes = space_.bytes(whole);
    if (bytes <= *goal_.budget) return shrink(all(Form::floats), Form::as_set);
    const Choice least = narrowest();
    found_.bytes = space_.bytes(least);
    if (found_.bytes <= *goal_.budget) return shrink(whole, Form::narrower);
    found_.choice = least;
    found_.is_within_budget = false;
  }

  /// Gives layers the form, one after another, the cheapest first.
  void shrink(Choice choice, Form form) {
    for (const size_t layer : by_cost(form, choice)) {
      choice[layer] = form;
      if (space_.bytes(choice) <= *goal_.budget) break;
    }
    settle(choice);
  }

  bool can_take(size_t layer, Form form) {
    if (form != Form::narrower) return true;
    if (!space_.can_narrow[layer]) return false;
    Choice narrow = all(Form::as_set);
    const int64_t before = space_.bytes(narrow);
    narrow[layer] = Form::narrower;
    return space_.bytes(narrow) < before;
  }

  Choice narrowest() {
    Choice out = all(Form::as_set);
    for (size_t i = 0; i < count_; ++i)
      if (can_take(i, Form::narrower)) out[i] = Form::narrower;
    return out;
  }

  /// Layers that can take a form, cheapest first, by their loss alone for each byte that they save
  /// from the graph's previous size.
  std::vector<size_t> by_cost(Form form, const Choice& before) {
    const int64_t bytes = space_.bytes(before);
    std::vector<Alone> costs(count_);
    std::vector<size_t> order;
    for (size_t i = 0; i < count_; ++i) {
      if (!can_take(i, form)) continue;
      Choice only = all(Form::floats);
      only[i] = form;
      const Loss loss = space_.loss(only);
      found_.alone[i] = {loss, found_.bytes_of_floats - space_.bytes(only)};
      Choice next = before;
      next[i] = form;
      costs[i] = {loss, bytes - space_.bytes(next)};
      order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return is_cheaper(costs[a], costs[b]); });
    return order;
  }

  const SearchSpace& space_;
  const Goal& goal_;
  size_t count_;
  SearchResult found_;
};

}  // namespace

SearchResult search(const SearchSpace& space, const Goal& goal) {
  return Search(space, goal).run();
}

}  // namespace t2n::compress
