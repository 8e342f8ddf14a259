// SPDX-License-Identifier: Apache-2.0
// Framing: counts and sizes as 64-bit integers, then the bytes. Both ends are the same program.
#include "src/tract/protocol.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <span>
#include <utility>

#include "src/diag/error.h"
#include "src/diag/headline.h"

namespace t2n::tract {
namespace {

constexpr uint64_t kMagic = 0x3176'6e6e'6632'7431;
constexpr size_t kChunk = size_t{1} << 22;

/// A socket that stores its first failure: later operations do nothing.
class Stream {
 public:
  Stream(int socket, Deadline deadline) : socket_(socket), deadline_(deadline) {}
  Transfer status() const { return status_; }

  void write(std::span<const std::byte> bytes) {
    while (status_ == Transfer::ok && !bytes.empty()) {
      wait_for(POLLOUT);
      if (status_ != Transfer::ok) return;
      const ssize_t count =
          send(socket_, bytes.data(), std::min(bytes.size(), kChunk), MSG_NOSIGNAL | MSG_DONTWAIT);
      if (const size_t done = checked_count(count); done > 0) bytes = bytes.subspan(done);
    }
  }

  void read(std::span<std::byte> bytes) {
    while (status_ == Transfer::ok && !bytes.empty()) {
      wait_for(POLLIN);
      if (status_ != Transfer::ok) return;
      const ssize_t count =
          recv(socket_, bytes.data(), std::min(bytes.size(), kChunk), MSG_DONTWAIT);
      if (count == 0) status_ = Transfer::closed;
      if (const size_t done = checked_count(count); done > 0) bytes = bytes.subspan(done);
    }
  }

  void write_number(uint64_t value) { write(std::as_bytes(std::span(&value, 1))); }
  uint64_t read_number() {
    uint64_t value = 0;
    read(std::as_writable_bytes(std::span(&value, 1)));
    return status_ == Transfer::ok ? value : 0;
  }

