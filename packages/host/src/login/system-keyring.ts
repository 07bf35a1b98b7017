/**
 * The keyring of this machine: the Secret Service of Linux, the keychain of macOS,
 * the credential manager of Windows. It is asked by a process of its own
 * (`errand.ts`): a keyring that waits for its user holds up the thread that asks,
 * and Node does not exit before that has come back. A process can be ended.
 */
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { runOnce, systemClock } from "@plugboard/mcp";
import type { Clock } from "@plugboard/mcp";
import type { Errand, Outcome } from "./errand.ts";
import { KeyringUnavailable } from "./keyring.ts";
import type { Keyring } from "./keyring.ts";

export interface SystemKeyringOptions {
  /** Where the keyring of this user is found. */
  readonly env?: { readonly [name: string]: string | undefined };
  readonly clock?: Clock;
}

/** Enough to type a password. */
const LIMIT_MS = 30_000;

export function systemKeyring({ env = process.env, clock = systemClock }: SystemKeyringOptions = {}): Keyring {
  const run = (errand: Errand, limitMs = LIMIT_MS) => ask(errand, limitMs, env, clock);
  return {
    get: (name, limitMs) => run({ get: name }, limitMs),
    set: async (name, value, limitMs) => void (await run({ set: name, value }, limitMs)),
    delete: async (name, limitMs) => void (await run({ delete: name }, limitMs)),
  };
}

async function ask(
  errand: Errand,
  limitMs: number,
  env: { readonly [name: string]: string | undefined },
  clock: Clock,
): Promise<string | undefined> {
  const program = fileURLToPath(new URL("./errand.js", import.meta.url));
  const given = {
    command: process.execPath,
    args: [program],
    cwd: dirname(program),
    env: {
      DBUS_SESSION_BUS_ADDRESS: env["DBUS_SESSION_BUS_ADDRESS"],
      XDG_RUNTIME_DIR: env["XDG_RUNTIME_DIR"],
      // Where we are embedded in such a program, it is no Node without it.
      ELECTRON_RUN_AS_NODE: "1",
    },
    input: JSON.stringify(errand),
    limitMs,
  };
  const ran = await runOnce(given, clock);
  if ("failed" in ran) throw new KeyringUnavailable("silent", `the keyring gave no answer: ${ran.failed}`);
  return valueOf(JSON.parse(ran.stdout) as Outcome);
}

function valueOf(outcome: Outcome): string | undefined {
  if ("absent" in outcome) {
    const what = "there is no keyring here that can be reached";
    throw new KeyringUnavailable("absent", what, new Error(outcome.absent));
  }
  if ("refused" in outcome) {
    const what = "the keyring is locked, or what it asked was dismissed";
    throw new KeyringUnavailable("refused", what, new Error(outcome.refused));
  }
  return outcome.value ?? undefined;
}
