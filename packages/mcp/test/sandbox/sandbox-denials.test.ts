import { explainDenial, findDenial, SandboxDenials } from "#sandbox/sandbox-denials.js";
import type { SandboxDenial } from "#sandbox/sandbox-denials.js";
import type { Mount } from "#sandbox/sandbox-mounts.js";
import { describe, expect, it } from "vitest";

const MOUNTS: readonly Mount[] = [
  { type: "read", path: "/usr", from: "/usr" },
  { type: "private", path: "/home/ann" },
  { type: "read", path: "/home/ann/notes", from: "/home/ann/notes" },
  { type: "write", path: "/home/ann/project", from: "/home/ann/project" },
];
const policy = (network: boolean | readonly string[]) => ({ read: [], write: [], network });

describe("findDenial", () => {
  it.for<[string, SandboxDenial | undefined]>([
    [
      "Error: ENOENT: no such file or directory, open '/home/ann/.ssh/id rsa'",
      { type: "read", path: "/home/ann/.ssh/id rsa" },
    ],
    ["cat: /home/ann/.netrc: No such file or directory", { type: "read", path: "/home/ann/.netrc" }],
    ["[Errno 13] Permission denied: '/srv/data'", { type: "read", path: "/srv/data" }],
    [
      "Error: EROFS: read-only file system, open '/home/ann/notes/a.txt'",
      { type: "write", path: "/home/ann/notes/a.txt" },
    ],
    ["touch: cannot touch '/srv/x': Read-only file system", { type: "write", path: "/srv/x" }],
    // These are errors of the server itself.
    ["Error: ENOENT: no such file or directory, open '/home/ann/project/missing'", undefined],
    ["Error: ENOENT: no such file or directory, open '/usr/missing'", undefined],
    ["Error: ENOENT: no such file or directory, open 'relative'", undefined],
    ["reading /home/ann/.ssh/id_rsa", undefined],
  ])("explains %j", ([line, denial]) => {
    expect(findDenial(line, policy(false), MOUNTS, () => true)).toEqual(denial);
  });

  it("explains no file that does not exist outside of the sandbox either", () => {
    expect(findDenial("ENOENT: open '/home/ann/.rc'", policy(false), MOUNTS, () => false)).toBeUndefined();
  });

  it.for<[string, boolean | readonly string[], SandboxDenial | undefined]>([
    ["Error: getaddrinfo EAI_AGAIN api.example.com", false, { type: "host", host: "api.example.com" }],
    ["Error: getaddrinfo ENOTFOUND api.example.com", ["other.com"], { type: "host", host: "api.example.com" }],
    [
      "Error: getaddrinfo EAI_AGAIN api.example.com",
      ["*.example.com:443"],
      { type: "direct", host: "api.example.com" },
    ],
    ["connect ENETUNREACH 93.184.216.34:443", false, { type: "host", host: "93.184.216.34" }],
    ["curl: (6) Could not resolve host: example.com", ["example.com"], { type: "direct", host: "example.com" }],
    ["Error: getaddrinfo ENOTFOUND api.example.com", true, undefined],
  ])("explains %j with the network %j", ([line, network, denial]) => {
    expect(findDenial(line, policy(network), MOUNTS)).toEqual(denial);
  });
});

it("explainDenial says which key of the definition allows it", () => {
  expect(explainDenial({ type: "read", path: "/srv" })).toBe("The sandbox hides /srv: add it to `read`.");
  expect(explainDenial({ type: "write", path: "/srv" })).toContain("add it to `write`");
  expect(explainDenial({ type: "host", host: "a.com" })).toContain("add it to `network`");
  expect(explainDenial({ type: "local", host: "a.com" })).toContain("leads to this machine");
  expect(explainDenial({ type: "direct", host: "a.com" })).toContain("Node obeys HTTPS_PROXY from version 24 on");
});

describe("SandboxDenials", () => {
  it("reports each denial once, to a late listener too, from lines that arrive in parts", () => {
    const denials = new SandboxDenials(policy(["a.com"]), MOUNTS);
    denials.handleAttempt({ host: "a.com", port: 443 });
    denials.handleAttempt({ host: "b.com", port: 443, refused: "not listed" });
    const reported: SandboxDenial[] = [];
    denials.follow((denial) => reported.push(denial));
    denials.handleAttempt({ host: "b.com", port: 80, refused: "not listed" });
    denials.handleAttempt({ host: "c.com", port: 80, refused: "local address" });
    denials.handleOutput(Buffer.from("EROFS: open '/srv"));
    denials.handleOutput(Buffer.from("/x'\nEROFS: open '/srv/x'\n"));
    expect(reported).toEqual([
      { type: "host", host: "b.com" },
      { type: "local", host: "c.com" },
      { type: "write", path: "/srv/x" },
    ]);
  });

  it("keeps at most 100", () => {
    const denials = new SandboxDenials(policy(false), MOUNTS);
    for (let index = 0; index < 200; index += 1)
      denials.handleAttempt({ host: `${index}.com`, port: 1, refused: "not listed" });
    const reported: SandboxDenial[] = [];
    denials.follow((denial) => reported.push(denial));
    expect(reported).toHaveLength(100);
  });
});
