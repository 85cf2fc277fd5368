"""System call numbers by machine, for the calls that the jail makes or refuses."""

_X86_64 = """
open=2 ioctl=16 shmget=29 shmat=30 shmctl=31 socket=41 connect=42 accept=43 sendmsg=46 bind=49 listen=50 socketpair=53
clone=56 fork=57 vfork=58 execve=59 kill=62 semget=64 msgget=68 truncate=76 creat=85 link=86 chmod=90 fchmod=91
chown=92 fchown=93 lchown=94 ptrace=101 syslog=103 capset=126 rt_sigqueueinfo=129 utime=132 mknod=133 personality=135
setpriority=141 sched_setparam=142 sched_setscheduler=144 vhangup=153 modify_ldt=154 pivot_root=155 prctl=157
adjtimex=159 chroot=161 acct=163 settimeofday=164 mount=165 umount2=166 swapon=167 swapoff=168 reboot=169
sethostname=170 setdomainname=171 iopl=172 ioperm=173 init_module=175 delete_module=176 quotactl=179 setxattr=188
lsetxattr=189 fsetxattr=190 removexattr=197 lremovexattr=198 fremovexattr=199 tkill=200 sched_setaffinity=203
lookup_dcookie=212 clock_settime=227 tgkill=234 utimes=235 mq_open=240 kexec_load=246 add_key=248 request_key=249
keyctl=250 ioprio_set=251 inotify_init=253 inotify_add_watch=254 migrate_pages=256 openat=257 mknodat=259 fchownat=260
futimesat=261 linkat=265 fchmodat=268 unshare=272 vmsplice=278 move_pages=279 utimensat=280 accept4=288
inotify_init1=294 rt_tgsigqueueinfo=297 perf_event_open=298 fanotify_init=300 prlimit64=302 name_to_handle_at=303
open_by_handle_at=304 clock_adjtime=305 sendmmsg=307 setns=308 process_vm_readv=310 process_vm_writev=311 kcmp=312
finit_module=313 sched_setattr=314 seccomp=317 memfd_create=319 kexec_file_load=320 bpf=321 execveat=322
userfaultfd=323 pidfd_send_signal=424 io_uring_setup=425 io_uring_enter=426 io_uring_register=427 open_tree=428
move_mount=429 fsopen=430 fsconfig=431 fsmount=432 fspick=433 pidfd_open=434 clone3=435 openat2=437 pidfd_getfd=438
process_madvise=440 mount_setattr=442 quotactl_fd=443 landlock_create_ruleset=444 landlock_add_rule=445
landlock_restrict_self=446 memfd_secret=447 process_mrelease=448 fchmodat2=452 statmount=457 listmount=458
setxattrat=463 removexattrat=466 open_tree_attr=467 file_setattr=469
"""

# The table that all newer architectures share; what is in the first table only, they never had.
_AARCH64 = """
setxattr=5 lsetxattr=6 fsetxattr=7 removexattr=14 lremovexattr=15 fremovexattr=16 lookup_dcookie=18 inotify_init1=26
inotify_add_watch=27 ioctl=29 ioprio_set=30 mknodat=33 linkat=37 umount2=39 mount=40 pivot_root=41 truncate=45
chroot=51 fchmod=52 fchmodat=53 fchownat=54 fchown=55 openat=56 vhangup=58 quotactl=60 vmsplice=75 utimensat=88 acct=89
capset=91 personality=92 unshare=97 kexec_load=104 init_module=105 delete_module=106 clock_settime=112 syslog=116
ptrace=117 sched_setparam=118 sched_setscheduler=119 sched_setaffinity=122 kill=129 tkill=130 tgkill=131
rt_sigqueueinfo=138 setpriority=140 reboot=142 sethostname=161 setdomainname=162 prctl=167 settimeofday=170
adjtimex=171 mq_open=180 msgget=186 semget=190 shmget=194 shmctl=195 shmat=196 socket=198 socketpair=199 bind=200
listen=201 accept=202 connect=203 sendmsg=211 add_key=217 request_key=218 keyctl=219 clone=220 execve=221 swapon=224
swapoff=225 migrate_pages=238 move_pages=239 rt_tgsigqueueinfo=240 perf_event_open=241 accept4=242 prlimit64=261
fanotify_init=262 name_to_handle_at=264 open_by_handle_at=265 clock_adjtime=266 setns=268 sendmmsg=269
process_vm_readv=270 process_vm_writev=271 kcmp=272 finit_module=273 sched_setattr=274 seccomp=277 memfd_create=279
bpf=280 execveat=281 userfaultfd=282 kexec_file_load=294 pidfd_send_signal=424 io_uring_setup=425 io_uring_enter=426
io_uring_register=427 open_tree=428 move_mount=429 fsopen=430 fsconfig=431 fsmount=432 fspick=433 pidfd_open=434
clone3=435 openat2=437 pidfd_getfd=438 process_madvise=440 mount_setattr=442 quotactl_fd=443
landlock_create_ruleset=444 landlock_add_rule=445 landlock_restrict_self=446 memfd_secret=447 process_mrelease=448
fchmodat2=452 statmount=457 listmount=458 setxattrat=463 removexattrat=466 open_tree_attr=467 file_setattr=469
"""

# Old names for what newer calls do as well; architectures with a younger table lack them.
_LEGACY = (
    "open creat link mknod fork vfork chmod chown lchown utime utimes futimesat modify_ldt iopl ioperm inotify_init"
)
LEGACY = frozenset(_LEGACY.split())

NUMBERS: dict[str, dict[str, int]] = {
    machine: {name: int(number) for name, number in (item.split("=") for item in table.split())}
    for machine, table in (("x86_64", _X86_64), ("aarch64", _AARCH64))
}
