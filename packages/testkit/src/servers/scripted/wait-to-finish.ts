/** Waits during a call of the scripted server: for `after_ms`, or until the file `when_exists` appears. */
import { existsSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import type { ScriptedCall } from "./scripted-call.ts";

export const FINISH_ARGUMENTS = { after_ms: { type: "number" }, when_exists: { type: "string" } };

export async function waitToFinish({ args }: ScriptedCall): Promise<void> {
  const file = args["when_exists"];
  if (typeof file !== "string") await delay(Number(args["after_ms"] ?? 0));
  else while (!existsSync(file)) await delay(10);
}
