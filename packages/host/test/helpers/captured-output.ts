/** What a host says of itself, wherever it says it: for tests that look for what it must not say. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { trace } from "@opentelemetry/api";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { onTestFinished, vi } from "vitest";

/** What the program's tracer is told. */
export function captureSpans(): InMemorySpanExporter {
  const exporter = new InMemorySpanExporter();
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));
  onTestFinished(() => trace.disable());
  return exporter;
}

/** What the host writes besides, if it writes anything. */
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

/** What it throws is told. */
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

/** Of this process and all below it, where the system tells. What a definition has in its `args` is the user's own doing. */
export async function readOwnCommandLines(): Promise<string> {
  const pids = await readdir("/proc").catch(() => []);
  const parents = new Map<string, string>();
  for (const pid of pids.filter((name) => /^\d+$/.test(name))) {
    const stat = await readFile(`/proc/${pid}/stat`, "latin1").catch(() => "");
    parents.set(pid, stat.slice(stat.lastIndexOf(")")).split(" ")[2] ?? "");
  }
  const isOurs = (pid: string | undefined): boolean =>
    pid !== undefined && (pid === String(process.pid) || isOurs(parents.get(pid)));
  const ours = [...parents.keys()].filter(isOurs);
  const lines = await Promise.all(ours.map((pid) => readFile(`/proc/${pid}/cmdline`, "latin1").catch(() => "")));
  return lines.join("\n");
}
