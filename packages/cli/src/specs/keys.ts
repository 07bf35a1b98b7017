/** The commands for the keys that encrypt what the host gives to clients and gets back. */
import { defineCommand, required } from "../command-line/command-spec.ts";

const keysList = defineCommand({
  name: "keys list",
  aliases: ["keys"],
  summary: "list the keys that encrypt the open forms of clients",
  description:
    "A client that gets a form of a call sends an encrypted state back with the answer. The newest key encrypts, and all keys decrypt. The keys themselves are never shown.",
  examples: [{ line: "plugboard keys list" }],
  output: "keys-list",
  run: async (input, cli) => (await import("../commands/keys/list-keys.ts")).listKeys(input, cli),
});

const keysRotate = defineCommand({
  name: "keys rotate",
  summary: "add a key that encrypts from now on; the older keys still decrypt",
  description:
    "A running host uses the new key at once. Nothing is lost: forms that clients have got before can be answered.",
  examples: [{ line: "plugboard keys rotate" }],
  output: "keys-rotate",
  run: async (input, cli) => (await import("../commands/keys/rotate-key.ts")).rotateKey(input, cli),
});

const keysDrop = defineCommand({
  name: "keys drop",
  summary: "delete an older key, so that nothing can be decrypted with it any more",
  description:
    "Open forms that were encrypted with this key can't be answered any more: their clients have to repeat the call. Forms expire after ten minutes, so a key that was replaced longer ago is not needed. The key that encrypts can't be dropped.",
  arguments: { id: required("the id of the key, from `plugboard keys list`") },
  examples: [{ line: "plugboard keys drop 3f9c2a7be01d5846" }],
  output: "keys-drop",
  run: async (input, cli) => (await import("../commands/keys/drop-key.ts")).dropKey(input, cli),
});

export const keyCommands = [keysList, keysRotate, keysDrop];
