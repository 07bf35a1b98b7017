/** Creates a temporary home with a project folder, and servers whose tools and results are set by the test. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isText } from "@plugboard/contracts";
import type { Answer, JsonObject, Question, ServerEntry, ToolResult } from "@plugboard/contracts";
import { createHost } from "@plugboard/host";
import type { AnswerPort, CreateHostOptions, EmbeddedHost } from "@plugboard/host";
import { fileDrivenServer } from "@plugboard/testkit/start-server";
import { onTestFinished } from "vitest";
import { makeTestHome } from "./embedded-host.ts";

export interface TestProject {
  readonly root: string;
  readonly project: string;
  readonly env: { readonly [name: string]: string | undefined };
  /** Writes a file below `root`. Returns its path. */
  write(name: string, content: object | string): Promise<string>;
  /** Creates a server that lists these tools and returns these results until `setScript` changes them. */
  scriptedServer(name: string, script: ServerScript): Promise<ScriptedServer>;
  open(options?: CreateHostOptions): Promise<EmbeddedHost>;
}

export interface ServerScript {
  readonly tools: readonly JsonObject[];
  readonly results?: { readonly [tool: string]: JsonObject };
}

interface ScriptedServer {
  readonly entry: ServerEntry & { readonly command: string; readonly args: readonly string[] };
  setScript(script: ServerScript): Promise<void>;
  /** Returns the requests that all processes of the server have received. */
  journal(): Promise<string[]>;
  /** Returns the tool calls among the requests, except calls of the tool `announce`. */
  calls(): Promise<string[]>;
  pids(): Promise<number[]>;
}

export async function makeTestProject(): Promise<TestProject> {
  const { root, cwd: project, env } = await makeTestHome();
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
    async scriptedServer(name, script) {
      const [file, journal] = [await write(`${name}.json`, script), join(root, `${name}.journal`)];
      const lines = async () => (await readFile(journal, "utf8").catch(() => "")).split("\n").filter(Boolean);
      const isCall = (line: string) => line.startsWith("tools/call ") && !line.startsWith("tools/call announce");
      return {
        entry: fileDrivenServer(file, journal),
        setScript: async (next) => void (await write(`${name}.json`, next)),
        journal: lines,
        calls: async () => (await lines()).filter(isCall).map((line) => line.replace("tools/call ", "")),
        pids: async () => (await lines()).flatMap((line) => /^started (\d+)/.exec(line)?.slice(1).map(Number) ?? []),
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

/** Records the questions and gives the answers in order. Questions after the last answer stay open. */
export function answerInOrder(...answers: (Answer | undefined)[]): { port: AnswerPort; asked: Question[] } {
  const asked: Question[] = [];
  const remaining = [...answers];
  const port: AnswerPort = (question) => {
    asked.push(question);
    return remaining.length > 0 ? Promise.resolve(remaining.shift()) : new Promise(() => {});
  };
  return { port, asked };
}

export const resultText = ({ content }: ToolResult): string =>
  content.map((block) => (isText(block) ? block.text : `[${block.type}]`)).join("\n");

export const objectSchema = (properties: JsonObject = {}): JsonObject => ({ type: "object", properties });
