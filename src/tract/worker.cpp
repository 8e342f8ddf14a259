// SPDX-License-Identifier: Apache-2.0
// The worker's side: loads the engine and answers requests until the channel closes.
#include "src/tract/worker.h"

#include <malloc.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <memory>

#include "src/diag/error.h"
#include "src/tract/worker_flag.h"

namespace t2n::tract {
namespace {

void limit(decltype(RLIMIT_AS) resource, rlim_t value) {
  const rlimit bound{value, value};
  setrlimit(resource, &bound);
}

void confine(int64_t memory_bytes) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // Ctrl-C reaches the whole process group; the parent decides about this process.
  signal(SIGINT, SIG_IGN);
  limit(RLIMIT_CORE, 0);
#ifndef __SANITIZE_ADDRESS__  // its shadow memory takes 20 TB of address space
  if (memory_bytes > 0) limit(RLIMIT_AS, static_cast<rlim_t>(memory_bytes));
#else
  static_cast<void>(memory_bytes);
#endif
  // Resolving the symbols of a 34 MB library takes longer than running most models.
  setenv("RUST_BACKTRACE", "0", 1);
  setenv("RUST_LIB_BACKTRACE", "0", 1);
}

/// The resident memory of this process, after free memory was returned to the system.
int64_t resident_bytes() {
  malloc_trim(0);
  std::ifstream file("/proc/self/statm");
  int64_t all = 0, resident = 0;
  file >> all >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

class Session {
 public:
  explicit Session(const std::string& path) : library_(path) {}

  Message greeting() const { return {Kind::done, {library_.version()}, {}}; }

  Message answer(const Message& request) {
    switch (request.kind) {
      case Kind::load: return load(request.texts.at(0));
      case Kind::run: return {Kind::done, {}, model().run(request.tensors)};
      case Kind::pulse: return pulse(request.texts);
      case Kind::run_pulses: return {Kind::done, {}, in_pulses().run_in_pulses(request.tensors)};
      case Kind::bench: return encode(bench(library_, decode_bench(request)));
      case Kind::profile: return {Kind::done, {model().profile_json()}, {}};
      case Kind::done:
      case Kind::refused: break;
    }
    internal_error(__FILE__, __LINE__, "the engine worker was sent an answer");
  }

 private:
  Message load(const std::string& artefact) {
    model_.reset();
    const int64_t before = resident_bytes();
    model_ = std::make_unique<Model>(library_, artefact);
    EngineModelInfo info = model_->info();
    info.resident_bytes = resident_bytes() - before;
    return encode(info);
  }

  Message pulse(const std::vector<std::string>& texts) {
    in_pulses_.reset();
    in_pulses_ =
        std::make_unique<Model>(library_, texts.at(0), Pulse{texts.at(1), std::stoll(texts.at(2))});
    return encode(in_pulses_->info());
  }

  const Model& in_pulses() const {
    T2N_ASSERT(in_pulses_, "the engine worker got a pulse run before a pulse size");
    return *in_pulses_;
  }

  const Model& model() const {
    T2N_ASSERT(model_, "the engine worker got a run request before a load request");
    return *model_;
  }

  Library library_;
  std::unique_ptr<Model> model_;
  std::unique_ptr<Model> in_pulses_;
};

/// Reports errors to the parent.
template <typename Work>
Message answer_or_refusal(const Work& work) {
  try {
    return work();
  } catch (const Error& error) {
    return encode(error.diagnostic());
  }
}

void serve(const std::string& library) {
  std::unique_ptr<Session> session;
  const Message greeting = answer_or_refusal([&] {
    session = std::make_unique<Session>(library);
    return session->greeting();
  });
  if (send_message(kChannel, greeting, {}) != Transfer::ok || !session) return;
  while (true) {
    const Received request = receive_message(kChannel, {});
    if (request.status != Transfer::ok) return;
    const Message answer = answer_or_refusal([&] { return session->answer(request.message); });
    if (send_message(kChannel, answer, {}) != Transfer::ok) return;
  }
}

}  // namespace

bool maybe_run_worker(int argc, char** argv, int* exit_code) {
  if (argc != 4 || argv[1] != kWorkerFlag) return false;
  *exit_code = 0;
  confine(std::strtoll(argv[3], nullptr, 10));
  serve(argv[2]);
  return true;
}

}  // namespace t2n::tract
