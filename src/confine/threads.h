// SPDX-License-Identifier: Apache-2.0
// Runs code on every thread: the kernel confines threads, not processes.
#pragma once

namespace t2n::confine {

/// The signal that reaches the threads. A thread that blocks all signals must leave it unblocked.
int signal_for_threads();

/// Runs `work` on every thread of this process, this one included, in a signal handler: it may make
/// system calls, and returns 0 or an errno. Threads started meanwhile are included. Returns the
/// first errno that is not 0; ETIMEDOUT if a thread does not answer.
int on_every_thread(int (*work)());

}  // namespace t2n::confine
