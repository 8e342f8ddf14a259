// SPDX-License-Identifier: Apache-2.0
// Which layers stay in floats, of made-up losses and sizes.
#include <doctest/doctest.h>

#include "src/compress/settings/search.h"

namespace t2n::compress {
namespace {

/// A layer of 1000 bytes or so, and what it loses in each form.
struct Made {
  int64_t bytes = 1000;
  int64_t as_configured = 250;
  double loss = 0;
  double noise = 0;
  int64_t narrower = 0;  ///< 0: it has none
  double loss_narrower = 0;
  int64_t wider = 0;  ///< 0: it has none
  double loss_wider = 0;
};

struct World {
  std::vector<Made> layers;
  double together = 0;  ///< lost besides where two are compressed and more
  size_t measured = 0;
};

SearchSpace space_of(World& world) {
  SearchSpace out;
  for (const Made& layer : world.layers) {
    out.can_narrow.push_back(layer.narrower != 0);
    out.can_widen.push_back(layer.wider != 0);
  }
  out.loss = [&world](const Choice& choice) {
    ++world.measured;
    Loss sum;
    int compressed = 0;
    for (size_t i = 0; i < choice.size(); ++i) {
      const Made& layer = world.layers[i];
      if (choice[i] == Form::floats) continue;
      ++compressed;
      sum.metric += choice[i] == Form::as_configured ? layer.loss
                    : choice[i] == Form::wider       ? layer.loss_wider
                                                     : layer.loss_narrower;
      sum.noise += layer.noise;
    }
    if (compressed > 1) sum.metric += world.together;
    return sum;
  };
  out.bytes = [&world](const Choice& choice) {
    int64_t sum = 100;
    for (size_t i = 0; i < choice.size(); ++i) {
      const Made& layer = world.layers[i];
      sum += choice[i] == Form::floats          ? layer.bytes
             : choice[i] == Form::wider         ? layer.wider
             : choice[i] == Form::as_configured ? layer.as_configured
                                                : layer.narrower;
    }
    return sum;
  };
  return out;
}

SearchResult found(World& world, const Goal& goal) { return search(space_of(world), goal); }

constexpr Form kFloats = Form::floats;
constexpr Form kAsSet = Form::as_configured;
constexpr Form kNarrower = Form::narrower;
constexpr Form kWider = Form::wider;

TEST_CASE("a loss within the limit is measured once, and everything is compressed") {
  World world{{{.loss = 0.1}, {.loss = 0.2}}};
  const SearchResult of = found(world, {.max_loss = 0.31});
  CHECK(of.choice == Choice{kAsSet, kAsSet});
  CHECK(of.is_within_loss);
  CHECK_EQ(of.bytes, 600);
  CHECK_EQ(of.bytes_of_floats, 2100);
  CHECK_EQ(world.measured, 1);
  CHECK_FALSE(of.alone[0].has_value());
}

TEST_CASE("the layer that loses most for its bytes stays in floats first") {
  // The second loses more, but saves a hundred times as much.
  World world{
      {{.loss = 0.2}, {.bytes = 100000, .as_configured = 25000, .loss = 0.3}, {.loss = 0.01}}};
  const SearchResult of = found(world, {.max_loss = 0.4});
  CHECK(of.choice == Choice{kFloats, kAsSet, kAsSet});
  CHECK(of.loss.metric == doctest::Approx(0.31));
  REQUIRE(of.alone[0].has_value());
  CHECK(of.alone[0]->loss.metric == doctest::Approx(0.2));
  CHECK_EQ(of.alone[0]->saved, 750);
}

TEST_CASE("losses that do not add up are seen, as each step is measured") {
  World world{{{.loss = 0.01}, {.loss = 0.02}, {.loss = 0.03}}, 0.5};
  const SearchResult of = found(world, {.max_loss = 0.1});
  CHECK(of.choice == Choice{kAsSet, kFloats, kFloats});
  CHECK(of.is_within_loss);
}

TEST_CASE("no loss at all ends with everything in floats") {
  World world{{{.loss = 0.01}, {.loss = 0.02}}};
  const SearchResult of = found(world, {.max_loss = 0.0});
  CHECK(of.choice == Choice{kFloats, kFloats});
  CHECK(of.is_within_loss);
  CHECK_EQ(of.bytes, of.bytes_of_floats);
}

TEST_CASE("noise decides between equal losses, and layers that save nothing are dropped first") {
  World world{{{.noise = 0.1}, {.noise = 0.3}, {.bytes = 10, .as_configured = 10}, {.noise = 0.2}},
              0.5};
  const SearchResult of = found(world, {.max_loss = 0.1});
  CHECK(of.choice == Choice{kAsSet, kFloats, kFloats, kFloats});
}

TEST_CASE("a budget takes the layers that lose least for each byte, and no more than needed") {
  World world{{{.loss = 0.2}, {.loss = 0.05}, {.loss = 0.1}}};
  SearchResult of = found(world, {.budget = 2000});
  CHECK(of.choice == Choice{kFloats, kAsSet, kAsSet});
  CHECK_EQ(of.bytes, 1600);
  CHECK(of.loss.metric == doctest::Approx(0.15));
  of = found(world, {.budget = 3100});
  CHECK(of.choice == Choice{kFloats, kFloats, kFloats});
  of = found(world, {.budget = 850});
  CHECK(of.choice == Choice{kAsSet, kAsSet, kAsSet});
}

TEST_CASE("if compressing all layers is not enough, some get fewer bits") {
  World world{{{.loss = 0.1, .narrower = 140, .loss_narrower = 0.6},
               {.loss = 0.1, .narrower = 140, .loss_narrower = 0.4},
               {.loss = 0.1}}};
  SearchResult of = found(world, {.budget = 800});
  CHECK(of.choice == Choice{kAsSet, kNarrower, kAsSet});
  CHECK(of.is_within_budget);
  CHECK(of.loss.metric == doctest::Approx(0.6));
  of = found(world, {.budget = 630});
  CHECK(of.choice == Choice{kNarrower, kNarrower, kAsSet});
  world.measured = 0;
  of = found(world, {.budget = 629});
  CHECK_FALSE(of.is_within_budget);
  CHECK_EQ(of.bytes, 630);
  CHECK_EQ(world.measured, 0);
}

TEST_CASE("fewer bits that save nothing are not taken") {
  World world{{{.loss = 0.1, .narrower = 900, .loss_narrower = 0.2}}};
  const SearchResult of = found(world, {.budget = 300});
  CHECK_FALSE(of.is_within_budget);
  CHECK_EQ(of.bytes, 350);
}

TEST_CASE("a budget is the constraint, a limit of loss judges what it leads to") {
  World world{{{.loss = 0.2}, {.loss = 0.05}}};
  CHECK(found(world, {.max_loss = 0.1, .budget = 1400}).is_within_loss);
  const SearchResult of = found(world, {.max_loss = 0.1, .budget = 700});
  CHECK(of.is_within_budget);
  CHECK_FALSE(of.is_within_loss);
  CHECK(of.loss.metric == doctest::Approx(0.25));
}

TEST_CASE("a layer of few bits gets 8 bits before it stays in floats") {
  World world{{{.as_configured = 130, .loss = 0.3, .wider = 250, .loss_wider = 0.02},
               {.as_configured = 130, .loss = 0.1, .wider = 250, .loss_wider = 0.01},
               {.loss = 0.05}}};
  CHECK(found(world, {.max_loss = 0.2}).choice == Choice{kWider, kAsSet, kAsSet});
  CHECK(found(world, {.max_loss = 0.09}).choice == Choice{kWider, kWider, kAsSet});
  CHECK(found(world, {.max_loss = 0.04}).choice == Choice{kWider, kWider, kFloats});
  CHECK(found(world, {.max_loss = 0.015}).choice == Choice{kFloats, kWider, kFloats});
}

TEST_CASE("a budget takes 8 bits where they are enough, and fewer where they are not") {
  World world{{{.as_configured = 130, .loss = 0.3, .wider = 250, .loss_wider = 0.02},
               {.as_configured = 130, .loss = 0.1, .wider = 250, .loss_wider = 0.01}}};
  CHECK(found(world, {.budget = 1400}).choice == Choice{kFloats, kWider});
  CHECK(found(world, {.budget = 600}).choice == Choice{kWider, kWider});
  CHECK(found(world, {.budget = 500}).choice == Choice{kWider, kAsSet});
  CHECK(found(world, {.budget = 360}).choice == Choice{kAsSet, kAsSet});
}

}  // namespace
}  // namespace t2n::compress
