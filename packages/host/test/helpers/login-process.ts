/** Hosts in processes of their own, with the logins of one home. They do what they are told, when they are told. */
import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { ProtectedFixture } from "./protected-fixture.ts";

export interface HostProcess {
  readonly pid: number;
  /** What was opened in its user's browser. */
  readonly openedUrls: readonly string[];
  /** Resolves with the next address that it has opened. */
  nextOpenedUrl(): Promise<string>;
  /** `call`: the answer of `whoami`; `login`: the state it ended in. What it throws, as its code. */
  run(what: "call" | "login"): Promise<string>;
  kill(): Promise<void>;
}

/** Its answers: `{ did, answer }`; `{ opened }` when it has opened a page. */
const PROGRAM = `
import { createHost } from ${JSON.stringify(import.meta.resolve("@plugboard/host"))};
const options = JSON.parse(process.argv[2]);
const ports = {
  openUrl: async (opened) => process.send({ opened }),
  answer: async ({ step }, signal) =>
    step ? new Promise((resolve) => signal.addEventListener("abort", () => resolve(undefined))) : { type: "login", action: "begin" },
};
const host = await createHost({ ...options, ports });
const acts = {
  call: async () => JSON.parse((await host.tools.call("x:whoami", {})).content[0].text).sub,
  login: async () => (await host.login("x")).state,
};
process.on("message", async (what) => {
  const answer = await acts[what]().catch((error) => error.code ?? String(error));
  process.send({ did: what, answer });
});
process.on("disconnect", () => process.exit());
process.send({ did: "start", answer: "" });
`;

export async function startHostProcess({
  home,
  server,
}: Pick<ProtectedFixture, "home" | "server">): Promise<HostProcess> {
  const file = join(home.cwd, "host-process.mjs");
  await writeFile(file, PROGRAM);
  const options = {
    cwd: home.cwd,
    env: home.env,
    managedConfigPath: join(home.cwd, "none.json"),
    permissions: { allow: ["*"] },
    servers: { x: { url: server.url, start: "lazy" } },
  };
  const child = fork(file, [JSON.stringify(options)], {
    env: { ...home.env },
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const openedUrls: string[] = [];
  child.on("message", (message: ProcessMessage) => {
    if ("opened" in message) openedUrls.push(message.opened);
  });
  await waitForAnswer(child, "start");
  return {
    pid: child.pid ?? 0,
    openedUrls,
    async nextOpenedUrl() {
      const count = openedUrls.length;
      while (openedUrls.length === count) await once(child, "message");
      return openedUrls[count]!;
    },
    run(what) {
      const answer = waitForAnswer(child, what);
      child.send(what);
      return answer;
    },
    async kill() {
      const exited = once(child, "exit");
      child.kill("SIGKILL");
      await exited;
    },
  };
}

type ProcessMessage = { readonly opened: string } | { readonly did: string; readonly answer: string };

function waitForAnswer(child: ChildProcess, action: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const ended = (): void => reject(new Error(`the process ended before it did ${action}`));
    const heard = (message: ProcessMessage): void => {
      if (!("did" in message) || message.did !== action) return;
      child.off("message", heard).off("exit", ended);
      resolve(message.answer);
    };
    child.on("message", heard).once("exit", ended);
  });
}
