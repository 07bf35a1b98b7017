/** Tools that break the process they run in. */
import { spawn } from "node:child_process";
import { closeSync } from "node:fs";
import { scriptedTool, type ScriptedTools } from "../scripted/scripted-call.ts";

export function breakingTools(): ScriptedTools {
  return {
    // By a signal, or with a code; `partial` has begun to be written to the output by then, and `words` to stderr.
    exit: scriptedTool(
      ({ args }) => {
        const { signal, code = 1, words = "", partial = "" } = args;
        const end = () => (signal ? process.kill(process.pid, signal as NodeJS.Signals) : process.exit(Number(code)));
        process.stdout.write(String(partial), () => process.stderr.write(String(words), end));
      },
      {},
      { signal: { type: "string" }, code: { type: "number" }, words: { type: "string" }, partial: { type: "string" } },
    ),

    // Lives on without its output.
    close_output: scriptedTool(() => closeSync(1)),

    // Dies, and leaves its output open in another process, which no signal to its group reaches.
    exit_leaving_output_open: scriptedTool(() => {
      const script = "setTimeout(() => {}, 60_000)";
      const stdio = ["ignore", "inherit", "ignore"] as const;
      const child = spawn(process.execPath, ["-e", script], { stdio: [...stdio], detached: true });
      process.stderr.write(`child ${child.pid}\n`, () => process.exit(5));
    }),
  };
}
