/**
 * The rights that a caller needs for certain parts of a workspace or a chat, such as added servers. The parts are
 * unchecked, because rights are checked first.
 */
import { isJsonObject } from "../../lib/json.ts";
import type { WorkspaceSpec } from "../host/host-api.ts";
import type { ConditionalRight } from "../methods/method-spec.ts";

/** These parts make the host run or read what the client has chosen. */
const ADDED_PARTS = [
  "servers",
  "permissions",
  "configFiles",
  "env",
] as const satisfies readonly (keyof WorkspaceSpec)[];

/** Returns the rights of a method whose argument at this index describes a workspace or a chat. */
export function specRights(index: number): readonly ConditionalRight[] {
  return [
    {
      right: "add_servers",
      when: `with ${ADDED_PARTS.map((part) => `\`${part}\``).join(", ")}`,
      applies: (args) => isPresentIn(args[index], ...ADDED_PARTS),
    },
    {
      right: "use_native_tools",
      when: "with `nativeTools`",
      applies: ({ [index]: spec }) =>
        isPresentIn(spec, "nativeTools") && isJsonObject(spec) && spec["nativeTools"] !== false,
    },
  ];
}

/** Returns the right of a method whose argument at this index may have further servers. */
export function addedServersRight(index: number): ConditionalRight {
  return { right: "add_servers", when: "with `servers`", applies: (args) => isPresentIn(args[index], "servers") };
}

/** Returns true if one of the keys has a value. JSON has no undefined, so null counts as absent. */
export function isPresentIn(value: unknown, ...keys: readonly string[]): boolean {
  return isJsonObject(value) && keys.some((key) => value[key] !== undefined && value[key] !== null);
}
