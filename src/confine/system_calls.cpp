// SPDX-License-Identifier: Apache-2.0
#include "src/confine/system_calls.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <vector>

namespace t2n::confine {
namespace {

#if defined(__x86_64__)
constexpr unsigned kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr unsigned kArchitecture = AUDIT_ARCH_AARCH64;
#else
constexpr unsigned kArchitecture = 0;
#endif

/// Programs, sockets, other processes, the kernel itself. Socket pairs between our own threads and
/// children remain allowed, and so do signals to children.
constexpr std::array kDenied = {
    __NR_execve,
    __NR_execveat,
    __NR_socket,
    __NR_connect,
    __NR_bind,
    __NR_listen,
    __NR_accept,
    __NR_accept4,
    __NR_ptrace,
    __NR_process_vm_readv,
    __NR_process_vm_writev,
    __NR_mount,
    __NR_umount2,
    __NR_pivot_root,
    __NR_chroot,
    __NR_unshare,
    __NR_setns,
    __NR_bpf,
    __NR_perf_event_open,
    __NR_init_module,
    __NR_finit_module,
    __NR_delete_module,
    __NR_kexec_load,
    __NR_keyctl,
    __NR_add_key,
    __NR_request_key,
    __NR_swapon,
    __NR_swapoff,
    __NR_reboot,
    __NR_settimeofday,
    __NR_clock_settime,
    __NR_acct,
    __NR_quotactl,
    __NR_personality,
    __NR_fchown,
    __NR_fchownat,
    __NR_fchmodat,
    __NR_setxattr,
    __NR_lsetxattr,
    __NR_fsetxattr,
    __NR_removexattr,
    __NR_lremovexattr,
    __NR_fremovexattr,
    __NR_mknodat,
    __NR_open_by_handle_at,
    __NR_sethostname,
    __NR_setdomainname,
    __NR_shmget,
    __NR_msgget,
    __NR_semget,
    __NR_mq_open,
#ifdef __NR_userfaultfd
    __NR_userfaultfd,
#endif
#ifdef __NR_io_uring_setup
    __NR_io_uring_setup,
    __NR_io_uring_enter,
    __NR_io_uring_register,
#endif
#ifdef __NR_fchmodat2
    __NR_fchmodat2,
#endif
#ifdef __NR_pidfd_getfd
    __NR_pidfd_getfd,
#endif
#ifdef __NR_kexec_file_load
    __NR_kexec_file_load,
#endif
#ifdef __x86_64__
    __NR_chmod,
    __NR_chown,
    __NR_lchown,
    __NR_mknod,
    __NR_iopl,
    __NR_ioperm,
    __NR_modify_ldt,
#endif
};

std::vector<sock_filter> program() {
  constexpr auto kNumber = static_cast<unsigned>(offsetof(seccomp_data, nr));
  constexpr auto kArch = static_cast<unsigned>(offsetof(seccomp_data, arch));
  constexpr unsigned kRefuse = SECCOMP_RET_ERRNO | (EPERM & SECCOMP_RET_DATA);
  std::vector<sock_filter> out;
  const auto load = [&](unsigned offset) {
    out.push_back(sock_filter BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offset));
  };
  const auto return_action = [&](unsigned answer) {
    out.push_back(sock_filter BPF_STMT(BPF_RET | BPF_K, answer));
  };
  // Refuses the system call numbers of other architectures.
  load(kArch);
  out.push_back(sock_filter BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kArchitecture, 1, 0));
  return_action(kRefuse);
  load(kNumber);
#ifdef __x86_64__
  constexpr unsigned kX32 = 0x40000000;
  out.push_back(sock_filter BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, kX32, 0, 1));
  return_action(kRefuse);
#endif
  for (const int number : kDenied) {
    out.push_back(
        sock_filter BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(number), 0, 1));
    return_action(kRefuse);
  }
  return_action(SECCOMP_RET_ALLOW);
  return out;
}

long install(const sock_fprog& filter, unsigned long flags) {
  return ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &filter);
}

}  // namespace

bool can_filter_system_calls() {
  // EFAULT for a null filter shows that filters are supported.
  return kArchitecture != 0 && ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, nullptr, 0, 0) != 0 &&
         errno == EFAULT;
}

int filter_system_calls() {
  std::vector<sock_filter> filter = program();
  const sock_fprog program_filter{static_cast<unsigned short>(filter.size()), filter.data()};
  // Kernels before 5.16 disable the processor's store bypass for filtered threads, which slows down
  // every computation. That protects against native code, which a model file cannot contain.
  constexpr unsigned long kEveryThread = SECCOMP_FILTER_FLAG_TSYNC;
  long result = install(program_filter, kEveryThread | SECCOMP_FILTER_FLAG_SPEC_ALLOW);
  if (result < 0 && errno == EINVAL) result = install(program_filter, kEveryThread);  // before 4.17
  if (result < 0) return errno;
  return result == 0 ? 0 : ESRCH;  // otherwise a thread that has another filter
}

}  // namespace t2n::confine
