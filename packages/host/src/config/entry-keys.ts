/** The spellings a server's keys may have. Reading is generous: what other clients write is understood. */

export const ENTRY_KEYS = [
  "transport",
  "enabled",
  "command",
  "args",
  "cwd",
  "env",
  "url",
  "headers",
  "id",
  "startup_timeout_ms",
  "request_timeout_ms",
  "max_timeout_ms",
  "health_interval_ms",
  "idle_stop_ms",
  "retry",
  "max_message_bytes",
] as const;

const ALIASES = new Map([["type", "transport"]]);

/** The key as Plugboard writes it; nothing for one it does not know. */
export function entryKey(spelling: string): string | undefined {
  const snake = spelling.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const key = ALIASES.get(snake) ?? snake;
  return ENTRY_KEYS.find((known) => known === key);
}
