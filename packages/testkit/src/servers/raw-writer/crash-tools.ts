/** Tools that end or break their own process. */
import { spawn } from "node:child_process";
import { closeSync } from "node:fs";
import { scriptedTool, type ScriptedTools } from "../scripted/scripted-call.ts";

export function crashTools(): ScriptedTools {
  return {
    // Exits with a signal or a code, after it has written `partial` to stdout and `words` to stderr.
    exit: scriptedTool(
      ({ args }) => {
        const { signal, code = 1, words = "", partial = "" } = args;
        const end = () => (signal ? process.kill(process.pid, signal as NodeJS.Signals) : process.exit(Number(code)));
        process.stdout.write(String(partial), () => process.stderr.write(String(words), end));
      },
      {
        optional: {
          signal: { type: "string" },
          code: { type: "number" },
          words: { type: "string" },
          partial: { type: "string" },
        },
      },
    ),

    // Closes stdout and keeps running.
    close_output: scriptedTool(() => closeSync(1)),

    // Exits and leaves stdout open in another process, outside of its process group.
    exit_leaving_output_open: scriptedTool(() => {
      const script = "setTimeout(() => {}, 60_000)";
      const stdio = ["ignore", "inherit", "ignore"] as const;
      // The host ends processes that have the mark of their server.
      const { PLUGBOARD_PROCESS: _, ...env } = process.env;
      const child = spawn(process.execPath, ["-e", script], { stdio: [...stdio], env, detached: true });
      process.stderr.write(`child ${child.pid}\n`, () => process.exit(5));
    }),
  };
}
