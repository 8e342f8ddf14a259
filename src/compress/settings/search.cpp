// SPDX-License-Identifier: Apache-2.0
#include "src/compress/settings/search.h"

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

/// Whether `a` loses less per saved byte than `b`.
bool is_cheaper(const SingleLayerCost& a, const SingleLayerCost& b) {
  const double cost_a = per_byte(a.loss.metric, a.saved);
  const double cost_b = per_byte(b.loss.metric, b.saved);
  if (cost_a != cost_b) return cost_a < cost_b;
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
  /// All layers in a form, or in what they have instead of it.
  Choice all(Form form) {
    Choice out(count_);
    for (size_t i = 0; i < count_; ++i) out[i] = taken(i, form);
    return out;
  }

  void choose(const Choice& choice) {
    found_.choice = choice;
    found_.bytes = space_.bytes(choice);
    found_.loss = space_.loss(choice);
    found_.is_within_loss = !goal_.max_loss || found_.loss.metric <= *goal_.max_loss;
  }

  void keep_within_loss() {
    choose(all(Form::as_configured));
    if (!found_.is_within_loss && can_any_widen()) raise(Form::as_configured, Form::wider);
    if (!found_.is_within_loss) raise(Form::wider, Form::floats);
  }

  /// Changes layers from one form to a better one, one after another, the most expensive first,
  /// until the limit holds.
  void raise(Form from, Form to) {
    std::vector<size_t> order = by_cost(from, all(Form::floats));
    std::reverse(order.begin(), order.end());
    for (const size_t layer : order) {
      const Form form = taken(layer, to);
      if (form == found_.choice[layer]) continue;
      Choice next = found_.choice;
      next[layer] = form;
      choose(next);
      if (found_.is_within_loss) return;
    }
  }

  void keep_within_budget() {
    Form before = Form::floats;
    if (found_.bytes_of_floats <= *goal_.budget) return choose(all(before));
    for (const Form form : {Form::wider, Form::as_configured, Form::narrower}) {
      const Choice next = all(form);
      found_.choice = next;
      found_.bytes = space_.bytes(next);
      if (found_.bytes <= *goal_.budget) return shrink(all(before), form);
      before = form;
    }
    found_.is_within_budget = false;
  }

  /// Changes layers to the form, one after another, the cheapest first, until the budget holds.
  void shrink(Choice choice, Form form) {
    for (const size_t layer : by_cost(form, choice)) {
      choice[layer] = taken(layer, form);
      if (space_.bytes(choice) <= *goal_.budget) break;
    }
    choose(choice);
  }

  bool can_any_widen() const {
    return std::find(space_.can_widen.begin(), space_.can_widen.end(), true) !=
           space_.can_widen.end();
  }

  /// The form that a layer takes instead of one that it does not have.
  Form taken(size_t layer, Form form) {
    if (form == Form::wider && !space_.can_widen[layer]) return Form::as_configured;
    return form == Form::narrower && !can_narrow(layer) ? Form::as_configured : form;
  }

  bool can_narrow(size_t layer) {
    if (!space_.can_narrow[layer]) return false;
    Choice narrow(count_, Form::as_configured);
    const int64_t before = space_.bytes(narrow);
    narrow[layer] = Form::narrower;
    return space_.bytes(narrow) < before;
  }

  /// Layers that can take a form, cheapest first, by their loss alone for each byte that they save
  /// from the graph's previous size.
  std::vector<size_t> by_cost(Form form, const Choice& before) {
    const int64_t bytes = space_.bytes(before);
    std::vector<SingleLayerCost> costs(count_);
    std::vector<size_t> order;
    for (size_t i = 0; i < count_; ++i) {
      if (taken(i, form) == before[i]) continue;
      Choice only = all(Form::floats);
      only[i] = taken(i, form);
      const Loss loss = space_.loss(only);
      found_.alone[i] = {loss, found_.bytes_of_floats - space_.bytes(only)};
      Choice next = before;
      next[i] = taken(i, form);
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
