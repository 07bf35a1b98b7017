/** Starts hosts in separate processes that share the stored logins of one home. Each calls a tool on request. */
import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { ProtectedFixture } from "./protected-fixture.ts";

export interface HostProcess {
  readonly pid: number;
  /** The URLs that the host opened in the browser. */
  readonly openedUrls: readonly string[];
  /** Resolves with the next URL that the host opens. */
  nextOpenedUrl(): Promise<string>;
  /** Calls the tool `whoami`. Resolves with the user, or with the code of the error. */
  call(): Promise<string>;
  kill(): Promise<void>;
}

/**
 * The program of the process. It sends `{ finished, answer }` after its start and after each call, and `{ openedUrl }`
 * when the host opens a page.
 */
const PROGRAM = `
import { createHost } from ${JSON.stringify(import.meta.resolve("@plugboard/host"))};
const options = JSON.parse(process.argv[2]);
const ports = {
  openUrl: async (openedUrl) => process.send({ openedUrl }),
  answer: async ({ step }, signal) =>
    step ? new Promise((resolve) => signal.addEventListener("abort", () => resolve(undefined))) : { type: "login", action: "begin" },
};
const host = await createHost({ ...options, ports });
const call = async () => JSON.parse((await host.tools.call("x:whoami", {})).content[0].text).sub;
process.on("message", async () => {
  const answer = await call().catch((error) => error.code ?? String(error));
  process.send({ finished: "call", answer });
});
process.on("disconnect", () => process.exit());
process.send({ finished: "start", answer: "" });
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
    if ("openedUrl" in message) openedUrls.push(message.openedUrl);
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
    call() {
      const answer = waitForAnswer(child, "call");
      child.send("call");
      return answer;
    },
    async kill() {
      const exited = once(child, "exit");
      child.kill("SIGKILL");
      await exited;
    },
  };
}

type ProcessMessage = { readonly openedUrl: string } | { readonly finished: string; readonly answer: string };

function waitForAnswer(child: ChildProcess, action: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const onExit = (): void => reject(new Error(`the process exited before ${action} finished`));
    const onMessage = (message: ProcessMessage): void => {
      if (!("finished" in message) || message.finished !== action) return;
      child.off("message", onMessage).off("exit", onExit);
      resolve(message.answer);
    };
    child.on("message", onMessage).once("exit", onExit);
  });
}
