/**
 * The system calls that a sandboxed server may not make, as a BPF program for `bwrap --seccomp`. Namespaces hide files,
 * processes and the network. The filter covers what has no namespace (kernel keyrings, vsock) and what weakens the others
 * (ptrace, new namespaces, mounts, io_uring). Pure.
 */

type SeccompArch = "x64" | "arm64";

/** Returns undefined for an architecture without a table. */
export function seccompFilter(arch: string): Buffer | undefined {
  const target = ARCHITECTURES[arch as SeccompArch] as Architecture | undefined;
  return target && encode(program(target));
}

interface Architecture {
  /** AUDIT_ARCH_… of linux/audit.h. */
  readonly audit: number;
  readonly column: 0 | 1;
  /** The x32 calls of x86_64 have this bit set, and would pass a filter for the other numbers. */
  readonly foreignBit?: number;
}

const ARCHITECTURES: { readonly [A in SeccompArch]: Architecture } = {
  x64: { audit: 0xc000003e, column: 0, foreignBit: 0x40000000 },
  arm64: { audit: 0xc00000b7, column: 1 },
};

const EPERM = 1;
const ENOSYS = 38;
const EAFNOSUPPORT = 97;

/** The numbers on x86_64 and on arm64. Undefined if the call does not exist there. */
export const DENIED_CALLS: { readonly [name: string]: readonly [number, number | undefined] } = {
  // Kernel keyrings belong to the user, not to a namespace.
  add_key: [248, 217],
  request_key: [249, 218],
  keyctl: [250, 219],
  // Other processes.
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  process_madvise: [440, 440],
  pidfd_getfd: [438, 438],
  kcmp: [312, 272],
  perf_event_open: [298, 241],
  // Namespaces and mounts.
  setns: [308, 268],
  mount: [165, 40],
  umount2: [166, 39],
  pivot_root: [155, 41],
  chroot: [161, 51],
  open_tree: [428, 428],
  move_mount: [429, 429],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
  mount_setattr: [442, 442],
  open_tree_attr: [467, 467],
  name_to_handle_at: [303, 264],
  open_by_handle_at: [304, 265],
  // Kernel interfaces that a server has no use for, and where most kernel bugs are.
  bpf: [321, 280],
  userfaultfd: [323, 282],
  kexec_load: [246, 104],
  kexec_file_load: [320, 294],
  init_module: [175, 105],
  finit_module: [313, 273],
  delete_module: [176, 106],
  reboot: [169, 142],
  swapon: [167, 224],
  swapoff: [168, 225],
  acct: [163, 89],
  quotactl: [179, 60],
  quotactl_fd: [443, 443],
  syslog: [103, 116],
  settimeofday: [164, 170],
  clock_settime: [227, 112],
  clock_adjtime: [305, 266],
  lookup_dcookie: [212, 18],
  nfsservctl: [180, 42],
  iopl: [172, undefined],
  ioperm: [173, undefined],
  modify_ldt: [154, undefined],
};

/** Callers try something else if these do not exist: libc uses clone, libuv uses threads. The filter can't read the flags of clone3. */
const MISSING_CALLS: { readonly [name: string]: readonly [number, number] } = {
  clone3: [435, 435],
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
};

const CLONE = [56, 220] as const;
const UNSHARE = [272, 97] as const;
const IOCTL = [16, 29] as const;
const SOCKET = [41, 198] as const;

/** CLONE_NEWTIME, NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET. */
const NAMESPACE_FLAGS = 0x80 | 0x20000 | 0x2000000 | 0x4000000 | 0x8000000 | 0x10000000 | 0x20000000 | 0x40000000;
/** TIOCSTI and TIOCLINUX put input into a terminal. */
const TERMINAL_INPUT = [0x5412, 0x541c];
/** AF_UNIX, AF_INET, AF_INET6, AF_NETLINK. Others, such as AF_VSOCK, may leave the network namespace. */
const SOCKET_FAMILIES = [1, 2, 10, 16];

/** Offsets in `struct seccomp_data`. Arguments have 64 bits; all that are checked here fit into the lower 32. */
const NUMBER_OFFSET = 0;
const ARCH_OFFSET = 4;
const argumentOffset = (index: number) => 16 + 8 * index;

/** `struct sock_filter`: code, jump if true, jump if false, operand. */
type Instruction = readonly [code: number, jt: number, jf: number, k: number];

const load = (offset: number): Instruction => [0x20, 0, 0, offset];
const jumpIfEqual = (k: number, jt: number, jf: number): Instruction => [0x15, jt, jf, k];
const jumpIfAtLeast = (k: number, jt: number, jf: number): Instruction => [0x35, jt, jf, k];
const jumpIfAnyBit = (k: number, jt: number, jf: number): Instruction => [0x45, jt, jf, k];
const ALLOW: Instruction = [0x06, 0, 0, 0x7fff0000];
const fail = (errno: number): Instruction => [0x06, 0, 0, 0x00050000 | errno];

function program({ audit, column, foreignBit }: Architecture): Instruction[] {
  const denied = Object.values(DENIED_CALLS).flatMap((numbers) => numbers[column] ?? []);
  const missing = Object.values(MISSING_CALLS).map((numbers) => numbers[column]);
  return [
    load(ARCH_OFFSET),
    // 32-bit programs have other numbers.
    jumpIfEqual(audit, 1, 0),
    fail(ENOSYS),
    load(NUMBER_OFFSET),
    ...(foreignBit === undefined ? [] : [jumpIfAtLeast(foreignBit, 0, 1), fail(ENOSYS)]),
    ...denied.flatMap((number) => [jumpIfEqual(number, 0, 1), fail(EPERM)]),
    ...missing.flatMap((number) => [jumpIfEqual(number, 0, 1), fail(ENOSYS)]),
    ...onCall(CLONE[column], 0, [jumpIfAnyBit(NAMESPACE_FLAGS, 0, 1), fail(EPERM)]),
    ...onCall(UNSHARE[column], 0, [jumpIfAnyBit(NAMESPACE_FLAGS, 0, 1), fail(EPERM)]),
    ...onCall(
      IOCTL[column],
      1,
      TERMINAL_INPUT.flatMap((request) => [jumpIfEqual(request, 0, 1), fail(EPERM)]),
    ),
    ...onCall(SOCKET[column], 0, [
      ...SOCKET_FAMILIES.flatMap((family) => [jumpIfEqual(family, 0, 1), ALLOW]),
      fail(EAFNOSUPPORT),
    ]),
    ALLOW,
  ];
}

/** Loads an argument of one call and checks it. The call is allowed if no check returns. */
function onCall(number: number, argument: number, checks: readonly Instruction[]): Instruction[] {
  const body = [load(argumentOffset(argument)), ...checks, ALLOW];
  return [jumpIfEqual(number, 0, body.length), ...body];
}

const INSTRUCTION_BYTES = 8;

function encode(instructions: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(instructions.length * INSTRUCTION_BYTES);
  for (const [index, [code, jt, jf, k]] of instructions.entries()) {
    const at = index * INSTRUCTION_BYTES;
    bytes.writeUInt16LE(code, at);
    bytes.writeUInt8(jt, at + 2);
    bytes.writeUInt8(jf, at + 3);
    bytes.writeUInt32LE(k >>> 0, at + 4);
  }
  return bytes;
}
