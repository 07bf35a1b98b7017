/**
 * The keyring of this machine: the Secret Service of Linux, the keychain of macOS,
 * the credential manager of Windows. It is asked by a process of its own
 * (`keyring-helper.ts`): a keyring that waits for its user holds up the thread that asks,
 * and Node does not exit before that has come back. A process can be ended.
 */
import type { Env } from "@plugboard/contracts";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { systemClock } from "@plugboard/mcp";
import { runOnce } from "@plugboard/mcp/process";
import type { Clock } from "@plugboard/mcp";
import type { KeyringCommand, KeyringReply } from "./keyring-helper.ts";
import { KeyringUnavailable } from "./keyring.ts";
import type { Keyring } from "./keyring.ts";

export interface SystemKeyringOptions {
  /** Where the keyring of this user is found. */
  readonly env?: Env;
  readonly clock?: Clock;
}

/** Enough to type a password. */
const DEFAULT_TIMEOUT_MS = 30_000;

export function systemKeyring({ env = process.env, clock = systemClock }: SystemKeyringOptions = {}): Keyring {
  const send = (errand: KeyringCommand, limitMs = DEFAULT_TIMEOUT_MS) => runHelper(errand, limitMs, env, clock);
  return {
    get: (name, limitMs) => send({ get: name }, limitMs),
    set: async (name, value, limitMs) => void (await send({ set: name, value }, limitMs)),
    delete: async (name, limitMs) => void (await send({ delete: name }, limitMs)),
  };
}

async function runHelper(
  command: KeyringCommand,
  timeoutMs: number,
  env: Env,
  clock: Clock,
): Promise<string | undefined> {
  const helperPath = fileURLToPath(new URL("./keyring-helper.js", import.meta.url));
  const spec = {
    command: process.execPath,
    args: [helperPath],
    cwd: dirname(helperPath),
    env: {
      DBUS_SESSION_BUS_ADDRESS: env["DBUS_SESSION_BUS_ADDRESS"],
      XDG_RUNTIME_DIR: env["XDG_RUNTIME_DIR"],
      // Where we are embedded in such a program, it is no Node without it.
      ELECTRON_RUN_AS_NODE: "1",
    },
    input: JSON.stringify(command),
    timeoutMs,
  };
  const result = await runOnce(spec, clock);
  if ("failed" in result) throw new KeyringUnavailable("silent", `the keyring gave no answer: ${result.failed}`);
  return valueOf(JSON.parse(result.stdout) as KeyringReply);
}

function valueOf(reply: KeyringReply): string | undefined {
  if ("absent" in reply) {
    const what = "there is no keyring here that can be reached";
    throw new KeyringUnavailable("absent", what, new Error(reply.absent));
  }
  if ("refused" in reply) {
    const what = "the keyring is locked, or what it asked was dismissed";
    throw new KeyringUnavailable("refused", what, new Error(reply.refused));
  }
  return reply.value ?? undefined;
}
