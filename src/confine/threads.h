// The kernel confines threads, not processes: what is taken away is taken away from each.
#pragma once

namespace t2n::confine {

/// The signal that reaches the threads. One that blocks all signals leaves this one open.
int signal_for_threads();

/// Runs `work` on every thread of this process, this one included, in a signal handler: it may make
/// system calls, and returns 0 or an errno. Threads that are started meanwhile are found, too.
/// Returns the first errno that is not 0; ETIMEDOUT if a thread does not answer.
int on_every_thread(int (*work)());

}  // namespace t2n::confine
