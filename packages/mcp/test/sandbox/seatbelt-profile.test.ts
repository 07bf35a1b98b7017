import { seatbeltProfile } from "#sandbox/seatbelt-profile.js";
import type { SeatbeltSandbox } from "#sandbox/seatbelt-profile.js";
import { describe, expect, it } from "vitest";

const folder = (path: string, real = path) => ({ path, real, type: "folder" }) as const;

function profile(network: SeatbeltSandbox["policy"]["network"], files: Partial<SeatbeltSandbox["files"]> = {}): string {
  return seatbeltProfile({
    policy: { read: [], write: [], network, cache: "/Users/ann/Library/Caches/plugboard/files" },
    files: {
      home: "/Users/ann",
      cwd: "/Users/ann/p",
      system: [],
      packages: [],
      read: [],
      write: [],
      hide: [],
      ...files,
    },
    temp: "/private/tmp/plugboard-1",
    ...(typeof network === "object" && { proxyPort: 4711 }),
  });
}

describe("seatbeltProfile", () => {
  it("denies everything by default", () => {
    expect(profile(false)).toMatch(/^\(version 1\)\n\(deny default\)\n/);
    expect(profile(false)).not.toContain("network");
    expect(profile(false)).not.toContain('"/Users/ann"');
  });

  it("allows reads and writes of real paths, and denies hidden ones last", () => {
    const text = profile(false, {
      packages: [folder("/opt/server")],
      read: [folder("/tmp/in", "/private/tmp/in")],
      write: [folder("/Users/ann/p")],
      hide: [folder("/Users/ann/p/.plugboard")],
    });
    const line = (start: string) => text.split("\n").find((found) => found.startsWith(start))!;
    expect(line("(allow file-read*")).toContain(
      '(subpath "/opt/server") (subpath "/private/tmp/in") (subpath "/Users/ann/p")',
    );
    expect(line("(allow file-write*")).toContain('(subpath "/Users/ann/p") (subpath "/private/tmp/plugboard-1")');
    expect(line("(allow file-write*")).not.toContain("/opt/server");
    expect(text.indexOf('(deny file-read* file-write* (subpath "/Users/ann/p/.plugboard"))')).toBeGreaterThan(
      text.indexOf("(allow file-write*"),
    );
  });

  it("allows the network without loopback, or the proxy alone", () => {
    expect(profile(true)).toMatch(/\(remote ip "\*:\*"\)\)\n\(deny network-outbound \(remote ip "localhost:\*"\)\)/);
    expect(profile(["example.com"])).toContain('(allow network-outbound (remote ip "localhost:4711"))');
    expect(profile(["example.com"])).not.toContain("*:*");
  });

  it("quotes paths", () => {
    expect(profile(false, { write: [folder('/a "b"\\c')] })).toContain(String.raw`(subpath "/a \"b\"\\c")`);
  });
});
