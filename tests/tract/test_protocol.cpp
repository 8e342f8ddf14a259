// SPDX-License-Identifier: Apache-2.0
// The channel to the worker: what goes in comes out, and a broken end is noticed.
#include <doctest/doctest.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <thread>

#include "src/tract/process.h"
#include "src/tract/protocol.h"
#include "tests/tract/support.h"

namespace t2n::test {
namespace {

using tract::Fd;
using tract::Kind;
using tract::Message;
using tract::Transfer;

struct Channel {
  Fd ours;
  Fd theirs;
};

Channel open_channel() {
  int ends[2];
  REQUIRE_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  return {Fd(ends[0]), Fd(ends[1])};
}

tract::Deadline in(std::chrono::milliseconds time) {
  return std::chrono::steady_clock::now() + time;
}

Message sent_and_received(const Message& message) {
  const Channel channel = open_channel();
  std::thread sender(
      [&] { CHECK_EQ(tract::send_message(channel.ours.get(), message, {}), Transfer::ok); });
  tract::Received received =
      tract::receive_message(channel.theirs.get(), in(std::chrono::seconds(30)));
  sender.join();
  CHECK_EQ(received.status, Transfer::ok);
  return received.message;
}

TEST_CASE("texts and tensors of every kind pass unchanged") {
  ir::Tensor transposed = iota_2x3();
  transposed.shape = {3, 2};
  transposed.strides = {1, 3};
  const std::vector<ir::Tensor> tensors = {
      transposed, ir::scalar_tensor(int64_t{7}, ir::DType::i64),
      ir::allocate(ir::DType::f16, {0, 4}).tensor, ir::allocate(ir::DType::u8, {9'000'000}).tensor};
  const Message got = sent_and_received({Kind::run, {"", "zwei\n", "🟰"}, tensors});
  CHECK_EQ(got.kind, Kind::run);
  CHECK_EQ(got.texts, std::vector<std::string>{"", "zwei\n", "🟰"});
  REQUIRE_EQ(got.tensors.size(), tensors.size());
  for (size_t i = 0; i < tensors.size(); ++i) CHECK(same_values(got.tensors[i], tensors[i]));
}

TEST_CASE("model descriptions and diagnostics pass unchanged") {
  const tract::EngineModelInfo info{{{"a", "1,f32"}, {"b", ""}}, {{"y_0", "S,f32"}}};
  const tract::EngineModelInfo got = tract::decode_info(sent_and_received(tract::encode(info)));
  REQUIRE_EQ(got.inputs.size(), 2);
  REQUIRE_EQ(got.outputs.size(), 1);
  CHECK_EQ(got.inputs[1].name, "b");
  CHECK_EQ(got.outputs[0].fact, "S,f32");
  const Diagnostic diagnostic{.id = "engine-failed",
                              .message = "m",
                              .where = {},
                              .details = {"one", "two"},
                              .why = "w",
                              .help = "h"};
  CHECK_EQ(render_text(tract::decode_diagnostic(sent_and_received(tract::encode(diagnostic)))),
           render_text(diagnostic));
}

TEST_CASE("a closed end, half a message and silence are distinguished") {
  Channel channel = open_channel();
  CHECK_EQ(tract::receive_message(channel.ours.get(), in(std::chrono::milliseconds(50))).status,
           Transfer::timed_out);
  const uint64_t magic = 0x3176'6e6e'6632'7431;
  REQUIRE_EQ(write(channel.theirs.get(), &magic, sizeof magic), sizeof magic);
  channel.theirs.reset();
  CHECK_EQ(tract::receive_message(channel.ours.get(), in(std::chrono::seconds(30))).status,
           Transfer::closed);
  CHECK_EQ(tract::send_message(channel.ours.get(), {}, in(std::chrono::seconds(30))),
           Transfer::closed);
}

TEST_CASE("a reader that does not read stops the sender at the deadline") {
  const Channel channel = open_channel();
  const Message large{Kind::run, {}, {ir::allocate(ir::DType::u8, {50'000'000}).tensor}};
  CHECK_EQ(tract::send_message(channel.ours.get(), large, in(std::chrono::milliseconds(100))),
           Transfer::timed_out);
}

}  // namespace
}  // namespace t2n::test
