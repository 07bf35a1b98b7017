/** Tests which files of the bundle a command loads, because loading takes most of the time of a short command. */
import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { startDaemon } from "@plugboard/daemon";
import { describe, expect, it, onTestFinished } from "vitest";
import { puppetServer, runPipedProcess, setUp } from "./helpers/run-plugboard.ts";
import type { Setup } from "./helpers/run-plugboard.ts";

interface Loaded {
  /** The names of files in the bundle, without their hashes. */
  readonly files: readonly string[];
  readonly builtins: readonly string[];
}

/** Runs the command and returns the modules that it has loaded. */
async function loadedBy(setup: Setup, ...args: string[]): Promise<Loaded> {
  const hook = fileURLToPath(new URL("./helpers/record-loaded.cjs", import.meta.url));
  const file = join(setup.cwd, "loaded.json");
  const env = { ...setup.env, NODE_OPTIONS: `--require=${hook}`, LOADED_FILE: file };
  expect(await runPipedProcess({ ...setup, env }, ...args)).toMatchObject({ status: 0, stderr: "" });
  const { files, builtins } = JSON.parse(await readFile(file, "utf8")) as Loaded;
  const bundled = files.filter((path) => path.includes("/dist/bundle/"));
  return { files: bundled.map((path) => basename(path).replace(/(?:-[\w-]{8})?\.js$/, "")).toSorted(), builtins };
}

const setUpWithServer = () => setUp({ mcpServers: { a: puppetServer({}) } });

describe("plugboard", () => {
  it("loads nothing of the bundle for --version", async () => {
    expect((await loadedBy(await setUp(), "--version")).files).toEqual([]);
  });

  it("loads only the config and the table for list", async () => {
    const { files, builtins } = await loadedBy(await setUpWithServer(), "list");
    expect(files).toEqual(["config", "files", "list", "main", "rolldown-runtime", "static-list"]);
    for (const builtin of ["child_process", "crypto", "http"]) expect(builtins).not.toContain(builtin);
  });

  it("loads only the client of the running host for a call through it", async () => {
    const setup = await setUpWithServer();
    const daemon = await startDaemon({ env: setup.env, spec: { cwd: setup.cwd } });
    onTestFinished(() => daemon.stop());
    const { files, builtins } = await loadedBy(setup, "call", "a:go");
    expect(files).toEqual(["call", "list", "main", "rolldown-runtime", "workspace"]);
    for (const builtin of ["child_process", "crypto", "fs/promises", "http", "perf_hooks"])
      expect(builtins).not.toContain(builtin);
  });

  it("loads for add neither a host nor a library for schemas", async () => {
    const { files } = await loadedBy(await setUpWithServer(), "add", "b", "--scope", "user", process.execPath, "b.js");
    expect(files).toContain("add-server");
    for (const part of ["host", "ajv", "zod", "undici"]) expect(files).not.toContain(part);
  });

  it("loads no host for permissions list", async () => {
    const { files } = await loadedBy(await setUpWithServer(), "permissions", "list");
    expect(files).toContain("list-permissions");
    for (const part of ["host", "ajv", "zod", "undici"]) expect(files).not.toContain(part);
  });

  it("loads only the client of the running host for stdio", async () => {
    const setup = await setUpWithServer();
    const daemon = await startDaemon({ env: setup.env });
    onTestFinished(() => daemon.stop());
    const { files, builtins } = await loadedBy(setup, "stdio");
    expect(files).toEqual(["list", "main", "rolldown-runtime", "stdio", "workspace"]);
    for (const builtin of ["child_process", "crypto", "fs/promises", "http", "perf_hooks"])
      expect(builtins).not.toContain(builtin);
  });

  it("loads for a call with a host of its own no library for schemas, config or HTTP", async () => {
    const { files } = await loadedBy(await setUpWithServer(), "call", "a:go", "--private");
    expect(files).toContain("host");
    for (const library of ["ajv", "zod", "undici"]) expect(files).not.toContain(library);
  });
});
