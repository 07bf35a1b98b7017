/** Runs the filter in a small interpreter. `hostile-server.test.ts` runs it in the kernel. */
import { DENIED_CALLS, seccompFilter } from "#sandbox/seccomp-filter.js";
import { describe, expect, it } from "vitest";

const ALLOW = 0x7fff0000;
const errno = (number: number) => 0x00050000 + number;
const EPERM = errno(1);
const ENOSYS = errno(38);

/** Interprets the instructions that the filter uses. Throws for others, and for a jump beyond the end. */
function run(program: Buffer, arch: number, number: number, args: readonly number[] = []): number {
  const data = Buffer.alloc(64);
  data.writeUInt32LE(number, 0);
  data.writeUInt32LE(arch, 4);
  for (const [index, arg] of args.entries()) data.writeUInt32LE(arg >>> 0, 16 + 8 * index);
  let accumulator = 0;
  for (let at = 0; ; at += 8) {
    const [code, jt, jf, k] = [
      program.readUInt16LE(at),
      program[at + 2]!,
      program[at + 3]!,
      program.readUInt32LE(at + 4),
    ];
    const jump = (taken: boolean) => (at += 8 * (taken ? jt : jf));
    if (code === 0x20) accumulator = data.readUInt32LE(k);
    else if (code === 0x15) jump(accumulator === k);
    else if (code === 0x35) jump(accumulator >= k);
    else if (code === 0x45) jump((accumulator & k) !== 0);
    else if (code === 0x06) return k;
    else throw new Error(`unknown instruction ${code}`);
  }
}

describe.each([
  { arch: "x64", audit: 0xc000003e, column: 0, read: 0, clone: 56, unshare: 272, ioctl: 16, socket: 41 },
  { arch: "arm64", audit: 0xc00000b7, column: 1, read: 63, clone: 220, unshare: 97, ioctl: 29, socket: 198 },
])("seccompFilter for $arch", ({ arch, audit, column, read, clone, unshare, ioctl, socket }) => {
  const program = seccompFilter(arch)!;
  const call = (number: number, ...args: number[]) => run(program, audit, number, args);

  it("allows ordinary calls", () => {
    expect([read, clone, unshare, ioctl].map((number) => call(number))).toEqual([ALLOW, ALLOW, ALLOW, ALLOW]);
    // The flags of a new thread.
    expect(call(clone, 0x3d0f00)).toBe(ALLOW);
  });

  it("denies every call of its list", () => {
    for (const [name, numbers] of Object.entries(DENIED_CALLS)) {
      const number = numbers[column];
      if (number !== undefined) expect([name, call(number)]).toEqual([name, EPERM]);
    }
  });

  it("denies new namespaces by clone and unshare, and says that clone3 and io_uring do not exist", () => {
    for (const flag of [0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000])
      expect([call(clone, flag | 17), call(unshare, flag)]).toEqual([EPERM, EPERM]);
    expect([435, 425, 426, 427].map((number) => call(number))).toEqual([ENOSYS, ENOSYS, ENOSYS, ENOSYS]);
  });

  it("allows sockets of the namespace only", () => {
    expect([1, 2, 10, 16].map((family) => call(socket, family))).toEqual([ALLOW, ALLOW, ALLOW, ALLOW]);
    // AF_PACKET, AF_BLUETOOTH, AF_ALG and AF_VSOCK.
    for (const family of [17, 31, 38, 40]) expect(call(socket, family)).toBe(errno(97));
  });

  it("denies input into a terminal, and allows other ioctls", () => {
    expect([0x5412, 0x541c, 0x5401].map((request) => call(ioctl, 0, request))).toEqual([EPERM, EPERM, ALLOW]);
  });

  it("denies all calls of another architecture", () => {
    expect(run(program, 0x40000003, read)).toBe(ENOSYS);
    if (arch === "x64") expect(call(0x40000000 + 250)).toBe(ENOSYS);
  });
});

it("seccompFilter returns undefined for an architecture without a table", () => {
  expect(seccompFilter("riscv64")).toBeUndefined();
});
