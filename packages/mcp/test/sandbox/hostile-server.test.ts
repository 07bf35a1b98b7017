/** Runs a server that tries to get out of its sandbox. Linux only. */
import { chown, mkdir, mkdtemp, open, readdir, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { EscapeReport, EscapeTargets } from "@plugboard/testkit/servers/sandbox-escape";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { processesWith } from "../helpers/processes-with.ts";
import { ORDINARY_USER, startSandboxHost } from "../helpers/sandbox-host.ts";
import { fixturePath, processSpec } from "../helpers/start-process.ts";

const isRoot = process.getuid?.() === 0;
const isLinux = process.platform === "linux";

describe.runIf(isLinux)("A hostile server of an ordinary user", { meta: { covers: ["A25"] } }, () =>
  testEscapes(isRoot),
);

describe.runIf(isLinux && isRoot)("A hostile server of root", () => testEscapes(false));

/** `asOther`: the host runs as another user than the test. */
function testEscapes(asOther: boolean): void {
  describe.each([
    { name: "no network", network: false },
    { name: "a network", network: true },
    { name: "a list of hosts", network: ["example.com"] },
  ])("with $name", ({ network }) => {
    let report: EscapeReport;
    let secret: string;
    let left: () => number[];
    let folder: string;

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), "plugboard-hostile-"));
      secret = `secret-${Math.random().toString(36).slice(2)}`;
      const home = join(folder, "home");
      const [ssh, state, npxCache] = [join(home, ".ssh"), join(home, ".plugboard"), join(home, ".npm/_npx")];
      const writable = join(folder, "writable");
      for (const made of [ssh, state, npxCache, writable]) await mkdir(made, { recursive: true });
      const secrets = [join(ssh, "id_ed25519"), join(state, "vault.json"), join(folder, "elsewhere")];
      for (const file of secrets) await writeFile(file, secret);
      if (asOther)
        for (const path of [folder, home, ssh, state, writable, ...secrets])
          await chown(path, ORDINARY_USER, ORDINARY_USER);
      const abstract = `\0${secret}`;
      const listeners = await Promise.all([
        listen({ host: "127.0.0.1", port: 0 }),
        listen({ path: join(folder, "host.sock") }),
        listen({ path: abstract }),
      ]);
      const { port } = listeners[0].address() as AddressInfo;
      const inherited = await open(secrets[0]!);
      const targets: EscapeTargets = {
        secrets,
        secret,
        folders: [ssh, state, npxCache, "/etc", "/usr", "/", "/opt"],
        writable,
        hostPid: process.pid,
        ports: ["127.0.0.1", "::1", "10.0.2.2", "10.0.2.3"].map((host) => ({ host, port })),
        sockets: [
          join(folder, "host.sock"),
          abstract,
          `/run/user/${process.getuid!()}/bus`,
          "/run/dbus/system_bus_socket",
        ],
      };
      const host = startSandboxHost(
        processSpec(process.execPath, [fixturePath("sandbox-escape"), JSON.stringify(targets)], {
          cwd: writable,
          env: { HOME: home },
          sandbox: { read: [], write: [writable], hide: [state], network },
        }),
        {
          ordinaryUser: asOther && { tunMode: "666" },
          inherit: inherited.fd,
          env: { HOST_SECRET: secret },
          atEnd: () => {},
        },
      );
      try {
        report = JSON.parse(await host.line()) as EscapeReport;
        expect(report).not.toHaveProperty("code");
        left = () => processesWith(secret);
        expect(left().length).toBeGreaterThan(0);
      } finally {
        await host.stop();
        await inherited.close();
        for (const listener of listeners) listener.close();
      }
      return () => rm(folder, { recursive: true });
    });

    it("escapes by none of its attempts", () => {
      const escaped = Object.entries(report).filter(([, result]) => result.startsWith("escaped"));
      expect(escaped).toEqual([]);
      expect(Object.keys(report).length).toBeGreaterThan(50);
    });

    it("gets the error of a missing or read-only file, a missing process or a refused system call", () => {
      expect(report[`read ${join(folder, "home/.ssh/id_ed25519")}`]).toBe("ENOENT");
      expect(report["write /etc"]).toBe("EROFS");
      expect(report["signal the host"]).toBe("ESRCH");
      expect(report["ptrace(traceme)"]).toBe("EPERM");
      expect(report["keyctl(describe the user keyring)"]).toBe("EPERM");
      expect(report["unshare(user)"]).toBe("EPERM");
      expect(report["socket(vsock)"]).toBe("EAFNOSUPPORT");
      expect(report["write /proc/sys/kernel/core_pattern"]).toMatch(/^(?:EROFS|EACCES)$/);
      expect(report["inherited descriptors"]).toBe("nothing");
    });

    it("leaves no process and no file behind after the stop", async () => {
      await vi.waitFor(() => expect(left()).toEqual([]));
      for (const name of ["home/.ssh", "home/.plugboard", "home/.npm/_npx", "."])
        expect(await readdir(join(folder, name))).not.toContain("planted");
    });
  });
}

function listen(options: { host: string; port: number } | { path: string }) {
  const server = createServer((socket) => socket.end("hello"));
  return new Promise<typeof server>((resolve) => server.listen(options, () => resolve(server)));
}
