/** Tools of the modern fixture that ask no questions: an echo, a slow tool and two that fail. */
import { setTimeout as delay } from "node:timers/promises";
import { ProtocolError, ProtocolErrorCode, type ServerContext } from "@modelcontextprotocol/server";
import { z } from "zod";
import { errorResult, textResult, fixtureTool } from "./fixture-tool.ts";

export const basicTools = {
  echo: fixtureTool("Answers with the text it was given", { text: z.string() }, (args) => textResult(args.text)),
  slow: fixtureTool(
    "Reports its progress in steps over ms milliseconds, then answers",
    { ms: z.number().min(0), steps: z.int().min(1) },
    slow,
  ),
  fail: fixtureTool("Answers with a result that is an error", {}, () => errorResult("this tool always fails")),
  throw: fixtureTool("Ends in a protocol error", {}, () => {
    throw new ProtocolError(ProtocolErrorCode.InternalError, "this tool always throws");
  }),
};

/** Writes its start and a cancellation to stderr, so that a test can wait for them. */
async function slow(args: { ms: number; steps: number }, { mcpReq }: ServerContext) {
  process.stderr.write("slow started\n");
  try {
    for (let step = 1; step <= args.steps; step++) {
      await delay(args.ms / args.steps, undefined, { signal: mcpReq.signal });
      await reportProgress(mcpReq, step, args.steps);
    }
  } catch (error) {
    if (mcpReq.signal.aborted) process.stderr.write("slow aborted\n");
    throw error;
  }
  return textResult(`done in ${args.steps} steps`);
}

async function reportProgress(mcpReq: ServerContext["mcpReq"], progress: number, total: number) {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return;
  const params = { progressToken, progress, total, message: `step ${progress} of ${total}` };
  await mcpReq.notify({ method: "notifications/progress", params });
}
