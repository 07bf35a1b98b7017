/**
 * The keyring of this machine: Secret Service on Linux, Keychain on macOS, Credential Manager on Windows. Each command
 * runs in a separate process (`keyring-helper.ts`), because a keyring that waits for the user blocks a thread. Node
 * can't exit while a thread is blocked, but the separate process can be killed.
 */
import type { Env, Clock } from "@plugboard/contracts";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { systemClock } from "@plugboard/contracts";
import { runOnce } from "@plugboard/mcp/process";
import type { RunSpec } from "@plugboard/mcp/process";
import type { KeyringCommand, KeyringReply } from "./keyring-helper.ts";
import { KeyringUnavailable } from "./keyring.ts";
import type { Keyring } from "./keyring.ts";

export interface SystemKeyringOptions {
  /** The environment with the address of the D-Bus session. */
  readonly env?: Env;
  readonly clock?: Clock;
}

/** Long enough for the user to type a password. */
const DEFAULT_TIMEOUT_MS = 30_000;

export function systemKeyring({ env = process.env, clock = systemClock }: SystemKeyringOptions = {}): Keyring {
  const send = (command: KeyringCommand, timeoutMs = DEFAULT_TIMEOUT_MS) => runHelper(command, timeoutMs, env, clock);
  return {
    get: (name, timeoutMs) => send({ get: name }, timeoutMs),
    set: async (name, value, timeoutMs) => void (await send({ set: name, value }, timeoutMs)),
    delete: async (name, timeoutMs) => void (await send({ delete: name }, timeoutMs)),
  };
}

async function runHelper(
  command: KeyringCommand,
  timeoutMs: number,
  env: Env,
  clock: Clock,
): Promise<string | undefined> {
  const helperPath = fileURLToPath(new URL("./keyring-helper.js", import.meta.url));
  const spec: RunSpec = {
    command: process.execPath,
    args: [helperPath],
    cwd: dirname(helperPath),
    env: {
      DBUS_SESSION_BUS_ADDRESS: env["DBUS_SESSION_BUS_ADDRESS"],
      XDG_RUNTIME_DIR: env["XDG_RUNTIME_DIR"],
      // In an Electron program, `process.execPath` behaves like Node only with this variable.
      ELECTRON_RUN_AS_NODE: "1",
    },
    input: JSON.stringify(command),
    timeoutMs,
  };
  const result = await runOnce(spec, clock);
  if ("failed" in result) throw new KeyringUnavailable("silent", `the keyring did not answer: ${result.failed}`);
  return valueFromReply(JSON.parse(result.stdout) as KeyringReply);
}

function valueFromReply(reply: KeyringReply): string | undefined {
  if ("absent" in reply) {
    const message = "there is no keyring on this machine";
    throw new KeyringUnavailable("absent", message, new Error(reply.absent));
  }
  if ("refused" in reply) {
    const message = "the keyring is locked, or its prompt was dismissed";
    throw new KeyringUnavailable("refused", message, new Error(reply.refused));
  }
  return reply.value ?? undefined;
}