 private:
  void wait_for(short event) {
    int timeout = -1;
    if (deadline_) {
      const auto remaining = std::chrono::ceil<std::chrono::milliseconds>(
          *deadline_ - std::chrono::steady_clock::now());
      timeout = static_cast<int>(std::clamp<int64_t>(remaining.count(), 0, 1'000'000'000));
    }
    pollfd item{socket_, event, 0};
    const int ready = poll(&item, 1, timeout);
    if (ready == 0) status_ = Transfer::timed_out;
    if (ready < 0 && errno != EINTR) status_ = Transfer::closed;
  }

  size_t checked_count(ssize_t count) {
    if (count >= 0) return count;
    if (errno != EINTR && errno != EAGAIN) status_ = Transfer::closed;
    return 0;
  }

  int socket_;
  Deadline deadline_;
  Transfer status_ = Transfer::ok;
};

void write_text(Stream& stream, const std::string& text) {
  stream.write_number(text.size());
  stream.write(std::as_bytes(std::span(text)));
}

std::string read_text(Stream& stream) {
  std::string text(stream.read_number(), '\0');
  stream.read(std::as_writable_bytes(std::span(text)));
  return text;
}

void write_tensor(Stream& stream, const ir::Tensor& tensor) {
  stream.write_number(static_cast<uint64_t>(tensor.dtype));
  stream.write_number(tensor.shape.size());
  for (const int64_t size : tensor.shape) stream.write_number(static_cast<uint64_t>(size));
  ir::for_each_chunk(tensor, kChunk,
                     [&](std::span<const std::byte> bytes) { stream.write(bytes); });
}

ir::Tensor read_tensor(Stream& stream) {
  const auto dtype = static_cast<ir::DType>(stream.read_number());
  ir::Ints shape(stream.read_number());
  for (int64_t& size : shape) size = static_cast<int64_t>(stream.read_number());
  if (stream.status() != Transfer::ok) return {};
  ir::OwnedTensor tensor = ir::allocate(dtype, shape);
  stream.read(tensor.data);
  return std::move(tensor.tensor);
}

}  // namespace

Message encode(const EngineModelInfo& info) {
  Message message{
      Kind::done, {std::to_string(info.inputs.size()), std::to_string(info.resident_bytes)}, {}};
  for (const auto* ports : {&info.inputs, &info.outputs})
    for (const EnginePort& port : *ports) {
      message.texts.push_back(port.name);
      message.texts.push_back(port.fact);
      message.texts.push_back(std::to_string(port.axis));
      message.texts.push_back(std::to_string(port.delay));
    }
  return message;
}

EngineModelInfo decode_info(const Message& message) {
  EngineModelInfo info;
  const size_t inputs = std::stoul(message.texts.at(0));
  info.resident_bytes = std::stoll(message.texts.at(1));
  const std::vector<std::string>& texts = message.texts;
  for (size_t i = 2; i + 3 < texts.size(); i += 4) {
    auto& ports = info.inputs.size() < inputs ? info.inputs : info.outputs;
    ports.push_back({texts[i], texts[i + 1], std::stoll(texts[i + 2]), std::stoll(texts[i + 3])});
  }
  return info;
}

Message encode(const BenchRequest& request) {
  Message message{Kind::bench,
                  {std::to_string(request.loads), std::to_string(request.warmups),
                   std::to_string(request.runs), std::to_string(request.profiles)},
                  {ir::scalar_tensor(request.seconds, ir::DType::f64)}};
  for (const BenchedModel& model : request.models) {
    message.texts.push_back(model.artefact);
    message.texts.push_back(std::to_string(model.inputs.size()));
    message.tensors.insert(message.tensors.end(), model.inputs.begin(), model.inputs.end());
  }
  return message;
}

BenchRequest decode_bench(const Message& message) {
  const std::vector<std::string>& texts = message.texts;
  BenchRequest request{.models = {},
                       .loads = std::stoll(texts.at(0)),
                       .warmups = std::stoll(texts.at(1)),
                       .runs = std::stoll(texts.at(2)),
                       .seconds = ir::element_f64(message.tensors.at(0), 0),
                       .profiles = texts.at(3) == "1"};
  auto tensor = message.tensors.begin() + 1;
  for (size_t i = 4; i + 1 < texts.size(); i += 2) {
    const auto end = tensor + std::stoll(texts[i + 1]);
    request.models.push_back({texts[i], {tensor, end}});
    tensor = end;
  }
  return request;
}

Message encode(const std::vector<BenchTimes>& times) {
  const auto numbers = [](const std::vector<double>& values) {
    return ir::tensor_of(ir::DType::f64, {static_cast<int64_t>(values.size())}, values);
  };
  Message message;
  for (const BenchTimes& each : times) {
    message.texts.push_back(each.profile);
    message.tensors.push_back(numbers(each.loads));
    message.tensors.push_back(numbers(each.runs));
  }
  return message;
}

std::vector<BenchTimes> decode_times(const Message& message) {
  std::vector<BenchTimes> out;
  for (size_t i = 0; i < message.texts.size(); ++i)
    out.push_back({ir::to_f64(message.tensors.at(2 * i)), ir::to_f64(message.tensors.at(2 * i + 1)),
                   message.texts[i]});
  return out;
}

Message encode(const Diagnostic& diagnostic) {
  Message message{
      Kind::refused, {diagnostic.id, headline(diagnostic), diagnostic.why, diagnostic.help}, {}};
  message.texts.insert(message.texts.end(), diagnostic.details.begin(), diagnostic.details.end());
  return message;
}

Diagnostic decode_diagnostic(const Message& message) {
  const std::vector<std::string>& texts = message.texts;
  T2N_ASSERT(texts.size() >= 4, "a refusal of ", texts.size(), " texts");
  return {.id = texts[0],
          .message = texts[1],
          .where = {},
          .details = {texts.begin() + 4, texts.end()},
          .why = texts[2],
          .help = texts[3]};
}

Transfer send_message(int socket, const Message& message, Deadline deadline) {
  Stream stream(socket, deadline);
  stream.write_number(kMagic);
  stream.write_number(static_cast<uint64_t>(message.kind));
  stream.write_number(message.texts.size());
  for (const std::string& text : message.texts) write_text(stream, text);
  stream.write_number(message.tensors.size());
  for (const ir::Tensor& tensor : message.tensors) write_tensor(stream, tensor);
  return stream.status();
}

Received receive_message(int socket, Deadline deadline) {
  Stream stream(socket, deadline);
  const uint64_t magic = stream.read_number();
  if (stream.status() != Transfer::ok) return {stream.status(), {}};
  T2N_ASSERT(magic == kMagic, "unexpected data on the engine worker's channel");
  Received received;
  received.message.kind = static_cast<Kind>(stream.read_number());
  for (uint64_t remaining = stream.read_number(); remaining > 0 && stream.status() == Transfer::ok;
       --remaining)
    received.message.texts.push_back(read_text(stream));
  for (uint64_t remaining = stream.read_number(); remaining > 0 && stream.status() == Transfer::ok;
       --remaining)
    received.message.tensors.push_back(read_tensor(stream));
  received.status = stream.status();
  return received;
}

}  // namespace t2n::tract
