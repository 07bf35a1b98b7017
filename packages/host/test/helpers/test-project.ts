/** A folder of a user's own for one test: a project in it, a state, a config; and servers that are what the test says. */
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { isText } from "@plugboard/contracts";
import type { Answer, HostEvent, JsonObject, Question, ServerEntry, ToolResult } from "@plugboard/contracts";
import { createHost } from "@plugboard/host";
import type { AnswerPort, CreateHostOptions, EmbeddedHost } from "@plugboard/host";
import { fileDrivenServer } from "@plugboard/testkit/start-server";
import { onTestFinished } from "vitest";

export interface TestProject {
  readonly root: string;
  readonly project: string;
  readonly env: { readonly [name: string]: string | undefined };
  write(name: string, content: object | string): Promise<string>;
  /** A server that lists these tools and answers with these results, until it is told otherwise. */
  scriptedServer(name: string, says: ServerScript): Promise<ScriptedServer>;
  open(options?: CreateHostOptions): Promise<EmbeddedHost>;
}

export interface ServerScript {
  readonly tools: readonly JsonObject[];
  readonly results?: { readonly [tool: string]: JsonObject };
}

interface ScriptedServer {
  readonly entry: ServerEntry & { readonly command: string; readonly args: readonly string[] };
  setScript(says: ServerScript): Promise<void>;
  /** What was asked of it so far, over all its processes. */
  journal(): Promise<string[]>;
  /** The calls among it, but for those that only announce. */
  calls(): Promise<string[]>;
  pids(): Promise<number[]>;
}

export async function makeTestProject(): Promise<TestProject> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "plugboard-flow-")));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const project = join(root, "project");
  await mkdir(project);
  const env = {
    PATH: process.env["PATH"],
    HOME: root,
    XDG_CONFIG_HOME: join(root, "config"),
    XDG_STATE_HOME: join(root, "state"),
  };
  const write = async (name: string, content: object | string) => {
    const file = join(root, name);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, typeof content === "string" ? content : JSON.stringify(content));
    return file;
  };
  return {
    root,
    project,
    env,
    write,
    async scriptedServer(name, says) {
      const [file, journal] = [await write(`${name}.json`, says), join(root, `${name}.journal`)];
      const lines = async () => (await readFile(journal, "utf8").catch(() => "")).split("\n").filter(Boolean);
      const calls = (line: string) => line.startsWith("tools/call ") && !line.startsWith("tools/call announce");
      return {
        entry: fileDrivenServer(file, journal),
        setScript: async (next) => void (await write(`${name}.json`, next)),
        journal: lines,
        calls: async () => (await lines()).filter(calls).map((line) => line.replace("tools/call ", "")),
        pids: async () => (await lines()).flatMap((line) => Number(/^started (\d+)/.exec(line)?.[1] ?? []) || []),
      };
    },
    async open(options = {}) {
      const config = ["managed", "user", "project", "local"] as const;
      const managedConfigPath = join(root, "managed.json");
      const host = await createHost({ cwd: project, env, config, managedConfigPath, ...options });
      onTestFinished(() => host.close());
      return host;
    },
  };
}

/** Answers in the order given and keeps what was asked; when there are no answers left, it never answers. */
export function answerInOrder(...answers: (Answer | undefined)[]): { port: AnswerPort; asked: Question[] } {
  const asked: Question[] = [];
  const left = [...answers];
  const port: AnswerPort = (question) => {
    asked.push(question);
    return left.length > 0 ? Promise.resolve(left.shift()) : new Promise(() => {});
  };
  return { port, asked };
}

/** The first fact that fits, from the beginning of the host. */
export async function waitForHostEvent<T extends HostEvent["type"]>(
  host: EmbeddedHost,
  type: T,
  matches: (event: Extract<HostEvent, { type: T }>) => boolean = () => true,
): Promise<Extract<HostEvent, { type: T }>> {
  for await (const event of host.events(0)) {
    if (event.type === type && matches(event as never)) return event as never;
  }
  throw new Error(`the host has closed without ${type}`);
}

export const resultText = ({ content }: ToolResult): string =>
  content.map((block) => (isText(block) ? block.text : `[${block.type}]`)).join("\n");

export const objectSchema = (properties: JsonObject = {}): JsonObject => ({ type: "object", properties });
