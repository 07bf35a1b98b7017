/** The rights that the parts of a workspace or a chat need. The parts are unchecked, because rights are checked first. */
import { isJsonObject } from "../../lib/json.ts";
import type { ConditionalRight } from "../methods/method-spec.ts";

/** Returns the rights of a method whose argument at this index describes a workspace or a chat. */
export function specRights(index: number): readonly ConditionalRight[] {
  return [
    {
      right: "add_servers",
      when: "with servers, rules, config files or an environment",
      applies: (args) => isPresentIn(args[index], "servers", "permissions", "configFiles", "env"),
    },
    {
      right: "use_native_tools",
      when: "with `nativeTools`",
      applies: (args) => isPresentIn(args[index], "nativeTools") && (args[index] as Flags).nativeTools !== false,
    },
  ];
}

interface Flags {
  readonly nativeTools: unknown;
}

/** Returns true if one of the keys has a value. JSON has no undefined, so null counts as absent. */
export function isPresentIn(value: unknown, ...keys: readonly string[]): boolean {
  return isJsonObject(value) && keys.some((key) => value[key] !== undefined && value[key] !== null);
}
