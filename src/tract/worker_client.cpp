// SPDX-License-Identifier: Apache-2.0
// The client of the engine worker: requests, timeouts, crashes, restarts.
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "src/confine/confine.h"
#include "src/diag/error.h"
#include "src/tract/wording.h"
#include "src/tract/worker.h"
#include "src/tract/worker_flag.h"

namespace t2n::tract {
namespace {

constexpr const char* kThisProgram = "/proc/self/exe";
constexpr std::string_view kLoading = "loading the model";
constexpr std::string_view kRunning = "running the model";

/// "SIGABRT", "exit code 1".
std::string describe_end(int wait_status) {
  if (!WIFSIGNALED(wait_status)) return cat("exit code ", WEXITSTATUS(wait_status));
  const char* const name = sigabbrev_np(WTERMSIG(wait_status));
  return name == nullptr ? cat("signal ", WTERMSIG(wait_status)) : cat("SIG", name);
}

bool out_of_memory(const std::string& headline) {
  return headline.starts_with("memory allocation of ") ||
         headline.starts_with("failed to allocate ") ||
         headline.find("std::bad_alloc") != std::string::npos;
}

std::string gibibytes(int64_t bytes) {
  return cat(static_cast<double>(bytes) / static_cast<double>(1 << 30), " GiB");
}

std::string seconds(std::chrono::milliseconds time) {
  return cat(static_cast<double>(time.count()) / 1000.0, " s");
}

/// Too few descriptors or processes, or too little memory: not a fault of the engine.
[[noreturn]] void fail_to_start(int error_number) {
  throw Error("engine-failed", cat("cannot start the engine: ", std::strerror(error_number)),
              "the engine runs in a separate process",
              "raise the limits that `ulimit -a` shows, or use --engine reference");
}

}  // namespace

WorkerClient::WorkerClient(std::string library, WorkerOptions options)
    : library_(std::move(library)), options_(options) {
  // This process may confine itself before it runs a model; the worker must still be startable.
  confine::CommandLine command_line = arguments();
  command_line.insert(command_line.begin(), kThisProgram);
  confine::may_start(std::move(command_line));
}

WorkerClient::~WorkerClient() = default;

std::optional<pid_t> WorkerClient::pid() const {
  return child_ ? std::optional(child_->pid()) : std::nullopt;
}

std::vector<std::string> WorkerClient::arguments() const {
  return {std::string(kWorkerFlag), library_, std::to_string(options_.memory_bytes)};
}

const std::string& WorkerClient::version() {
  if (!child_) start();
  return version_;
}

EngineModelInfo WorkerClient::load(const std::string& artefact) {
  artefact_.clear();
  EngineModelInfo info = load_now(artefact);
  artefact_ = artefact;
  return info;
}

void WorkerClient::start_load(const std::string& artefact) {
  loaded_ = false;
  send({Kind::load, {artefact}, {}}, kLoading);
  loading_ = artefact;
}

std::vector<ir::Tensor> WorkerClient::run(const std::vector<ir::Tensor>& inputs) {
  start_run(inputs);
  return finish_run();
}

void WorkerClient::start_run(const std::vector<ir::Tensor>& inputs) {
  ensure_loaded();
  send({Kind::run, {}, inputs}, kRunning);
}

std::vector<ir::Tensor> WorkerClient::finish_run() {
  return await_answer(deadline(), kRunning).tensors;
}

std::string WorkerClient::profile_json() {
  ensure_loaded();
  return exchange({Kind::profile, {}, {}}, "profiling the model").texts.at(0);
}

std::vector<BenchTimes> WorkerClient::bench(const BenchRequest& request) {
  return decode_times(exchange(encode(request), "measuring the model"));
}

EngineModelInfo WorkerClient::pulse(const Pulse& pulse) {
  ensure_loaded();
  const std::vector<std::string> texts = {artefact_, pulse.symbol, std::to_string(pulse.size)};
  return decode_info(exchange({Kind::pulse, texts, {}}, "converting the model to pulses"));
}

std::vector<ir::Tensor> WorkerClient::run_in_pulses(const std::vector<ir::Tensor>& inputs) {
  return exchange({Kind::run_pulses, {}, inputs}, "running the model in pulses").tensors;
}

EngineModelInfo WorkerClient::load_now(const std::string& artefact) {
  if (loading_ != artefact) start_load(artefact);
  EngineModelInfo info = decode_info(await_answer(deadline(), kLoading));
  loaded_ = true;
  return info;
}

void WorkerClient::ensure_loaded() {
  T2N_ASSERT(!artefact_.empty(), "no model was loaded into the engine");
  if (has_request_) drop_answer();  // the worker may crash over it
  if (!loaded_) load_now(artefact_);
}

void WorkerClient::start() {
  int ends[2];
  const bool paired = socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0;
  if (!paired) fail_to_start(errno);
  socket_ = Fd(ends[0]);
  Fd worker_socket(ends[1]);
  output_ = Fd(memfd_create("engine-output", MFD_CLOEXEC));
  if (output_.get() < 0) fail_to_start(errno);
  auto child = Child::start({.program = kThisProgram,
                             .arguments = arguments(),
                             .out = output_.get(),
                             .err = output_.get(),
                             .channel = worker_socket.get()});
  if (!child) fail_to_start(errno);
  child_.emplace(std::move(*child));
  worker_socket.reset();  // otherwise the worker's end would not close the channel
  try {
    version_ = await_answer(deadline(), "starting").texts.at(0);
  } catch (...) {
    stop();  // a worker whose library does not load has ended
    throw;
  }
}

void WorkerClient::stop() {
  child_.reset();
  socket_.reset();
  loaded_ = has_request_ = false;
  loading_.clear();
}

Deadline WorkerClient::deadline() const {
  return std::chrono::steady_clock::now() + options_.timeout;
}

Message WorkerClient::exchange(const Message& request, std::string_view activity) {
  send(request, activity);
  return await_answer(deadline(), activity);
}

void WorkerClient::send(const Message& request, std::string_view activity) {
  if (has_request_) drop_answer();
  if (!child_) start();
  if (send_message(socket_.get(), request, deadline()) == Transfer::timed_out)
    report_timeout(activity);
  has_request_ = true;
}

/// Of a request that an error elsewhere left without a reader.
void WorkerClient::drop_answer() {
  try {
    (void)await_answer(deadline(), "finishing an earlier request");
  } catch (const Error&) {  // whoever asked is gone
  }
}

Message WorkerClient::await_answer(Deadline deadline, std::string_view activity) {
  has_request_ = false;
  loading_.clear();
  Received received;
  try {
    received = receive_message(socket_.get(), deadline);
  } catch (...) {
    stop();  // a partial answer remains in the channel
    throw;
  }
  switch (received.status) {
    case Transfer::ok: break;
    case Transfer::timed_out: report_timeout(activity);
    case Transfer::closed: report_crash(activity);
  }
  if (received.message.kind == Kind::refused) throw Error(decode_diagnostic(received.message));
  return std::move(received.message);
}

void WorkerClient::report_timeout(std::string_view activity) {
  stop();
  throw Error("engine-timeout",
              cat(engine_name(), " did not answer within ", seconds(options_.timeout), " while ",
                  activity, "; it was stopped"),
              "some graphs make the engine loop forever, others are slow",
              "raise --timeout if the model is large, otherwise please report the model as a bug");
}

void WorkerClient::report_crash(std::string_view activity) {
  const std::string end = describe_end(child_->finish());
  stop();
  const Reason reason = reason_of_crash(last_output());
  const std::string cause = reason.headline.empty() ? "" : cat(": ", reason.headline);
  Diagnostic diagnostic{
      .id = "engine-crashed",
      .message = cat(engine_name(), " crashed (", end, ") while ", activity, cause),
      .where = {},
      .details = reason.details,
      .why = {},
      .help = "if t2nnef wrote this model, please report it as a bug"};
  if (out_of_memory(reason.headline)) {
    diagnostic.why = cat("the engine may use ", gibibytes(options_.memory_bytes));
    diagnostic.help = "give the engine more memory, or use smaller inputs";
  } else if (end == "SIGKILL") {
    diagnostic.why = "another process killed it, often the system when out of memory";
    diagnostic.help = "try again with more free memory, or use smaller inputs";
  }
  throw Error(std::move(diagnostic));
}

std::string WorkerClient::engine_name() const {
  return version_.empty() ? "the engine" : cat("tract ", version_);
}

std::string WorkerClient::last_output() const {
  constexpr off_t kMost = 1 << 16;
  const off_t size = lseek(output_.get(), 0, SEEK_END);
  std::string text(static_cast<size_t>(std::clamp<off_t>(size, 0, kMost)), '\0');
  const ssize_t count =
      pread(output_.get(), text.data(), text.size(), std::max<off_t>(size - kMost, 0));
  text.resize(count < 0 ? 0 : static_cast<size_t>(count));
  return text;
}

}  // namespace t2n::tract
