/** Captures all output of a host, for tests that search it for secrets. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { trace } from "@opentelemetry/api";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { onTestFinished, vi } from "vitest";

export function captureSpans(): InMemorySpanExporter {
  const exporter = new InMemorySpanExporter();
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));
  onTestFinished(() => trace.disable());
  return exporter;
}

/** Collects writes to stdout and stderr, and warnings. */
export function captureProcessOutput(): unknown[] {
  const written: unknown[] = [];
  for (const stream of [process.stdout, process.stderr]) {
    const write = stream.write.bind(stream);
    vi.spyOn(stream, "write").mockImplementation((chunk) => (written.push(String(chunk)), write(chunk)));
  }
  const warn = (warning: Error) => written.push(warning);
  process.on("warning", warn);
  onTestFinished(() => void process.off("warning", warn));
  return written;
}

/** Runs the action and appends the error that it throws to `captured`. */
export async function captureError(captured: unknown[], action: () => Promise<unknown>): Promise<void> {
  try {
    await action();
  } catch (error) {
    captured.push(error);
  }
}

export async function readFilesUnder(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  return Promise.all(files.map(async (file) => `${file}\n${await readFile(file, "latin1")}`));
}

/** Returns the command lines of this process and its descendants, or "" on systems without `/proc`. */
export async function readOwnCommandLines(): Promise<string> {
  const pids = await readdir("/proc").catch(() => []);
  const parents = new Map<string, string>();
  for (const pid of pids.filter((name) => /^\d+$/.test(name))) {
    const stat = await readFile(`/proc/${pid}/stat`, "latin1").catch(() => "");
    // The name of the program is in parentheses. The second field after it is the pid of the parent.
    parents.set(pid, stat.slice(stat.lastIndexOf(")")).split(" ")[2] ?? "");
  }
  const isOwn = (pid: string | undefined): boolean =>
    pid !== undefined && (pid === String(process.pid) || isOwn(parents.get(pid)));
  const ownPids = [...parents.keys()].filter(isOwn);
  const lines = await Promise.all(ownPids.map((pid) => readFile(`/proc/${pid}/cmdline`, "latin1").catch(() => "")));
  return lines.join("\n");
}
